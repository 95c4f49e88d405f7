import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment, pdppFile, runPdpp, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { canMeasureTrees, measureTree } from "@pdpp/test-support/processes/tree-memory";
import { afterAll, expect, it } from "vitest";
import { writeHostileFiles } from "../archives/hostile-files.ts";

const folder = mkdtempSync(join(tmpdir(), "pdpp-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(!canMeasureTrees)(
  "[IMP-34] hostile files are rejected within bounded memory, and the import continues",
  async () => {
    const files = join(folder, "files");
    writeHostileFiles(files);
    const dataDir = join(folder, "vault");
    const args = ["import", files, "--yes", "--data-dir", dataDir];
    const { code, output, peakMb, children, niceness } = await measureTree([pdppFile, ...args], cleanEnvironment());
    expect([code, output]).toEqual([0, expect.stringContaining("messages: 5 new")]);
    // The import, the mails, the documents (384 MB) and a database, with room for what was allocated between two looks.
    expect(peakMb).toBeLessThan(1000);
    expect(children).toBeGreaterThanOrEqual(3);
    expect(niceness).toBeGreaterThanOrEqual(5);
    const exported = await runPdpp(["export", "--data-dir", dataDir]);
    const attachments = exported.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .filter(({ stream }) => stream === "attachments")
      .map(({ data }) => `${data.name}: ${data.text ?? data.note}`);
    expect(attachments.sort()).toEqual([
      expect.stringMatching(/^directory.docx: its text could not be extracted: /),
      expect.stringMatching(/^liar.docx: its text could not be extracted: /),
      "ordinary.pdf: Still read",
      "pages.pdf: its text could not be extracted: parsing needs more than 384 MB",
      "unpacked.pdf: its text could not be extracted: parsing needs more than 384 MB",
    ]);
  },
);

it("[IMP-34] an import that needs too much memory is stopped and says so", async () => {
  const script = join(folder, "greedy.ts");
  const module = new URL("../../../packages/importing/src/limit-import.ts", import.meta.url);
  writeFileSync(
    script,
    `import { limitImport } from ${JSON.stringify(module.href)};
    limitImport(200);
    for (const kept = []; ; ) kept.push(Buffer.alloc(4_000_000, 1));`,
  );
  const { code, stderr } = await runProgram(process.execPath, [script]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("The import needs more than 200 MB of memory and was stopped.");
});
