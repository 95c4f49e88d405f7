import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry } from "@pdpp/importers/tree";
import { createRandom } from "@pdpp/test-support/vitest/random";
import type { Generator } from "../generators/generator.ts";

/** Reads an endless file of a format, made while it is read. Prints how many records it had. */

const [format = "", megabytes = "1"] = process.argv.slice(2);
const folder = new URL("../generators/", import.meta.url);
const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find(
  (path) => basename(path) === `${format.replace(/-files$/, "")}.ts`,
);
// Import only this format's generator: loading all of them would dominate the memory being measured.
const made: Record<string, Generator> = await import(new URL(file ?? "recipes.ts", folder).href);
const generator = Object.values(made).find(({ importer }) => importer.key === format);
if (generator === undefined) throw new Error(`no generator for ${format}`);
const { importer } = generator;
const size = Number(megabytes) * 1_000_000;

/** The opening of the file, then the same megabyte repeatedly. */
function createEndlessEntry(made: { readonly path: string; pieces(): Iterable<string> }): Entry {
  const [first = "", second = "", ...others] = [...made.pieces()];
  const opening = Buffer.from(first + second);
  const again = Buffer.from(others.filter((piece) => !/^([\]}]|<\/)/.test(piece)).join(""));
  return {
    path: made.path,
    size,
    modifiedAt: 0,
    source: made.path,
    async *bytes(from = 0) {
      // It has no end that could be looked at first.
      if (from > 0) return;
      yield opening;
      for (let written = 0; written < size; written += again.length) {
        for (let at = 0; at < again.length; at += 65_536) yield again.subarray(at, at + 65_536);
        await nextTurn();
      }
    },
  };
}

/** Files of any number, each made when it is read. */
function createManyEntries(crowd: NonNullable<Generator["crowd"]>): Entry[] {
  const entries: Entry[] = [];
  // The list of the files itself takes memory.
  for (let made = 0, n = 0; made < Math.min(size, 30_000_000); n += 1) {
    const createFileEntry = () => crowd(createRandom(n), n);
    const { path, content } = createFileEntry();
    const bytes = Buffer.byteLength(content);
    made += bytes;
    entries.push({
      path,
      size: bytes,
      modifiedAt: 0,
      source: path,
      async *bytes(from = 0) {
        await nextTurn();
        yield Buffer.from(createFileEntry().content).subarray(from);
      },
    });
  }
  return entries;
}

const entries =
  generator.endless === undefined
    ? createManyEntries(generator.crowd ?? (() => ({ path: "nothing", content: "" })))
    : [createEndlessEntry(generator.endless(createRandom(1), 1_000_000))];
const tree = { entries, unreadable: [], close: async () => undefined };
let records = 0;
const claims = [
  ...(await importer.createClaims(entries, tree)),
  ...((await importer.claimLeftovers?.(entries, tree)) ?? []),
];
for (const claim of claims) {
  const answers = { time_zone: "UTC", date_order: "dmy", me: "", attachments: true };
  for await (const item of importer.read(claim, answers)) if (item.kind === "record") records += 1;
}
process.stdout.write(JSON.stringify({ records }));
