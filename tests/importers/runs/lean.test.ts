import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { measureProcess } from "@pdpp/test-support/processes/measure-process";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { afterAll, expect, it } from "vitest";
import { writeMailbox } from "../../../programs/bench/mail/mailbox.ts";

const folder = mkdtempSync(join(tmpdir(), "pdpp-lean-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const maxMb = 300;
/** Four times the input needs less than four times the CPU time, since starting is included. Quadratic work would need sixteen times. */
const sizeFactor = 4;
const maxGrowth = 6;

/** The bench measures the speed. Growth is the same on a busy machine. */
it("[IMP-22] imports a mailbox with little memory, and in linear time", async () => {
  const importMails = async (mails: number): Promise<number> => {
    const file = join(folder, `${mails}.mbox`);
    await writeMailbox(file, mails);
    let printed = "";
    const args = [pdppFile, "import", file, "--yes", "--json", "--data-dir", join(folder, `vault-${mails}`)];
    const { peakMb, cpuMs } = await measureProcess(args, cleanEnvironment(), (chunk) => {
      printed += chunk.toString();
    });
    expect(JSON.parse(printed).report).toMatchObject([{ read: mails, streams: [{ stored: mails }] }]);
    expect(peakMb).toBeLessThan(maxMb);
    return cpuMs;
  };
  const mails = chooseRuns(800, 3000);
  const small = await importMails(mails);
  expect((await importMails(mails * sizeFactor)) / small).toBeLessThan(maxGrowth);
});

const reader = fileURLToPath(new URL("./memory-process.ts", import.meta.url));

it.each(["apple-health", "google-timeline"])(
  "[IMP-23] reads a large file of %s with little memory, and in linear time",
  async (format) => {
    const readMegabytes = async (megabytes: number): Promise<number> => {
      const { peakMb, cpuMs } = await measureProcess([reader, format, String(megabytes)], cleanEnvironment());
      expect(peakMb).toBeLessThan(maxMb);
      return cpuMs;
    };
    const megabytes = chooseRuns(15, 100);
    const small = await readMegabytes(megabytes);
    expect((await readMegabytes(megabytes * sizeFactor)) / small).toBeLessThan(maxGrowth);
  },
);
