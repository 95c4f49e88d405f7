import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@pdpp/test-support/repository/requirements";
import { parseSync, Visitor } from "oxc-parser";
import { expect, it } from "vitest";

/** Casts, non-null assertions and unchecked JSON mark places where the types fall short. */

const isSource = (file: string): boolean => !/\.(test|property)\.ts$/.test(file);
const files = globSync("packages/*/src/**/*.ts", { cwd: repository }).filter(isSource);

function countCasts(file: string, text: string): number {
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

/** The only files that may call `JSON.parse`: their functions check the shape, return unknown, or assert it by name. */
const jsonBoundaries: Readonly<Record<string, string>> = {
  server: "packages/server/src/store/engine/json.ts",
  cli: "packages/cli/src/input/parse-json.ts",
  importers: "packages/importers/src/core/parsing/json.ts",
  importing: "none: it uses the server's",
};

function countJsonParses(file: string, text: string): number {
  let found = 0;
  new Visitor({
    MemberExpression: ({ start, end }) => {
      if (text.slice(start, end) === "JSON.parse") found += 1;
    },
  }).visit(parseSync(file, text).program);
  return found;
}

it("counts calls of JSON.parse, and ignores comments and strings that mention it", () => {
  const text = `const a = JSON.parse("1"), b = ["2"].map(JSON.parse); // JSON.parse\nconst c = "JSON.parse";`;
  expect(countJsonParses("planted.ts", text)).toBe(2);
});

it.each(Object.entries(jsonBoundaries))("parses JSON in only one place in packages/%s", (name, boundary) => {
  const raw = files
    .filter((file) => file.startsWith(`packages/${name}/`) && file !== boundary)
    .filter((file) => countJsonParses(file, readFileSync(join(repository, file), "utf8")) > 0);
  expect(raw).toEqual([]);
});

it("counts casts and non-null assertions, and ignores const assertions and renames", () => {
  const text = `import { a as b } from "c"; const d = [b as string, b!.e, <string>b, [1] as const]; d[0]! as unknown as 1;`;
  expect(countCasts("planted.ts", text)).toBe(6);
});

it("has fewer than ten casts and non-null assertions per thousand lines of source", () => {
  const texts = files.map((file) => ({ file, text: readFileSync(join(repository, file), "utf8") }));
  const lines = texts.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  const casts = texts.reduce((sum, { file, text }) => sum + countCasts(file, text), 0);
  expect(lines).toBeGreaterThan(20_000);
  expect((1000 * casts) / lines).toBeLessThan(10);
});
