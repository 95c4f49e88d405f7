import { expect, it } from "vitest";
import { compareWithNaive, findNaiveProblems } from "../../../programs/measure/naive/compare.ts";
import { naiveTasks } from "../../../programs/measure/naive/tasks.ts";
import { cutTail, hostClasses } from "./host-classes.ts";

const host = hostClasses.find(({ name }) => name === "content-only")!;
const tasks = naiveTasks.filter(({ question }) =>
  ["boiler invoice", "How many different shops have we ordered from?"].includes(question),
);

it("[MEAS-9] solves the same tasks through pdpp and through two naive servers, and counts their cost", async () => {
  expect([naiveTasks.length, tasks.length]).toEqual([40, 2]);
  const figures = await compareWithNaive([host], tasks);
  expect(figures.map(({ server, solved }) => [server, solved])).toEqual([
    ["pdpp", 2],
    ["dump the record", 2],
    ["SQL over the file", 2],
  ]);
  for (const { calls, bytes, tokens } of figures)
    expect(Math.min(calls - 1, bytes / 1000, tokens / 500)).toBeGreaterThanOrEqual(1);
  expect(figures[1]!.tokens).toBeGreaterThan(3 * figures[0]!.tokens);
});

it("[MEAS-9] does not count a task as solved if the host cut every record", async () => {
  const narrow = { ...host, show: (result: Parameters<typeof host.show>[0]) => cutTail(host.show(result), 60) };
  const figures = await compareWithNaive([narrow], tasks);
  expect(figures.map(({ solved }) => solved)).toEqual([1, 0, 1]);
  expect(findNaiveProblems(figures)).toContain("content-only: not solved: boiler invoice");
});
