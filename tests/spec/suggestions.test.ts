import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL("../../packages/cli/src", import.meta.url).pathname;

it("[PKG-4] suggests commands by the name that pdpp was started with", () => {
  const files = globSync("**/*.ts", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(50);
  const advice = /\b(?:Next:|with:|example:|try:|run) pdpp (?!doctor)[a-z]/g;
  const fixed = files.flatMap((file) => {
    const lines = readFileSync(`${folder}/${file}`, "utf8").split("\n");
    return lines.flatMap((line, n) => (line.match(advice) === null ? [] : [`${file}:${n + 1} ${line.trim()}`]));
  });
  expect(fixed).toEqual([]);
});
