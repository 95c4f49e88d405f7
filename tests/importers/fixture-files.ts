import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formats } from "@pdpp/importers/formats";
import type { Item, RecordItem, RejectedItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { openTree } from "@pdpp/importers/tree";
import type { Files } from "./generators/generator.ts";
import { answers, memoryTree } from "./support.ts";

/** Files that others made, where they are at hand. */
export const fixtures = fileURLToPath(new URL("../../../shared/fixtures", import.meta.url));
/** Empty where they are; else what a title says. */
export const fixturesMissing = existsSync(fixtures) ? "" : " (skipped: ../shared/fixtures is not here)";

export async function readFixture(path: string): Promise<{ format: string; items: Item[] }[]> {
  const tree = await openTree([join(fixtures, path)]);
  try {
    const found: { format: string; items: Item[] }[] = [];
    for (const { importer, claim } of (await detect(tree, formats)).claims) {
      const items: Item[] = [];
      for await (const item of importer.read(claim, answers)) items.push(item);
      found.push({ format: importer.key, items });
    }
    return found;
  } finally {
    await tree.close();
  }
}

/** Of one format, however many exports of it there are. */
export async function itemsOf(path: string, format: string): Promise<Item[]> {
  return (await readFixture(path)).flatMap((found) => (found.format === format ? found.items : []));
}

/** Of files that a test writes itself. */
export async function itemsIn(files: Files, format: string): Promise<Item[]> {
  const { claims } = await detect(memoryTree(files, 0), formats);
  const known = claims.filter(({ importer }) => importer.key === format);
  return (await Promise.all(known.map(({ importer, claim }) => Array.fromAsync(importer.read(claim, answers))))).flat();
}

export const recordsOf = (items: readonly Item[], stream: string): RecordItem["data"][] =>
  items.flatMap((item) => (item.kind === "record" && item.stream === stream ? [item.data] : []));

export const asideOf = (items: readonly Item[]): RejectedItem[] =>
  items.flatMap((item) => (item.kind === "rejected" ? [item] : []));
