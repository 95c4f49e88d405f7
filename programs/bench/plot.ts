import type { Figure } from "./measure.ts";

/** Draws the costs of reads as an SVG: two bars for each read, on a logarithmic scale. */

const rowHeight = 34;
const barHeight = 11;
const labelWidth = 330;
const plotWidth = 520;
const top = 58;
const colors = { ours: "#2563a8", floor: "#b9c4d0", text: "#1f2933", line: "#e4e8ec" } as const;

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const formatUs = (us: number): string => {
  const [value, unit] = us >= 10_000 ? [us / 1000, "ms"] : [us, "µs"];
  return `${value.toLocaleString("en", { maximumFractionDigits: value < 100 && unit === "ms" ? 1 : 0 })} ${unit}`;
};

const text = (x: number, y: number, size: number, content: string, anchor = "start"): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" text-anchor="${anchor}">${escapeText(content)}</text>`;

const rect = (x: number, y: number, width: number, height: number, color: string): string =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height}" fill="${color}"/>`;

/** `figures` in microseconds; those without a floor are left out. */
export function drawCosts(title: string, figures: readonly Figure[]): string {
  const drawn = figures.flatMap(({ what, unit, ours, raw }) =>
    raw === undefined || unit !== "us" ? [] : [{ what, ours, raw }],
  );
  const costs = drawn.flatMap(({ ours, raw }) => [ours, raw]);
  const lowest = Math.floor(Math.log10(Math.min(...costs)));
  const highest = Math.ceil(Math.log10(Math.max(...costs)));
  const decades = Math.max(1, highest - lowest);
  const place = (us: number): number => ((Math.log10(us) - lowest) / decades) * plotWidth;
  const bottom = top + drawn.length * rowHeight;
  const [width, height] = [labelWidth + plotWidth + 110, bottom + 16];
  const lines = Array.from({ length: decades + 1 }, (_, i) => {
    const x = (labelWidth + (i / decades) * plotWidth).toFixed(1);
    return `<line x1="${x}" x2="${x}" y1="${top - 6}" y2="${bottom}" stroke="${colors.line}"/>${text(Number(x), top - 12, 11, formatUs(10 ** (lowest + i)), "middle")}`;
  });
  const rows = drawn.map(({ what, ours, raw }, i) => {
    const y = top + i * rowHeight;
    const ratio = ours / raw;
    const times = `${formatUs(ours)}, ${ratio.toFixed(ratio < 10 ? 1 : 0)} x`;
    return [
      text(labelWidth - 8, y + barHeight + 4, 13, what, "end"),
      rect(labelWidth, y, place(ours), barHeight, colors.ours),
      rect(labelWidth, y + barHeight + 1, place(raw), barHeight, colors.floor),
      text(labelWidth + place(Math.max(ours, raw)) + 6, y + barHeight + 4, 12, times),
    ].join("");
  });
  const legend = [
    rect(labelWidth, 12, 12, barHeight, colors.ours),
    text(labelWidth + 18, 22, 12, "pdpp"),
    rect(labelWidth + 70, 12, 12, barHeight, colors.floor),
    text(labelWidth + 88, 22, 12, "floor"),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" fill="${colors.text}">`,
    `<title>${escapeText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...lines,
    ...legend,
    ...rows,
    "</svg>\n",
  ].join("\n");
}
