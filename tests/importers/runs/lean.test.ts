import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { measureProcess } from "@pdpp/test-support/processes/measure-process";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { afterAll, expect, it } from "vitest";
import { writeMailbox } from "../../../programs/bench/mailbox.ts";

const folder = mkdtempSync(join(tmpdir(), "pdpp-lean-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The bench has the speed; on a machine that does other things only processor time can be held against a limit. */
it("[IMP-22] imports a mailbox with little memory and CPU time", async () => {
  const mails = chooseRuns(3000, 12_000);
  await writeMailbox(join(folder, "all.mbox"), mails);
  let printed = "";
  const args = [pdppFile, "import", join(folder, "all.mbox"), "--yes", "--json", "--data-dir", join(folder, "vault")];
  const { peakMb, cpuMs } = await measureProcess(args, cleanEnvironment(), (chunk) => {
    printed += chunk.toString();
  });
  expect(JSON.parse(printed).report).toMatchObject([{ read: mails, streams: [{ stored: mails }] }]);
  expect(peakMb).toBeLessThan(300);
  // 600 a second on two processors are 3.3 ms of processor time for each.
  expect(cpuMs / mails).toBeLessThan(3.3);
});

const reader = fileURLToPath(new URL("./memory-process.ts", import.meta.url));

/** Half the speed that the bench asks for, since other work on the machine costs processor time too. */
it.each(["apple-health", "google-timeline"])(
  "[IMP-23] a large file of %s takes little processor time",
  async (format) => {
    const megabytes = chooseRuns(60, 400);
    const { peakMb, cpuMs } = await measureProcess([reader, format, String(megabytes)], cleanEnvironment());
    expect(megabytes / (cpuMs / 1000)).toBeGreaterThan(10);
    expect(peakMb).toBeLessThan(300);
  },
  300_000,
);
