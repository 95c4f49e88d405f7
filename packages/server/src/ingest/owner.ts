import { PdppError } from "@pdpp/contract/errors";
import { newId } from "../auth/tokens.ts";
import type { StreamScope } from "../store/access/scope.ts";
import { dropUnusedBlobs } from "../store/blobs/blobs.ts";
import type { CatalogStream } from "../store/catalog/catalog.ts";
import {
  type Connection,
  connections,
  deleteConnection,
  insertConnection,
  isIdTaken,
} from "../store/catalog/connections.ts";
import { holdOwner } from "../store/catalog/hold-owner.ts";
import { listRecords } from "../store/records/records.ts";
import { pruneHistory, writeRecords } from "../store/records/write-records.ts";
import type { Store } from "../store/store.ts";

/** What the owner does with connections and records. */

const connectionIdForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export async function addConnection(
  store: Store,
  ownerNo: number,
  request: { connectorKey: string; id?: string; label?: string },
  now: number,
): Promise<Connection> {
  const id = request.id ?? newId("cin");
  if (!connectionIdForm.test(id)) {
    throw new PdppError(
      "invalid_argument",
      `a connection id has letters, digits, ".", "_" and "-" only, 128 at most: ${JSON.stringify(id)}`,
      {
        param: "id",
      },
    );
  }
  return store.engine.write(async (on) => {
    const { connectors } = await store.catalog(on);
    if (!connectors.has(request.connectorKey)) {
      const known = [...connectors.keys()].join(", ") || "none yet; add one with pdpp connector add";
      throw new PdppError(
        "not_found",
        `there is no connector ${JSON.stringify(request.connectorKey)}; registered: ${known}`,
        { param: "connector_key" },
      );
    }
    if (await isIdTaken(on, ownerNo, id)) {
      throw new PdppError(
        "connection_exists",
        `the connection id ${id} is taken, or was by a connection now removed; choose another --id`,
        {
          param: "id",
        },
      );
    }
    await insertConnection(on, ownerNo, {
      id,
      connectorKey: request.connectorKey,
      ...(request.label === undefined ? {} : { label: request.label }),
      createdAt: now,
    });
    return (await connections(on, ownerNo)).find((connection) => connection.id === id)!;
  });
}

export async function findConnection(store: Store, ownerNo: number, id: string): Promise<Connection> {
  const held = await store.engine.read((on) => connections(on, ownerNo));
  const found = held.find((connection) => connection.id === id);
  if (found === undefined) {
    const known = held.map((connection) => connection.id).join(", ") || "none yet; add one with pdpp connection add";
    throw new PdppError("connection_not_found", `there is no connection ${JSON.stringify(id)}; there are: ${known}`, {
      param: "connection_id",
    });
  }
  return found;
}

/** A blob may be stored a while before the record that refers to it. */
const awaitedMs = 3_600_000;

/** Deletes a connection with its records, their history, and the bytes nobody else refers to. */
export async function removeConnection(store: Store, ownerNo: number, id: string, now: number): Promise<void> {
  const connection = await findConnection(store, ownerNo, id);
  await store.engine.write(async (on) => {
    await holdOwner(on, ownerNo);
    await deleteConnection(on, store.engine.dialect, ownerNo, connection, now);
  });
  await dropUnusedBlobs(store.engine, store.blobs, ownerNo, now - awaitedMs);
}

/** Forgets what was replaced or deleted before a time, and the bytes that only that referred to. Answers how many versions. */
export async function prune(store: Store, ownerNo: number, before: number): Promise<number> {
  const versions = await store.engine.write(async (on) => {
    await holdOwner(on, ownerNo);
    return pruneHistory(on, ownerNo, before);
  });
  await dropUnusedBlobs(store.engine, store.blobs, ownerNo, before);
  return versions;
}

const deleteBatch = 500;

/** One stream of one connection. */
export interface RecordPlace {
  readonly ownerNo: number;
  readonly connection: Connection;
  readonly stream: CatalogStream;
}

/** Deletes the record with that key, or every record, of one connection's stream. Answers how many. */
export async function deleteRecords(
  { engine }: Store,
  { ownerNo, connection, stream }: RecordPlace,
  key: string | undefined,
  now: number,
): Promise<number> {
  const { connectorKey } = connection;
  const scope: StreamScope = { ownerNo, connectorKey, stream, connections: [connection], fields: null };
  const target = { ownerNo, connectionNo: connection.no, stream };
  const gone = (key: string) => ({ key, op: "delete" as const, data: {}, text: "{}", emittedAt: now });
  if (key !== undefined) {
    const [outcome] = await engine.write((on) => writeRecords(on, engine.dialect, target, [gone(key)], now));
    return outcome === "deleted" ? 1 : 0;
  }
  const whole = { conditions: [], sort: undefined, descending: false, limit: deleteBatch };
  for (let total = 0; ; ) {
    const deleted = await engine.write(async (on) => {
      await holdOwner(on, ownerNo);
      const page = await listRecords(on, engine.dialect, scope, whole);
      const all = page.map((record) => gone(record.key));
      await writeRecords(on, engine.dialect, target, all, now);
      return page.length;
    });
    total += deleted;
    if (deleted < deleteBatch) return total;
  }
}
