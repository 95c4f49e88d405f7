import { PdppError } from "@pdpp/contract/errors";
import { describeCandidates } from "../read/scope.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import type { Store } from "../store/store.ts";

/** How a request names a connection: by its id, its connector (key or URI), a stream it has, or several of these. */
export interface ConnectionName {
  readonly connection_id?: string | undefined;
  readonly connector_id?: string | undefined;
  readonly stream?: string | undefined;
}

/** The connections that match all parts of the name; at least one, or an error that says which part does not match. */
export function selectConnections(
  held: readonly Connection[],
  { connectors }: Catalog,
  { connection_id: id, connector_id: connector, stream }: ConnectionName,
): readonly Connection[] {
  const belongsToConnector = ({ connectorKey }: Connection): boolean =>
    connectorKey === connector || connectors.get(connectorKey)?.declaration.connectorId === connector;
  const byId = id === undefined ? held : held.filter((connection) => connection.id === id);
  if (byId.length === 0) throw connectionNotFoundError(id, held);
  const byConnector = connector === undefined ? byId : byId.filter(belongsToConnector);
  if (byConnector.length === 0) {
    const message =
      id === undefined
        ? `connector ${connector} has no connection; add one with pdpp connection add`
        : `connection ${id} is not a connection of connector ${connector}`;
    throw new PdppError("connection_not_found", message, { param: "connector_id" });
  }
  if (stream === undefined) return byConnector;
  const getStreams = ({ connectorKey }: Connection) => connectors.get(connectorKey)?.streams ?? new Map();
  const byStream = byConnector.filter((connection) => getStreams(connection).has(stream));
  if (byStream.length === 0) {
    const known = [...new Set(byConnector.flatMap((connection) => [...getStreams(connection).keys()]))].join(", ");
    const whose = [...new Set(byConnector.map(({ connectorKey }) => connectorKey))].join(", ");
    throw new PdppError("not_found", `${whose} has no stream ${JSON.stringify(stream)}; it has: ${known}`, {
      param: "stream",
    });
  }
  return byStream;
}

export function selectConnection(held: readonly Connection[], catalog: Catalog, name: ConnectionName): Connection {
  const [found, ...others] = selectConnections(held, catalog, name);
  if (found !== undefined && others.length === 0) return found;
  const candidates = [...(found === undefined ? [] : [found]), ...others].map(({ id, connectorKey, label }) => ({
    connector_key: connectorKey,
    connection_id: id,
    ...(label === undefined ? {} : { display_name: label }),
  }));
  throw new PdppError("ambiguous_connection", "several connections match; choose one with connection_id", {
    retry_with: "connection_id",
    ...describeCandidates(candidates),
  });
}

function connectionNotFoundError(id: string | undefined, held: readonly Connection[]): PdppError {
  const known = held.map((connection) => connection.id).join(", ") || "none; add one with pdpp connection add";
  return new PdppError(
    "connection_not_found",
    id === undefined
      ? "there is no connection yet; add one with pdpp connection add"
      : `there is no connection ${JSON.stringify(id)}; connections: ${known}`,
    { param: "connection_id" },
  );
}

/** The owner's connections, limited to those of a token, and the catalog, from one snapshot. */
export const loadConnectionsAndCatalog = (
  store: Store,
  ownerNo: number,
  only?: readonly string[],
): Promise<{ held: Connection[]; catalog: Catalog }> =>
  store.engine.read(async (on) => {
    const held = await listConnections(on, ownerNo);
    return { held: held.filter(({ id }) => only?.includes(id) ?? true), catalog: await store.catalog(on) };
  });
