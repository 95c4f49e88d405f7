import { readFileSync } from "node:fs";
import {
  listFile,
  measureCoverage,
  parseIds,
  parseRequirements,
  readListedIds,
  readSpecRequirements,
} from "@pdpp/test-support/repository/requirements";
import { findTestTitles } from "@pdpp/test-support/repository/test-titles";
import { describe, expect, it } from "vitest";

/** One line for each founding requirement: its id and its heading. */
const foundingHeadings = readFileSync(new URL("founding-requirements.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

describe("[MEAS-3] the spec and the tests", () => {
  it("use one id for each requirement, and test titles have no other ids", () => {
    expect(measureCoverage().faults).toEqual([]);
  });

  it("leave no requirement without a test", () => {
    expect(measureCoverage().untested.map(({ id }) => id)).toEqual([]);
  });

  it("keep every founding requirement under its id and heading, and may add others", () => {
    const headings = readSpecRequirements().map(({ id, title }) => `${id} ${title}`);
    expect(foundingHeadings.filter((heading) => !headings.includes(heading))).toEqual([]);
  });

  it("have every id of the original list", (context) => {
    const listed = readListedIds();
    if (listed === null) return context.skip(`${listFile} is not here`);
    expect(foundingHeadings.map((heading) => heading.split(" ")[0]).sort()).toEqual(listed.sort());
  });
});

describe("[MEAS-3] test titles", () => {
  it.each([
    ["a literal", `it("[LAD-1] shows", () => {});`, ["[LAD-1] shows"]],
    ["a template", "it(`[LAD-1] on $" + "{engine}`, async () => {});", ["[LAD-1] on "]],
    ["a concatenation", `test("[LAD-1] " + \`and\` + name, f);`, ["[LAD-1] and"]],
    ["a table", `it.each<number>([[1 as number]])("[WIN-2] %j", f);`, ["[WIN-2] %j"]],
    ["a tagged table", "test.each`a`('[WIN-2] $a', f);", ["[WIN-2] $a"]],
    ["a condition", `describe.skipIf(windows).concurrent("[WIN-2] x", f);`, ["[WIN-2] x"]],
    ["a nested test", `describe("a", () => { if (b) it("c", f); });`, ["a", "c"]],
    ["code but no comment", `// it("[LAD-1] no", f);`, []],
    ["code but no string that looks like a test", "const code = 'it(\"[LAD-1] no\", f)';", []],
    ["tests that are not skipped", `describe.skip("a", () => { it("[LAD-1] b", f); }); it.todo("c");`, []],
    ["no other function call", `expect("[LAD-1]"); /x/.test("[LAD-1] no");`, []],
  ])("are read from %s", (_, source, titles) => {
    expect(findTestTitles(source)).toEqual(titles);
  });

  it("can have one id, several, or lists of ids", () => {
    expect(parseIds("[HND-5] [WIN-3] and [LAD-1, LAD-2] but not [x] or SRCH-1")).toEqual([
      "HND-5",
      "WIN-3",
      "LAD-1",
      "LAD-2",
    ]);
  });
});

it("[MEAS-3] detects a requirement without an id", () => {
  const spec = "### Requirement: [LAD-2] A preview\n\n### Requirement: Something\n";
  expect(parseRequirements(spec, "s").map(({ id, title }) => [id, title])).toEqual([
    ["LAD-2", "A preview"],
    [null, "Something"],
  ]);
});
