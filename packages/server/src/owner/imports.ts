import { PdppError } from "@pdpp/contract/errors";
import type { AsideDocument, ImportDocument, ImportSummary, ImportsApi } from "@pdpp/contract/imports";
import { instantOf, isoOf } from "@pdpp/contract/instant";
import { storeImported } from "../ingest/import-batch.ts";
import { mendAside } from "../ingest/mend-aside.ts";
import { type Connection, connections } from "../store/catalog/connections.ts";
import { indexText } from "../store/engine/index-text.ts";
import { asideOf, keptAfter, type StoredAside } from "../store/imports/aside.ts";
import { latestAnswers, latestImports, type PartInShort, partsInShort } from "../store/imports/history.ts";
import {
  countHeld,
  finishPart,
  type ImportTarget,
  insertPart,
  linksOf,
  noTally,
  parts,
  type StoredPart,
  unfinishedPart,
} from "../store/imports/imports.ts";
import { findConnection } from "./connections.ts";
import type { OwnerParts } from "./owner.ts";

/** What the owner does with exports. */

export function importsOf({ store, ownerNo, now }: OwnerParts): ImportsApi {
  const { engine } = store;
  const targetOf = async (connectionId: string, name: string): Promise<ImportTarget | undefined> => {
    const connection = await findConnection(store, ownerNo, connectionId);
    const stream = (await store.catalog()).connectors.get(connection.connectorKey)?.streams.get(name);
    return stream === undefined ? undefined : { ownerNo, connectionNo: connection.no, stream };
  };
  const documents = () =>
    engine.read(async (on) => documentsOf(await parts(on, ownerNo), await connections(on, ownerNo)));
  return {
    async begin(request) {
      const connection = await findConnection(store, ownerNo, request.connection_id);
      const wanted: Omit<StoredPart, "partNo"> = {
        importId: request.import_id,
        connectionNo: connection.no,
        format: request.format,
        importerVersion: request.importer_version,
        label: request.label,
        fingerprint: request.fingerprint,
        sources: request.sources,
        answers: request.answers,
        exportedAt: instantOf(request.exported_at) ?? now(),
        startedAt: now(),
        finishedAt: null,
        mark: null,
        tally: noTally,
      };
      return engine.write(async (on) => {
        const begun = await unfinishedPart(on, ownerNo, wanted);
        if (begun !== undefined) {
          return { part_id: String(begun.partNo), import_id: begun.importId, mark: begun.mark, tally: begun.tally };
        }
        const partNo = await insertPart(on, ownerNo, wanted);
        return { part_id: String(partNo), import_id: wanted.importId, mark: null, tally: noTally };
      });
    },
    store: (batch) => storeImported(store, ownerNo, Number(batch.part_id), batch, now()),
    async finish(partId) {
      await engine.write((on) => finishPart(on, ownerNo, Number(partId), now()));
    },
    async held(connectionId, stream, keys) {
      const target = await targetOf(connectionId, stream);
      return target === undefined || keys.length === 0
        ? 0
        : engine.read((on) => countHeld(on, engine.dialect, target, keys));
    },
    async answers(connectionId, label) {
      const { no } = await findConnection(store, ownerNo, connectionId);
      return engine.read((on) => latestAnswers(on, ownerNo, no, label));
    },
    list: documents,
    async get(importId) {
      const found = (await documents()).find(({ import_id }) => import_id === importId);
      if (found !== undefined) return found;
      throw new PdppError("not_found", `there is no import ${JSON.stringify(importId)}; pdpp imports lists them`);
    },
    aside: (importId) =>
      engine.read(async (on) => asideDocuments(await asideOf(on, ownerNo, importId), await connections(on, ownerNo))),
    history: (limit, before) =>
      engine.read(async (on) => {
        const from = before === undefined ? Number.MAX_SAFE_INTEGER : placeIn(before)[0];
        const [shown, more] = pageOf(await latestImports(on, ownerNo, limit + 1, from), limit);
        const imports: ImportSummary[] = [];
        for (const { importId } of shown) imports.push(summaryOf(importId, await partsInShort(on, ownerNo, importId)));
        const last = shown.at(-1);
        return { imports, next: more && last !== undefined ? String(last.firstPart) : null };
      }),
    asidePage: (importId, limit, after) =>
      engine.read(async (on) => {
        const [partNo, n] = after === undefined ? [-1, -1] : placeIn(after);
        const [shown, more] = pageOf(await asideOf(on, ownerNo, importId, limit + 1, { partNo, n }), limit);
        const last = shown.at(-1);
        return {
          items: asideDocuments(shown, await connections(on, ownerNo)),
          next: more && last !== undefined ? `${last.partNo}.${last.n}` : null,
        };
      }),
    async kept(importId, after) {
      const from = after === undefined ? undefined : { partNo: Number(after.part_id), n: after.number };
      return engine.read(async (on) => {
        const held = await connections(on, ownerNo);
        const rows = await keptAfter(on, ownerNo, importId, from);
        return rows.map(({ connectionNo, partNo, n, part, ...item }) => ({
          part_id: String(partNo),
          number: n,
          connection_id: idOf(held, connectionNo),
          format: part.format,
          answers: part.answers,
          exported_at: isoOf(part.exportedAt),
          ...item,
        }));
      });
    },
    mend: (mending) => mendAside(store, ownerNo, mending, now()),
    async origin(connectionId, stream, recordKey) {
      const target = await targetOf(connectionId, stream);
      if (target === undefined) throw new PdppError("not_found", `connection ${connectionId} has no stream ${stream}`);
      return engine.read(async (on) => {
        const link = (await linksOf(on, engine.dialect, target, [indexText(recordKey)])).get(indexText(recordKey));
        const all = await parts(on, ownerNo);
        const importOf = (no: number | undefined): string | null =>
          all.find(({ partNo }) => partNo === no)?.importId ?? null;
        return {
          object: "record_origin",
          first_import: importOf(link?.firstPart),
          last_import: importOf(link?.lastPart),
        };
      });
    },
  };
}

const pageOf = <T>(found: readonly T[], limit: number): [T[], boolean] => [found.slice(0, limit), found.length > limit];

/** A place in a list, as we gave it out: one number, or two. */
function placeIn(text: string): [number, number] {
  const [, first, second = "0"] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  if (first === undefined) throw new PdppError("invalid_cursor", "there is no such page; begin at the first");
  return [Number(first), Number(second)];
}

const asideDocuments = (items: readonly StoredAside[], held: readonly Connection[]): AsideDocument[] =>
  items.map(({ connectionNo, kind, stream, path, offset, code, reason, raw }) => ({
    object: "aside",
    kind,
    connection_id: idOf(held, connectionNo),
    stream,
    path,
    offset,
    code,
    reason,
    beginning: beginningOf(raw),
  }));

const shownLabels = 3;

function summaryOf(importId: string, parts: readonly PartInShort[]): ImportSummary {
  const streams = parts.flatMap(({ tally }) => Object.values(tally.streams));
  const sum = (of: "stored" | "changed" | "unchanged" | "aside"): number =>
    streams.reduce((total, each) => total + each[of], 0);
  const ends = parts.map(({ finishedAt }) => finishedAt);
  return {
    import_id: importId,
    started_at: isoOf(Math.min(...parts.map(({ startedAt }) => startedAt))),
    finished_at: ends.some((end) => end === null) ? null : isoOf(Math.max(...ends.map((end) => end ?? 0))),
    labels: parts.slice(0, shownLabels).map(({ label }) => label),
    parts: parts.length,
    stored: sum("stored"),
    changed: sum("changed"),
    unchanged: sum("unchanged"),
    aside: sum("aside"),
  };
}

const shownChars = 200;

/** Bytes that nobody understood may be anything; what is no text is shown as such. */
const beginningOf = (raw: Uint8Array): string =>
  new TextDecoder()
    .decode(raw.subarray(0, shownChars * 4))
    .replaceAll("\0", "\ufffd")
    .slice(0, shownChars)
    .toWellFormed();

const idOf = (held: readonly Connection[], no: number): string => held.find((each) => each.no === no)?.id ?? "";

function documentsOf(all: readonly StoredPart[], held: readonly Connection[]): ImportDocument[] {
  const imports = [...Map.groupBy(all, ({ importId }) => importId)].map(([importId, parts]): ImportDocument => {
    const ends = parts.map(({ finishedAt }) => finishedAt);
    return {
      object: "import",
      import_id: importId,
      started_at: isoOf(Math.min(...parts.map(({ startedAt }) => startedAt))),
      finished_at: ends.some((end) => end === null) ? null : isoOf(Math.max(...ends.map((end) => end ?? 0))),
      parts: parts.map((part) => ({
        connection_id: idOf(held, part.connectionNo),
        format: part.format,
        importer_version: part.importerVersion,
        label: part.label,
        fingerprint: part.fingerprint,
        sources: part.sources,
        answers: part.answers,
        exported_at: isoOf(part.exportedAt),
        finished_at: part.finishedAt === null ? null : isoOf(part.finishedAt),
        tally: part.tally,
      })),
    };
  });
  return imports.reverse();
}
