import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { measureProcess } from "@pdpp/test-support/processes/measure-process";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { drawSentence } from "../../../tests/importers/generators/generator.ts";
import type { Figure } from "../measure.ts";

const mails = 2610;
const added = 3;
const importer = fileURLToPath(new URL("./repeat-process.ts", import.meta.url));

/** Imports a Maildir, the same one again, and with three more mails: CPU time beyond the start of the process. */
export async function measureRepeats(workDir: string): Promise<Figure[]> {
  const folder = join(workDir, "maildir");
  const dice = createRandom(3);
  mkdirSync(join(folder, "cur"), { recursive: true });
  const writeMails = (from: number, to: number): void => {
    for (let n = from; n < to; n += 1) {
      const body = Array.from({ length: 60 }, () => drawSentence(dice, 9)).join("\n");
      writeFileSync(
        join(folder, "cur", `${1_700_000_000 + n}.M${n}P1.host:2,S`),
        `From: Ada <ada@example.org>\nTo: bob@example.org\nSubject: Mail ${n}\nMessage-ID: <${n}@example.org>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\n${body}\n`,
      );
    }
  };
  const runImport = async (read: number): Promise<number> => {
    let printed = "";
    // Like the command, it caches compiled sources.
    const environment = cleanEnvironment({ NODE_COMPILE_CACHE: join(workDir, "compiled") });
    await measureProcess([importer, join(workDir, "repeated"), folder], environment, (chunk) => {
      printed += chunk.toString();
    });
    const outcome = JSON.parse(printed) as { read: number; cpuMs: number };
    if (outcome.read !== read) throw new Error(`${outcome.read} mails read, not ${read}`);
    return outcome.cpuMs;
  };
  writeMails(0, mails);
  // The clock of a file system may be this coarse: files that were just written are compared by their content.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const first = await runImport(mails);
  const unchanged = await runImport(0);
  writeMails(mails, mails + added);
  const more = await runImport(added);
  return [
    { what: `import of ${mails} files, CPU time`, unit: "ms", ours: first },
    {
      what: "the same again, CPU time",
      unit: "ms",
      ours: unchanged,
      raw: first,
      ratio: unchanged / first,
      limit: { atMost: 0.05 },
    },
    { what: `${added} more files, CPU time`, unit: "ms", ours: more, limit: { atMost: 300 } },
  ];
}
