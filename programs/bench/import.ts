import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { measureProcess } from "@pdpp/test-support/processes/measure-process";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { appleHealthGenerator } from "../../tests/importers/generators/activity/apple-health.ts";
import { googleTimelineGenerator } from "../../tests/importers/generators/activity/google-timeline.ts";
import type { Generator } from "../../tests/importers/generators/generator.ts";
import { writeMailbox } from "./mail/mailbox.ts";
import type { Figure } from "./measure.ts";
import { measureRepeats } from "./repeat/repeat.ts";

const mostMb = 300;
const reader = fileURLToPath(new URL("../../tests/importers/runs/memory-process.ts", import.meta.url));

/**
 * Runs a mailbox through `pdpp import`, including the word index, and the two formats with the largest files through reading and
 * importing.
 */
export async function measureImports(workDir: string, mails: number): Promise<Figure[]> {
  const file = join(workDir, "all.mbox");
  const megabytes = (await writeMailbox(file, mails)) / 1_000_000;
  const mail = await runImport(workDir, "mail-files", file);
  if (mail.stored !== mails) throw new Error(`${mail.stored} of ${mails} mails stored`);
  const figures: Figure[] = [
    { what: "mailbox, its size", unit: "MB", ours: megabytes },
    { what: "import", unit: "records/s", ours: mail.stored / (mail.ms / 1000), limit: { atLeast: 600 } },
    { what: "import, CPU time per mail", unit: "us", ours: (mail.cpuMs * 1000) / mails },
    { what: "import, peak memory", unit: "MB", ours: mail.peakMb, limit: { atMost: mostMb } },
  ];
  for (const [generator, size] of [
    [appleHealthGenerator, Math.round(4 * megabytes)],
    [googleTimelineGenerator, Math.round(3 * megabytes)],
  ] as const) {
    const { key } = generator.importer;
    const read = await measureProcess([reader, key, String(size)], cleanEnvironment());
    const speed = size / (read.ms / 1000);
    figures.push(
      { what: `reading ${key}, ${size} MB`, unit: "MB/s", ours: speed, limit: { atLeast: 20 } },
      { what: `reading ${key}, per second of CPU time`, unit: "MB", ours: size / (read.cpuMs / 1000) },
      { what: `reading ${key}, peak memory`, unit: "MB", ours: read.peakMb, limit: { atMost: mostMb } },
      ...(await measureStoring(workDir, generator, Math.ceil(size / 40))),
    );
  }
  return [...figures, ...(await measureRepeats(workDir))];
}

/** Files of small records: most of the time goes into storing them, each in the indexes of all its fields. */
async function measureStoring(workDir: string, generator: Generator, megabytes: number): Promise<Figure[]> {
  const { key } = generator.importer;
  const made = generator.endless?.(createRandom(1), megabytes * 1_000_000);
  if (made === undefined) throw new Error(`${key} has no generator for large files`);
  const file = join(workDir, made.path);
  await pipeline(Readable.from(made.pieces()), createWriteStream(file));
  const { stored, ms, peakMb } = await runImport(workDir, key, file);
  return [
    { what: `import of ${key}, ${megabytes} MB`, unit: "records/s", ours: stored / (ms / 1000) },
    { what: `import of ${key}, peak memory`, unit: "MB", ours: peakMb, limit: { atMost: mostMb } },
  ];
}

/** Runs `pdpp import` on a file, into a new vault. */
async function runImport(workDir: string, name: string, file: string) {
  let printed = "";
  const args = [pdppFile, "import", file, "--yes", "--json", "--data-dir", join(workDir, `imported-${name}`)];
  const watched = await measureProcess(args, cleanEnvironment(), (chunk) => {
    printed += chunk.toString();
  });
  const { report } = JSON.parse(printed) as { report: { streams: { stored: number }[] }[] };
  const stored = report.flatMap(({ streams }) => streams).reduce((sum, stream) => sum + stream.stored, 0);
  return { ...watched, stored };
}
