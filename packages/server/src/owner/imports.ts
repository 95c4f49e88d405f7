import { PdppError } from "@pdpp/contract/errors";
import type { ImportDocument, ImportSummary, ImportsApi, RejectedItemDocument } from "@pdpp/contract/imports";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import { storeImportBatch } from "../ingest/import-batch.ts";
import { retryRejected } from "../ingest/retry-rejected.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import { toIndexText } from "../store/engine/index-text.ts";
import { listLatestImports, listPartSummaries, loadLatestAnswers, type PartSummary } from "../store/imports/history.ts";
import {
  countExisting,
  emptyTally,
  findUnfinishedPart,
  finishPart,
  insertPart,
  listParts,
  loadLinks,
  type StoredPart,
} from "../store/imports/imports.ts";
import { listRejected, listRejectedForRetry, type StoredRejection } from "../store/imports/rejected-items.ts";
import type { WriteTarget } from "../store/records/classify-writes.ts";
import { findConnection } from "./connections.ts";
import type { OwnerContext } from "./owner-context.ts";

export function createImportsApi({ store, ownerNo, now }: OwnerContext): ImportsApi {
  const { engine } = store;
  const findTarget = async (connectionId: string, name: string): Promise<WriteTarget | undefined> => {
    const connection = await findConnection(store, ownerNo, connectionId);
    const stream = (await store.catalog()).connectors.get(connection.connectorKey)?.streams.get(name);
    return stream === undefined ? undefined : { ownerNo, connectionNo: connection.no, stream };
  };
  const listDocuments = () =>
    engine.read(async (on) => describeImports(await listParts(on, ownerNo), await listConnections(on, ownerNo)));
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
        exportedAt: parseInstant(request.exported_at) ?? now(),
        startedAt: now(),
        finishedAt: null,
        mark: null,
        tally: emptyTally,
      };
      return engine.write(async (on) => {
        const begun = await findUnfinishedPart(on, ownerNo, wanted);
        if (begun !== undefined) {
          return { part_id: String(begun.partNo), import_id: begun.importId, mark: begun.mark, tally: begun.tally };
        }
        const partNo = await insertPart(on, ownerNo, wanted);
        return { part_id: String(partNo), import_id: wanted.importId, mark: null, tally: emptyTally };
      });
    },
    store: (batch) => storeImportBatch(store, ownerNo, Number(batch.part_id), batch, now()),
    async finish(partId) {
      await engine.write((on) => finishPart(on, ownerNo, Number(partId), now()));
    },
    async countExisting(connectionId, stream, keys) {
      const target = await findTarget(connectionId, stream);
      return target === undefined || keys.length === 0 ? 0 : engine.read((on) => countExisting(on, target, keys));
    },
    async findEarlierAnswers(connectionId, label) {
      const { no } = await findConnection(store, ownerNo, connectionId);
      return engine.read((on) => loadLatestAnswers(on, ownerNo, no, label));
    },
    list: listDocuments,
    async get(importId) {
      const found = (await listDocuments()).find(({ import_id }) => import_id === importId);
      if (found !== undefined) return found;
      throw new PdppError("not_found", `there is no import ${JSON.stringify(importId)}; list them with pdpp imports`);
    },
    listRejected: (importId) =>
      engine.read(async (on) =>
        describeRejected(await listRejected(on, ownerNo, importId), await listConnections(on, ownerNo)),
      ),
    loadHistory: (limit, before) =>
      engine.read(async (on) => {
        const from = before === undefined ? Number.MAX_SAFE_INTEGER : parsePlace(before)[0];
        const [shown, more] = cutPage(await listLatestImports(on, ownerNo, limit + 1, from), limit);
        const imports: ImportSummary[] = [];
        for (const { importId } of shown)
          imports.push(summarizeImport(importId, await listPartSummaries(on, ownerNo, importId)));
        const last = shown.at(-1);
        return { imports, next: more && last !== undefined ? String(last.firstPart) : null };
      }),
    loadRejectedPage: (importId, limit, after) =>
      engine.read(async (on) => {
        const [partNo, n] = after === undefined ? [-1, -1] : parsePlace(after);
        const [shown, more] = cutPage(await listRejected(on, ownerNo, importId, limit + 1, { partNo, n }), limit);
        const last = shown.at(-1);
        return {
          items: describeRejected(shown, await listConnections(on, ownerNo)),
          next: more && last !== undefined ? `${last.partNo}.${last.n}` : null,
        };
      }),
    async listRejectedForRetry(importId, after) {
      const from = after === undefined ? undefined : { partNo: Number(after.part_id), n: after.number };
      return engine.read(async (on) => {
        const held = await listConnections(on, ownerNo);
        const rows = await listRejectedForRetry(on, ownerNo, importId, from);
        return rows.map(({ connectionNo, partNo, n, part, ...item }) => ({
          part_id: String(partNo),
          number: n,
          connection_id: findConnectionId(held, connectionNo),
          format: part.format,
          answers: part.answers,
          exported_at: formatInstant(part.exportedAt),
          ...item,
        }));
      });
    },
    retryRejected: (mending) => retryRejected(store, ownerNo, mending, now()),
    async findOrigin(connectionId, stream, recordKey) {
      const target = await findTarget(connectionId, stream);
      if (target === undefined) throw new PdppError("not_found", `connection ${connectionId} has no stream ${stream}`);
      return engine.read(async (on) => {
        const link = (await loadLinks(on, target, [toIndexText(recordKey)])).get(toIndexText(recordKey));
        const all = await listParts(on, ownerNo);
        const findImport = (no: number | undefined): string | null =>
          all.find(({ partNo }) => partNo === no)?.importId ?? null;
        return {
          object: "record_origin",
          first_import: findImport(link?.firstPart),
          last_import: findImport(link?.lastPart),
        };
      });
    },
  };
}

const cutPage = <T>(found: readonly T[], limit: number): [T[], boolean] => [
  found.slice(0, limit),
  found.length > limit,
];

function parsePlace(text: string): [number, number] {
  const [, first, second = "0"] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  if (first === undefined) throw new PdppError("invalid_cursor", "this page does not exist; start at the first one");
  return [Number(first), Number(second)];
}

const describeRejected = (items: readonly StoredRejection[], held: readonly Connection[]): RejectedItemDocument[] =>
  items.map(({ connectionNo, kind, stream, path, offset, code, reason, raw }) => ({
    object: "aside",
    kind,
    connection_id: findConnectionId(held, connectionNo),
    stream,
    path,
    offset,
    code,
    reason,
    beginning: decodeBeginning(raw),
  }));

const maxShownLabels = 3;

function summarizeImport(importId: string, parts: readonly PartSummary[]): ImportSummary {
  const streams = parts.flatMap(({ tally }) => Object.values(tally.streams));
  const sum = (of: "stored" | "changed" | "unchanged" | "aside"): number =>
    streams.reduce((total, each) => total + each[of], 0);
  return {
    import_id: importId,
    started_at: formatInstant(Math.min(...parts.map(({ startedAt }) => startedAt))),
    finished_at: findFinish(parts),
    labels: parts.slice(0, maxShownLabels).map(({ label }) => label),
    parts: parts.length,
    stored: sum("stored"),
    changed: sum("changed"),
    unchanged: sum("unchanged"),
    aside: sum("aside"),
  };
}

function findFinish(parts: readonly Pick<StoredPart, "finishedAt">[]): string | null {
  const ends = parts.map(({ finishedAt }) => finishedAt).filter((end) => end !== null);
  return ends.length < parts.length ? null : formatInstant(Math.max(...ends));
}

const maxShownChars = 200;

/** The bytes may be anything; what is not text becomes replacement characters. */
const decodeBeginning = (raw: Uint8Array): string =>
  new TextDecoder()
    .decode(raw.subarray(0, maxShownChars * 4))
    .replaceAll("\0", "\ufffd")
    .slice(0, maxShownChars)
    .toWellFormed();

const findConnectionId = (held: readonly Connection[], no: number): string =>
  held.find((each) => each.no === no)?.id ?? "";

function describeImports(all: readonly StoredPart[], held: readonly Connection[]): ImportDocument[] {
  const imports = [...Map.groupBy(all, ({ importId }) => importId)].map(([importId, parts]): ImportDocument => {
    return {
      object: "import",
      import_id: importId,
      started_at: formatInstant(Math.min(...parts.map(({ startedAt }) => startedAt))),
      finished_at: findFinish(parts),
      parts: parts.map((part) => ({
        connection_id: findConnectionId(held, part.connectionNo),
        format: part.format,
        importer_version: part.importerVersion,
        label: part.label,
        fingerprint: part.fingerprint,
        sources: part.sources,
        answers: part.answers,
        exported_at: formatInstant(part.exportedAt),
        finished_at: part.finishedAt === null ? null : formatInstant(part.finishedAt),
        tally: part.tally,
      })),
    };
  });
  return imports.reverse();
}
