import { PdppError } from "@pdpp/contract/errors";
import { instantOf } from "@pdpp/contract/instant";
import { grantsOf, type StoredGrant, type StoredToken, tokenByHash } from "../store/access/grants.ts";
import type { Bearer, Scope, StreamScope } from "../store/access/scope.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { type Connection, connections } from "../store/catalog/connections.ts";
import type { Reading } from "../store/engine/engine.ts";
import type { Store } from "../store/store.ts";
import { looksLikeToken, tokenHash } from "./tokens.ts";

/** A token becomes a scope, anew for every request: a revoked or expired grant is gone with the next one. */
export async function authenticate(store: Store, token: string, now: number): Promise<Scope> {
  if (!looksLikeToken(token)) throw unknownToken();
  return store.engine.read(async (on) => {
    const held = await tokenByHash(on, tokenHash(token));
    if (held === undefined) throw unknownToken();
    const catalog = await store.catalog(on);
    const mine = await connections(on, held.ownerNo);
    if (held.kind === "owner") {
      if (isOver(held, now)) throw unknownToken();
      return { ...bearerOf(held), streams: ownerStreams(held.ownerNo, catalog, mine) };
    }
    return clientScope(on, held, catalog, mine, now);
  });
}

const unknownToken = (): PdppError =>
  new PdppError("authentication_error", "the bearer token is unknown; ask the owner for a grant and send its token");

const isOver = (
  { revokedAt, expiresAt }: { revokedAt: number | null; expiresAt: number | null },
  now: number,
): boolean => revokedAt !== null || (expiresAt !== null && expiresAt <= now);

async function clientScope(
  on: Reading,
  token: StoredToken,
  catalog: Catalog,
  mine: readonly Connection[],
  now: number,
): Promise<Scope> {
  if (token.revokedAt !== null) {
    throw token.kind === "mcp_package"
      ? new PdppError("package_revoked", "the owner revoked this package of grants; ask for a new one")
      : new PdppError("grant_revoked", "the owner revoked this grant; ask for a new one");
  }
  if (token.expiresAt !== null && token.expiresAt <= now)
    throw new PdppError("grant_expired", "the grant has expired; ask for a new one");
  const held = await grantsOf(on, token);
  const live = held.filter((grant) => !isOver(grant, now));
  if (live.length === 0) throw deadGrants(held);
  return {
    ...bearerOf(token),
    grantIds: live.map(({ grant }) => grant.grant_id),
    streams: live.flatMap((grant) => grantedStreams(token.ownerNo, grant, catalog, mine)),
    undeclared: live.flatMap(({ grant }) =>
      grant.streams
        .filter(({ name }) => !catalog.connectors.get(grant.connector_key)?.streams.has(name))
        .map(({ name }) => name),
    ),
  };
}

function deadGrants(held: readonly StoredGrant[]): PdppError {
  if (held.some(({ revokedAt }) => revokedAt !== null))
    return new PdppError("grant_revoked", "the owner revoked this grant; ask for a new one");
  if (held.length > 0) return new PdppError("grant_expired", "the grant has expired; ask for a new one");
  return new PdppError("grant_invalid", "the token has no grant; ask for a new one");
}

function bearerOf(token: StoredToken): Bearer {
  return {
    ownerNo: token.ownerNo,
    tokenKind: token.kind,
    client: token.clientName,
    ...(token.packageId === null ? {} : { packageId: token.packageId }),
    grantIds: token.grantId === null ? [] : [token.grantId],
    undeclared: [],
  };
}

function grantedStreams(
  ownerNo: number,
  { grant }: StoredGrant,
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
                ...(since === undefined ? {} : { since: boundOf(since) }),
                ...(until === undefined ? {} : { until: boundOf(until) }),
              },
            }),
        ...(granted.resources === undefined ? {} : { resources: granted.resources }),
      },
    ];
  });
}

/** A bound was checked when the grant was issued; one that is no time now must not become no bound. */
function boundOf(text: string): number {
  const instant = instantOf(text);
  if (instant === null)
    throw new PdppError("grant_invalid", "the grant has a time that cannot be read; ask for a new one");
  return instant;
}

/** Everything the owner has, as of now, for whoever has opened the vault. */
export async function ownerScope(store: Store, ownerNo: number): Promise<Scope> {
  const streams = await store.engine.read(async (on) =>
    ownerStreams(ownerNo, await store.catalog(on), await connections(on, ownerNo)),
  );
  return { ownerNo, tokenKind: "owner", client: "owner", grantIds: [], undeclared: [], streams };
}

/** The owner reads everything there is. */
export function ownerStreams(ownerNo: number, catalog: Catalog, mine: readonly Connection[]): StreamScope[] {
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
