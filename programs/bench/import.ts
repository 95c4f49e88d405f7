import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, pdppFile } from "../../tests/support/run-pdpp.ts";
import { watchedProcess } from "../../tests/support/watched-process.ts";
import { writeMailbox } from "./mailbox.ts";
import type { Figure } from "./measure.ts";

const mostMb = 300;
const reader = fileURLToPath(new URL("../../tests/importers/memory-process.ts", import.meta.url));

/** A mailbox of so many mails through `pdpp import`, with its word index; and the two formats whose files are largest, as they are read. */
export async function benchImport(workDir: string, mails: number): Promise<Figure[]> {
  const file = join(workDir, "all.mbox");
  const megabytes = (await writeMailbox(file, mails)) / 1_000_000;
  let printed = "";
  const args = [pdppFile, "import", file, "--yes", "--json", "--data-dir", join(workDir, "imported")];
  const mail = await watchedProcess(args, cleanEnvironment(), (chunk) => {
    printed += chunk.toString();
  });
  const { report } = JSON.parse(printed) as { report: { streams: { stream: string; stored: number }[] }[] };
  const stored = report.flatMap(({ streams }) => streams).find(({ stream }) => stream === "messages")?.stored;
  if (stored !== mails) throw new Error(`${stored} of ${mails} mails were stored`);
  const figures: Figure[] = [
    { what: "mailbox, its size", unit: "MB", ours: megabytes },
    { what: "import of it", unit: "records/s", ours: mails / (mail.ms / 1000), limit: { atLeast: 600 } },
    { what: "import of it, processor time of a mail", unit: "us", ours: (mail.cpuMs * 1000) / mails },
    { what: "import of it, peak memory", unit: "MB", ours: mail.peakMb, limit: { atMost: mostMb } },
  ];
  for (const [format, size] of [
    ["apple-health", 4 * megabytes],
    ["google-timeline", 3 * megabytes],
  ] as const) {
    const read = await watchedProcess([reader, format, String(Math.round(size))], cleanEnvironment());
    figures.push(
      {
        what: `reading ${format}, ${Math.round(size)} MB`,
        unit: "MB/s",
        ours: size / (read.ms / 1000),
        limit: { atLeast: 20 },
      },
      { what: `reading ${format}, by processor time`, unit: "MB/s", ours: size / (read.cpuMs / 1000) },
      { what: `reading ${format}, peak memory`, unit: "MB", ours: read.peakMb, limit: { atMost: mostMb } },
    );
  }
  return figures;
}
