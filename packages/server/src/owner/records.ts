import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { OwnerApi } from "@pdpp/contract/owner";
import { ingest } from "../ingest/ingest.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { deleteRequestsBefore } from "../store/access/log/log-requests.ts";
import type { StreamScope } from "../store/access/scope.ts";
import { deleteUnusedBlobs, putBlob } from "../store/blobs/blobs.ts";
import type { CatalogStream } from "../store/catalog/catalog.ts";
import type { Connection } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import { forgetConnection } from "../store/imports/memory.ts";
import { reindexLateBlob } from "../store/records/late-blobs.ts";
import { pruneHistory } from "../store/records/prune-history.ts";
import { listRecords } from "../store/records/records.ts";
import { writeRecords } from "../store/records/write-records.ts";
import type { Store } from "../store/store.ts";
import type { OwnerContext } from "./owner-context.ts";
import {
  type ConnectionName,
  loadConnectionsAndCatalog,
  selectConnection,
  selectConnections,
} from "./select-connection.ts";

export const createRecordsApi = ({
  store,
  ownerNo,
  now,
  isLoggedByCaller: isNoted,
  connectionIds,
}: OwnerContext): OwnerApi["records"] => ({
  async ingest({ run_id, ...name }, lines, onStored) {
    if (name.connection_id === undefined && name.connector_id === undefined) {
      throw new PdppError("invalid_request", "connection_id is required: it says which source the records come from", {
        param: "connection_id",
      });
    }
    const { connection } = await resolvePlace(store, ownerNo, name, connectionIds);
    const options = { now, ...(onStored === undefined ? {} : { onStored }) };
    const report = await ingest(store, { ownerNo, connection, stream: name.stream }, lines, options);
    return run_id === undefined ? report : { ...report, run_id };
  },
  async delete({ record_id, ...name }) {
    const place = await resolvePlace(store, ownerNo, name, connectionIds);
    const deleted = await deleteRecords(store, place, record_id, now());
    const { id } = place.connection;
    if (record_id !== undefined && deleted === 0) {
      throw new PdppError("not_found", `stream ${name.stream} of connection ${id} has no record with that id`, {
        param: "record_id",
      });
    }
    const { stream } = name;
    const act = { ownerNo, at: now(), operation: "records.delete", connectionIds: [id], stream, records: deleted };
    if (!isNoted) await store.engine.write((on) => logOwnerAction(on, act));
    return {
      object: "deletion",
      connection_id: id,
      stream: name.stream,
      ...(record_id === undefined ? {} : { record_id }),
      records_deleted: deleted,
    };
  },
  async prune(before) {
    await store.log.flush();
    const versions = await pruneRecords(store, ownerNo, before, async (on, records) => {
      await deleteRequestsBefore(on, ownerNo, before);
      const act = { ownerNo, at: now(), operation: "records.prune", subject: formatInstant(before), records };
      await logOwnerAction(on, act);
    });
    return { object: "pruning", before: formatInstant(before), versions_pruned: versions };
  },
});

export const createBlobsApi = ({ store, ownerNo, now, connectionIds }: OwnerContext): OwnerApi["blobs"] => ({
  async put({ mime_type: type = "application/octet-stream", connection_id, connector_id, stream }, bytes) {
    if (connectionIds !== undefined && connection_id === undefined) {
      throw new PdppError(
        "permission_error",
        "this token is limited to some connections; choose one with connection_id",
        {
          param: "connection_id",
        },
      );
    }
    if (connection_id !== undefined || connector_id !== undefined || stream !== undefined) {
      const { held, catalog } = await loadConnectionsAndCatalog(store, ownerNo, connectionIds);
      selectConnections(held, catalog, { connection_id, connector_id, stream });
    }
    const { isNew, ...reference } = await putBlob(store.engine, store.blobs, ownerNo, limitBytes(bytes), type, now());
    if (isNew) await reindexLateBlob(store, ownerNo, reference.blob_id);
    return reference;
  },
});

const maxBlobBytes = 2 * 1024 ** 3;

async function* limitBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > maxBlobBytes) throw new PdppError("resource_limit", `a blob may have at most ${maxBlobBytes} bytes`);
    yield chunk;
  }
}

export interface RecordPlace {
  readonly ownerNo: number;
  readonly connection: Connection;
  readonly stream: CatalogStream;
}

async function resolvePlace(
  store: Store,
  ownerNo: number,
  name: ConnectionName & { readonly stream: string },
  only: readonly string[] | undefined,
): Promise<RecordPlace> {
  const { held, catalog } = await loadConnectionsAndCatalog(store, ownerNo, only);
  const connection = selectConnection(held, catalog, name);
  const stream = catalog.connectors.get(connection.connectorKey)?.streams.get(name.stream);
  if (stream === undefined)
    throw new Error(`stream ${name.stream} of ${connection.connectorKey} is not in the catalog`);
  return { ownerNo, connection, stream };
}

export async function pruneRecords(
  store: Store,
  ownerNo: number,
  before: number,
  onPruned: (on: WriteTransaction, versions: number) => Promise<void> = async () => undefined,
): Promise<number> {
  const versions = await store.engine.write(async (on) => {
    await lockOwner(on, ownerNo);
    const count = await pruneHistory(on, ownerNo, before);
    await onPruned(on, count);
    return count;
  });
  await deleteUnusedBlobs(store.engine, store.blobs, ownerNo, before);
  await store.sweep();
  return versions;
}

const deleteBatch = 500;

export async function deleteRecords(
  { engine }: Store,
  { ownerNo, connection, stream }: RecordPlace,
  key: string | undefined,
  now: number,
): Promise<number> {
  const { connectorKey } = connection;
  const scope: StreamScope = { ownerNo, connectorKey, stream, connections: [connection], fields: null };
  const target = { ownerNo, connectionNo: connection.no, stream };
  const createDeletion = (key: string) => ({ key, op: "delete" as const, data: {}, text: "{}", emittedAt: now });
  if (key !== undefined) {
    const [outcome] = await engine.write(async (on) => {
      await forgetConnection(on, ownerNo, connection.no);
      return writeRecords(on, target, [createDeletion(key)], now);
    });
    return outcome === "deleted" ? 1 : 0;
  }
  const whole = { conditions: [], sort: undefined, descending: false, limit: deleteBatch };
  for (let total = 0; ; ) {
    const deleted = await engine.write(async (on) => {
      await lockOwner(on, ownerNo);
      await forgetConnection(on, ownerNo, connection.no);
      const page = await listRecords(on, scope, whole);
      const all = page.map((record) => createDeletion(record.key));
      await writeRecords(on, target, all, now);
      return page.length;
    });
    total += deleted;
    if (deleted < deleteBatch) return total;
    await engine.yieldToWriters();
  }
}
