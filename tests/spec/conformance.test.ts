import { readFileSync } from "node:fs";
import {
  conformanceFile,
  readFoundingIds,
  readJudgements,
  writeConformance,
} from "@pdpp/test-support/repository/conformance";
import { describe, expect, it } from "vitest";

const page = readFileSync(new URL(`../../${conformanceFile}`, import.meta.url), "utf8");

describe("[PUB-11] docs/conformance.md", () => {
  it("matches the output of npm run conformance", () => {
    expect(page, "run npm run conformance, and read the difference").toBe(writeConformance(page));
  });

  it("[PUB-11] links every founding requirement and every public requirement that is met to a test", () => {
    const met = readJudgements().public.flatMap(({ status, ids }) => {
      if (status !== "not offered") expect(ids).not.toEqual([]);
      return ids;
    });
    for (const id of [...readFoundingIds(), ...met])
      expect(page).toMatch(new RegExp(`^\\| \\[${id}\\].*\\[(?:tests|packages)/[^\\]]+\\]\\(\\.\\./`, "m"));
  });

  it("[PUB-11] is out of date when a linked test is gone, a heading changed or a requirement is missing", () => {
    const row = page.split("\n").find((line) => line.startsWith("| [PUB-2]"))!;
    for (const stale of [
      row.replace(/: \[PUB-2\] .*? \|$/, ": [PUB-2] a test that nobody wrote |"),
      row.replace("Metadata names", "Metadata hides"),
      "",
    ]) {
      expect(stale).not.toBe(row);
      const changed = page.replace(row, stale);
      expect(writeConformance(changed)).not.toBe(changed);
    }
  });

  it("[PUB-11] rejects a verdict on a requirement that does not exist", () => {
    const public_ = [{ demand: "x", status: "met" as const, ids: ["PUB-99"] }];
    expect(() => writeConformance(page, { founding: {}, public: public_ })).toThrow("unknown requirement PUB-99");
    expect(() => writeConformance(page, { founding: { "PUB-1": "no" }, public: [] })).toThrow("not a founding");
  });
});
