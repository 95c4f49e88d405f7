import { PdppError } from "@pdpp/contract/errors";
import type { Grant } from "@pdpp/contract/grant";
import { parseInstant } from "@pdpp/contract/instant";
import type { StreamScope } from "../store/access/scope.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import type { Connection } from "../store/catalog/connections.ts";

/** What a grant, or ownership, allows of the streams in the catalog. */

export function buildGrantedStreams(
  ownerNo: number,
  grant: Grant,
  catalog: Catalog,
  mine: readonly Connection[],
): StreamScope[] {
  const connector = catalog.connectors.get(grant.connector_key);
  if (connector === undefined) return [];
  return grant.streams.flatMap((granted): StreamScope[] => {
    const stream = connector.streams.get(granted.name);
    const connected = mine.filter(({ id }) => granted.connection_ids.includes(id));
    if (stream === undefined || connected.length === 0) return [];
    const { field, since, until } = granted.time_constraint ?? {};
    return [
      {
        ownerNo,
        grantId: grant.grant_id,
        connectorKey: grant.connector_key,
        stream,
        connections: connected,
        fields: new Set(granted.fields),
        ...(field === undefined
          ? {}
          : {
              time: {
                field,
                ...(since === undefined ? {} : { since: parseBound(since) }),
                ...(until === undefined ? {} : { until: parseBound(until) }),
              },
            }),
        ...(granted.resources === undefined ? {} : { resources: granted.resources }),
      },
    ];
  });
}

/** An invalid bound must not turn into an unlimited grant. */
function parseBound(text: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw new PdppError("grant_invalid", "the grant contains an invalid time; ask for a new one");
  return instant;
}

export function buildOwnerStreams(ownerNo: number, catalog: Catalog, mine: readonly Connection[]): StreamScope[] {
  return [...catalog.connectors].flatMap(([connectorKey, { streams }]) => {
    const connected = mine.filter((connection) => connection.connectorKey === connectorKey);
    if (connected.length === 0) return [];
    return [...streams.values()].map((stream) => ({
      ownerNo,
      connectorKey,
      stream,
      connections: connected,
      fields: null,
    }));
  });
}
