import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoArchives, exportedOn } from "./archives.ts";

/** Writes the demo household as the archives that it would have come from. */

const folder = process.argv[2] ?? "demo-archives";
mkdirSync(folder, { recursive: true });
for (const [name, content] of await demoArchives()) {
  const path = join(folder, name);
  writeFileSync(path, content);
  // Where an archive does not say when it was made, its file does.
  utimesSync(path, exportedOn, exportedOn);
  process.stdout.write(`${path}\n`);
}
process.stdout.write(
  `Bring them into a vault of their own: npx pdpp import ${JSON.stringify(folder)} --time-zone Europe/Berlin --me "Ada Brambleby" --data-dir FOLDER\n`,
);
