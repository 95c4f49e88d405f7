import { PdppError } from "@pdpp/contract/errors";
import type { ImportDocument, ImportSummary, ImportsApi, RejectedItemDocument } from "@pdpp/contract/imports";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import { storeImportBatch } from "../ingest/import-batch.ts";
import { retryRejected } from "../ingest/retry-rejected.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import { toIndexText } from "../store/engine/index-text.ts";
import { listLatestImports, listPartSummaries, loadLatestAnswers, type PartSummary } from "../store/imports/history.ts";
import {
  countExisting,
  countOthers,
  emptyTally,
  findUnfinishedPart,
  finishPart,
  insertPart,
  listParts,
  loadLinks,
  loadPart,
  type StoredPart,
} from "../store/imports/imports.ts";
import { continueMemory, insertMemory, loadMemory, saveFiles } from "../store/imports/memory.ts";
import { recallExports } from "../store/imports/recall.ts";
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
      const wanted: Omit<StoredPart, "partNo" | "memoryNo"> = {
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
        await lockOwner(on, ownerNo);
        const { continues = null } = request.memory ?? {};
        const memory = continues === null ? undefined : await loadMemory(on, ownerNo, Number(continues));
        const memoryNo = memory?.isUsable === 1 && memory.connectionNo === connection.no ? memory.memoryNo : null;
        const begun = await findUnfinishedPart(on, ownerNo, { ...wanted, memoryNo });
        const partNo = begun?.partNo ?? (await insertPart(on, ownerNo, wanted));
        if (memoryNo !== null) await continueMemory(on, ownerNo, memoryNo, partNo, request.memory?.detection ?? "");
        else if (begun === undefined && request.memory !== undefined)
          await insertMemory(on, ownerNo, { ...wanted, partNo, memoryNo }, request.memory);
        const { importId, mark, tally } = begun ?? wanted;
        return { part_id: String(partNo), import_id: importId, mark, tally, is_continued: memoryNo !== null };
      });
    },
    store: (batch) => storeImportBatch(store, ownerNo, Number(batch.part_id), batch, now()),
    async finish(partId, files) {
      await engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        const part = await loadPart(on, ownerNo, Number(partId));
        if (part === undefined || part.finishedAt !== null) return;
        const at = now();
        await finishPart(on, ownerNo, part.partNo, at);
        const memory = part.memoryNo === null ? undefined : await loadMemory(on, ownerNo, part.memoryNo);
        // Something else may have changed its records since it began.
        if (files !== undefined && memory?.isUsable === 1)
          await saveFiles(on, ownerNo, memory, files.added, files.dropped);
        await logOwnerAction(on, {
          ownerNo,
          at,
          operation: "import",
          // Not the name of the file: it would outlive the source.
          subject: part.importId,
          connectionIds: [findConnectionId(await listConnections(on, ownerNo), part.connectionNo)],
          records: sumTally([part], "stored") + sumTally([part], "changed"),
        });
      });
    },
    recall: (names) => engine.read((on) => recallExports(on, ownerNo, names)),
    async countOthers(connectionId, stream, memoryIds) {
      const target = await findTarget(connectionId, stream);
      return target?.stream.isBuilt ? engine.read((on) => countOthers(on, target, memoryIds.map(Number))) : 0;
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
      const found = await engine
        .read(async (on) => describeImports(await listParts(on, ownerNo, importId), await listConnections(on, ownerNo)))
        .then(([first]) => first);
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
        const findImport = async (partNo: number | undefined): Promise<string | null> =>
          partNo === undefined ? null : ((await loadPart(on, ownerNo, partNo))?.importId ?? null);
        return {
          object: "record_origin",
          first_import: await findImport(link?.firstPart),
          last_import: await findImport(link?.lastPart),
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

function sumTally(
  parts: readonly Pick<StoredPart, "tally">[],
  count: "stored" | "changed" | "unchanged" | "aside",
): number {
  const streams = parts.flatMap(({ tally }) => Object.values(tally.streams));
  return streams.reduce((total, each) => total + each[count], 0);
}

function summarizeImport(importId: string, parts: readonly PartSummary[]): ImportSummary {
  return {
    import_id: importId,
    started_at: formatInstant(Math.min(...parts.map(({ startedAt }) => startedAt))),
    finished_at: findFinish(parts),
    labels: parts.slice(0, maxShownLabels).map(({ label }) => label),
    parts: parts.length,
    stored: sumTally(parts, "stored"),
    changed: sumTally(parts, "changed"),
    unchanged: sumTally(parts, "unchanged"),
    aside: sumTally(parts, "aside"),
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
