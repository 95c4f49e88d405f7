import { crc32 } from "node:zlib";
import type { ImportTally } from "@pdpp/contract/imports";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { WireRecord } from "@pdpp/contract/wire";
import { formats } from "@pdpp/importers/formats";
import type { Answers, Importer } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import type { Entry, Tree } from "@pdpp/importers/tree";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { recallTree } from "#importing/memory/recall";
import { chooseConnection } from "#importing/plan/choose-connection";
import { type PlannedPart, planPart } from "#importing/plan/plan-part";
import { prepareConnection, storePart } from "#importing/store/store-part";
import type { Files } from "./generators/generator.ts";

export const answers: Answers = { time_zone: "Europe/Berlin", date_order: "dmy", me: "Ada", attachments: true };

/** Files as a tree, without a disk. */
export function createMemoryTree(files: Files, modifiedAt: number, chunk = 1000): Tree {
  const entries = Object.entries(files).map(([path, content]): Entry => {
    const bytes = Buffer.from(content);
    return {
      path,
      size: bytes.length,
      modifiedAt,
      source: path,
      async *bytes(from = 0) {
        for (let at = from; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
      },
    };
  });
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), unreadable: [], close: async () => undefined };
}

/** The same files as in an archive, which has a checksum for each. */
export async function addChecksums(tree: Tree): Promise<Tree> {
  const entries: Entry[] = [];
  for (const entry of tree.entries) {
    let crc = 0;
    for await (const chunk of entry.bytes()) crc = crc32(chunk, crc);
    entries.push({ ...entry, crc });
  }
  return { ...tree, entries };
}

export const openOwner = async ({ store }: TestVault, now: () => number): Promise<OwnerApi> =>
  createOwner({ store, ownerNo: await findOwner(store), now });

interface ImportTreeOptions {
  readonly importers?: readonly Importer[];
  readonly said?: Answers;
  readonly only?: readonly string[];
}

/** As the command does it, with every question answered and everything read, whether or not it was imported before. */
export const importTree = async (
  owner: OwnerApi,
  tree: Tree,
  options: ImportTreeOptions = {},
): Promise<ImportTally[]> => (await importRest(owner, tree, { ...options, again: true })).map(({ tally }) => tally);

/** Reads only what changed, unless `again`. */
export async function importRest(
  owner: OwnerApi,
  tree: Tree,
  {
    importers = formats,
    said = answers,
    only = [],
    again = false,
    lookedAt = Date.now(),
  }: ImportTreeOptions & { readonly again?: boolean; readonly lookedAt?: number } = {},
): Promise<{ readonly part: PlannedPart; readonly tally: ImportTally }[]> {
  const recollection = await recallTree(owner, tree, importers, lookedAt, again);
  const report: { part: PlannedPart; tally: ImportTally }[] = [];
  for (const { importer, claim } of (await detect(tree, importers, recollection.recallImporter)).claims) {
    const connection = chooseConnection(await owner.connections.list(), importer, {});
    const recalled = await recollection.recallClaim(importer, claim, connection, { answers: said, only });
    const planned = await planPart(owner, importer, claim, said, connection, undefined, recalled);
    const part = await prepareConnection(owner, planned);
    const { tally } = await storePart(owner, part, { answers: said, only, importId: "imp_test", recollection });
    report.push({ part, tally });
  }
  return report;
}

/** The same tree, and how many bytes were read from it. */
export function countReads(tree: Tree): { readonly tree: Tree; count(): number } {
  let bytes = 0;
  const entries = tree.entries.map((entry) => ({
    ...entry,
    async *bytes(from?: number) {
      for await (const chunk of entry.bytes(from)) {
        bytes += chunk.length;
        yield chunk;
      }
    },
  }));
  return { tree: { ...tree, entries }, count: () => bytes };
}

export async function listRecords(owner: OwnerApi): Promise<WireRecord[]> {
  const records: WireRecord[] = [];
  for await (const record of (await owner.reader()).export({})) records.push(record);
  return records;
}

/** The contents of a vault, independent of their order. */
export const indexContent = (records: readonly WireRecord[]): Record<string, unknown> =>
  Object.fromEntries(records.map(({ connection_id, stream, id, data }) => [`${connection_id}/${stream}:${id}`, data]));

export const sumReports = (tallies: readonly ImportTally[]) => {
  const streams = tallies.flatMap((tally) => Object.values(tally.streams));
  const sumField = (name: "stored" | "changed" | "unchanged" | "aside" | "skipped") =>
    streams.reduce((sum, each) => sum + each[name], 0);
  return {
    read: tallies.reduce((sum, { read }) => sum + read, 0),
    stored: sumField("stored"),
    changed: sumField("changed"),
    unchanged: sumField("unchanged"),
    aside: sumField("aside"),
    skipped: sumField("skipped"),
  };
};
