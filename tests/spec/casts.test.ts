import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@pdpp/test-support/repository/requirements";
import { parseSync, Visitor } from "oxc-parser";
import { expect, it } from "vitest";

/** Where the types do not say what the code knows, a seam is not typed. */

const isSource = (file: string): boolean => !/\.(test|property|conformance)\.ts$|\/conformance\//.test(file);
const files = globSync("packages/*/src/**/*.ts", { cwd: repository }).filter(isSource);

function castsIn(file: string, text: string): number {
  let found = 0;
  new Visitor({
    TSAsExpression: ({ typeAnnotation: { start, end } }) => {
      if (text.slice(start, end) !== "const") found += 1;
    },
    TSTypeAssertion: () => {
      found += 1;
    },
    TSNonNullExpression: () => {
      found += 1;
    },
  }).visit(parseSync(file, text).program);
  return found;
}

it("casts and non-null assertions are counted, const and renames are not", () => {
  const text = `import { a as b } from "c"; const d = [b as string, b!.e, <string>b, [1] as const]; d[0]! as unknown as 1;`;
  expect(castsIn("planted.ts", text)).toBe(6);
});

it("a thousand lines of source have fewer than ten casts and non-null assertions", () => {
  const texts = files.map((file) => ({ file, text: readFileSync(join(repository, file), "utf8") }));
  const lines = texts.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  const casts = texts.reduce((sum, { file, text }) => sum + castsIn(file, text), 0);
  expect(lines).toBeGreaterThan(20_000);
  expect((1000 * casts) / lines).toBeLessThan(10);
});
