import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildArchives, exportedOn } from "./archives.ts";

/** Writes the demo household as the archives its apps would export. */

const folder = process.argv[2] ?? "demo-archives";
mkdirSync(folder, { recursive: true });
for (const [name, content] of await buildArchives()) {
  const path = join(folder, name);
  writeFileSync(path, content);
  // Importers fall back to the file's date when an archive has none.
  utimesSync(path, exportedOn, exportedOn);
  process.stdout.write(`${path}\n`);
}
process.stdout.write(
  `To import them into a new vault: npx pdpp import ${JSON.stringify(folder)} --time-zone Europe/Berlin --me "Ada Brambleby" --data-dir FOLDER\n`,
);
