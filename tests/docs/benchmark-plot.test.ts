import { expect, it } from "vitest";
import { drawCosts } from "../../programs/bench/plot.ts";

it("the plot of costs has two bars for each read that has a floor, as long as their logarithm", () => {
  const svg = drawCosts("Costs", [
    { what: 'a "list" <of> 25', unit: "us", ours: 1000, raw: 100 },
    { what: "a search", unit: "us", ours: 10_000, raw: 10_000 },
    { what: "memory", unit: "MB", ours: 200 },
  ]);
  const widths = [...svg.matchAll(/width="([\d.]+)" height="11" fill="#(2563a8|b9c4d0)"/g)].map(([, width]) =>
    Number(width),
  );
  // The first two are the legend.
  expect(widths.slice(2)).toEqual([260, 0, 520, 520]);
  expect(svg).toContain("a &quot;list&quot; &lt;of&gt; 25");
  expect(svg).not.toContain("memory");
});
