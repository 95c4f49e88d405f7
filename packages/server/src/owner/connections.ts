import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { ConnectionDetail, ConnectionSummary, OwnerApi } from "@pdpp/contract/owner";
import type { StreamList } from "@pdpp/contract/wire";
import { loadOwnerScope } from "../auth/authenticate.ts";
import { createId } from "../auth/tokens.ts";
import { createReader } from "../read/reader.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { countConnectionFiles } from "../store/blobs/blob-sizes.ts";
import { deleteUnusedBlobs } from "../store/blobs/blobs.ts";
import { clearConnectionStep, listUnclearedConnections } from "../store/catalog/clear-connection.ts";
import {
  type Connection,
  hideConnection,
  insertConnection,
  isIdTaken,
  listConnections,
  renameConnection,
} from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import { deleteSearchesOfSource } from "../store/catalog/saved-searches.ts";
import { deleteSources } from "../store/sources/sources.ts";
import type { Store } from "../store/store.ts";
import { unknownConnectorError } from "./connectors.ts";
import type { OwnerContext } from "./owner-context.ts";
import { loadConnectionsAndCatalog, selectConnection } from "./select-connection.ts";

export function createConnectionsApi({ store, ownerNo, now }: OwnerContext): OwnerApi["connections"] {
  const listStreams = async (one?: { connection_id: string }): Promise<StreamRow[]> =>
    (await createReader({ store, scope: await loadOwnerScope(store, ownerNo) }).streams(one ?? {})).data;
  const get = async (id: string): Promise<ConnectionDetail> => {
    const connection = await findConnection(store, ownerNo, id);
    return describeConnection(connection, await listStreams({ connection_id: id }));
  };
  return {
    async list() {
      const rows = await listStreams();
      const held = await store.engine.read((on) => listConnections(on, ownerNo));
      return held.map((connection) => describeConnection(connection, rows));
    },
    get,
    add: async ({ connector_key: connectorKey, connection_id: id, display_name: label }) => {
      const request = { connectorKey, ...(id === undefined ? {} : { id }), ...(label === undefined ? {} : { label }) };
      return summarizeConnection(await addConnection(store, ownerNo, request, now()));
    },
    async files(id) {
      const { no } = await findConnection(store, ownerNo, id);
      return store.engine.read((on) => countConnectionFiles(on, ownerNo, no));
    },
    async rename(id, name) {
      const label = name.trim();
      if (label === "" || label.length > maxLabelChars)
        throw new PdppError("invalid_argument", `a name must have 1 to ${maxLabelChars} characters`, {
          param: "display_name",
        });
      const connection = await findConnection(store, ownerNo, id);
      await store.engine.write(async (on) => {
        await renameConnection(on, ownerNo, connection, label.toWellFormed().replaceAll("\0", ""));
        await logOwnerAction(on, { ownerNo, at: now(), operation: "connection.rename", connectionIds: [id] });
      });
      return summarizeConnection(await findConnection(store, ownerNo, id));
    },
    async remove(id, onHidden) {
      const records = await removeConnection(store, ownerNo, id, now(), onHidden);
      return { object: "connection", connection_id: id, deleted: true, records_deleted: records };
    },
  };
}

const maxLabelChars = 200;

const summarizeConnection = ({ id, connectorKey, label, createdAt }: Connection): ConnectionSummary => ({
  object: "connection",
  connection_id: id,
  connector_key: connectorKey,
  ...(label === undefined ? {} : { display_name: label }),
  created_at: formatInstant(createdAt),
});

type StreamRow = StreamList["data"][number];

function describeConnection(connection: Connection, rows: readonly StreamRow[]): ConnectionDetail {
  const streams = rows
    .filter(({ connection_id }) => connection_id === connection.id)
    .map(({ name, record_count, last_updated }) => ({ name, record_count, last_updated }));
  const count = streams.reduce((sum, { record_count }) => sum + record_count, 0);
  return { ...summarizeConnection(connection), record_count: count, streams };
}

const connectionIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export async function addConnection(
  store: Store,
  ownerNo: number,
  request: { connectorKey: string; id?: string; label?: string },
  now: number,
): Promise<Connection> {
  const { connectorKey, id = createId("cin"), label } = request;
  if (!connectionIdPattern.test(id)) {
    throw new PdppError(
      "invalid_argument",
      `${JSON.stringify(id)} is not a valid connection id; use at most 128 letters, digits, ".", "_" and "-"`,
      { param: "id" },
    );
  }
  return store.engine.write(async (on) => {
    const catalog = await store.catalog(on);
    if (!catalog.connectors.has(connectorKey)) throw unknownConnectorError(catalog, connectorKey);
    if (await isIdTaken(on, ownerNo, id)) {
      const message = `connection id ${id} is in use, or belonged to a connection that was removed; choose another --id`;
      throw new PdppError("connection_exists", message, { param: "id" });
    }
    const named = label === undefined ? {} : { label };
    await insertConnection(on, ownerNo, { id, connectorKey, ...named, createdAt: now });
    await logOwnerAction(on, {
      ownerNo,
      at: now,
      operation: "connection.add",
      subject: connectorKey,
      connectionIds: [id],
    });
    return selectConnection(await listConnections(on, ownerNo), catalog, { connection_id: id });
  });
}

export async function findConnection(store: Store, ownerNo: number, id: string): Promise<Connection> {
  const { held, catalog } = await loadConnectionsAndCatalog(store, ownerNo);
  return selectConnection(held, catalog, { connection_id: id });
}

/** A blob may be stored before the record that refers to it. */
const unusedBlobGraceMs = 3_600_000;

/** Deletes a connection with its records, their history, and blobs that are no longer used. It is hidden from the first step on. */
export async function removeConnection(
  store: Store,
  ownerNo: number,
  id: string,
  now: number,
  onHidden: () => void = () => undefined,
): Promise<number> {
  const connection = await findConnection(store, ownerNo, id);
  // Requests that are not in the log yet could not be deleted from it.
  await store.log.flush();
  const records = await store.engine.write(async (on) => {
    await lockOwner(on, ownerNo);
    const count = await hideConnection(on, ownerNo, connection, now);
    await deleteSearchesOfSource(on, ownerNo, id);
    await deleteSources(on, ownerNo, connection.no);
    await logOwnerAction(on, { ownerNo, at: now, operation: "connection.remove", connectionIds: [id], records: count });
    return count;
  });
  onHidden();
  await clearRemovedConnections(store);
  await deleteUnusedBlobs(store.engine, store.blobs, ownerNo, now - unusedBlobGraceMs);
  await store.sweep();
  return records;
}

export async function clearRemovedConnections({ engine }: Store): Promise<boolean> {
  const all = await engine.read(listUnclearedConnections);
  for (const one of all)
    while (!(await engine.write((on) => clearConnectionStep(on, one)))) await engine.yieldToWriters();
  return all.length > 0;
}

export async function finishRemovals(store: Store, now: number): Promise<void> {
  const owners = new Set((await store.engine.read(listUnclearedConnections)).map(({ owner_no }) => owner_no));
  if (!(await clearRemovedConnections(store))) return;
  for (const ownerNo of owners) await deleteUnusedBlobs(store.engine, store.blobs, ownerNo, now - unusedBlobGraceMs);
  await store.sweep();
}
