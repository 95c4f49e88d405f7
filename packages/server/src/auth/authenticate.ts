import { PdppError } from "@pdpp/contract/errors";
import type { Grant } from "@pdpp/contract/grant";
import { parseInstant } from "@pdpp/contract/instant";
import {
  findTokenByHash,
  listGrantsOfToken,
  markExpired,
  type StoredGrant,
  type StoredToken,
} from "../store/access/grants.ts";
import { getMachineTimeZone, loadOwnerTimeZone } from "../store/access/owners.ts";
import type { Bearer, Scope, StreamScope } from "../store/access/scope.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import type { ReadTransaction } from "../store/engine/engine.ts";
import { parseJsonObject } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";
import { looksLikeToken, tokenHash } from "./tokens.ts";

/** A token becomes a scope, anew for every request: a revoked or expired grant is gone with the next one. */
export async function authenticate(store: Store, token: string, now: number): Promise<Scope> {
  if (!looksLikeToken(token)) throw unknownToken();
  return seeingEnds(store, now, (sees) =>
    store.engine.read(async (on) => {
      const held = await findTokenByHash(on, tokenHash(token));
      if (held === undefined) throw unknownToken();
      const catalog = await store.catalog(on);
      const mine = await listConnections(on, held.ownerNo);
      if (held.kind === "owner") {
        if (isOver(held, now, () => sees(held))) throw unknownToken();
        const { connectionIds } = held;
        const open = connectionIds === null ? mine : mine.filter(({ id }) => connectionIds.includes(id));
        const timeZone = await timeZoneOf(on, held.ownerNo);
        return { ...bearerOf(held), timeZone, streams: ownerStreams(held.ownerNo, catalog, open) };
      }
      return clientScope(on, held, catalog, mine, now, sees);
    }),
  );
}

/** What the work sees to have expired is kept, so that a clock that goes back does not bring it back. */
async function seeingEnds<T>(
  store: Store,
  now: number,
  work: (sees: (token: StoredToken) => void) => Promise<T>,
): Promise<T> {
  const seen = new Set<StoredToken>();
  try {
    return await work((token) => seen.add(token));
  } finally {
    // A vault that takes nothing has refused all the same.
    for (const token of seen) await store.engine.write((on) => markExpired(on, token, now)).catch(() => undefined);
  }
}

/**
 * Throws when the token no longer stands for what an answer under way was begun with: it is over, or one of its grants is. Asked
 * again and again, so it compiles nothing.
 */
export async function checkStillHeld(store: Store, token: string, begun: Bearer, now: number): Promise<void> {
  await seeingEnds(store, now, (sees) =>
    store.engine.read(async (on) => {
      const held = await findTokenByHash(on, tokenHash(token));
      if (held === undefined) throw unknownToken();
      if (held.kind === "owner") {
        if (isOver(held, now, () => sees(held))) throw unknownToken();
        return;
      }
      const live = new Set((await liveGrants(on, held, now, sees)).map(({ grant }) => grant.grant_id));
      if (!begun.grantIds.every((id) => live.has(id)))
        throw new PdppError(
          "grant_revoked",
          "a grant of this package was revoked or has expired; start over with the remaining grants",
        );
    }),
  );
}

/** Whose token was refused, for the log. */
export async function bearerOfRefused(
  store: Store,
  token: string,
): Promise<{ ownerNo: number; client: string; grantIds: readonly string[]; subject?: string }> {
  const nobody = { ownerNo: 0, client: "-", grantIds: [] };
  if (!looksLikeToken(token)) return nobody;
  return store.engine.read(async (on) => {
    const held = await findTokenByHash(on, tokenHash(token));
    if (held === undefined) return nobody;
    const grantIds = (await listGrantsOfToken(on, held)).map(({ grant }) => grant.grant_id);
    return { ownerNo: held.ownerNo, client: held.clientName, grantIds, subject: held.tokenId };
  });
}

const unknownToken = (): PdppError =>
  new PdppError("authentication_error", "the bearer token is unknown; ask the owner for a grant and send its token");

interface Ending {
  readonly revokedAt: number | null;
  readonly expiresAt: number | null;
  readonly expiredAt: number | null;
}

/** `sees` is told of what has expired and was not seen so before. */
function hasExpired({ expiresAt, expiredAt }: Ending, now: number, sees: () => void): boolean {
  if (expiredAt !== null) return true;
  if (expiresAt === null || expiresAt > now) return false;
  sees();
  return true;
}

const isOver = (held: Ending, now: number, sees: () => void): boolean =>
  hasExpired(held, now, sees) || held.revokedAt !== null;

/** The grants of a client's token that hold now; at least one, or an error that says why there is none. */
async function liveGrants(
  on: ReadTransaction,
  token: StoredToken,
  now: number,
  sees: (token: StoredToken) => void,
): Promise<StoredGrant[]> {
  if (token.oauth !== undefined) return grantsByConsent(on, token, now, () => sees(token));
  if (token.revokedAt !== null) {
    throw token.kind === "mcp_package"
      ? new PdppError("package_revoked", "the owner revoked this package of grants; ask for a new one")
      : new PdppError("grant_revoked", "the owner revoked this grant; ask for a new one");
  }
  if (hasExpired(token, now, () => sees(token)))
    throw new PdppError("grant_expired", "the grant has expired; ask for a new one");
  const held = await listGrantsOfToken(on, token);
  const live = held.filter((grant) => !isOver(grant, now, () => sees(token)));
  if (live.length === 0) throw deadGrants(held);
  return live;
}

/** Its tokens come and go: one that has ended says so, and its client gets another. Only the end of the grants is final. */
async function grantsByConsent(
  on: ReadTransaction,
  token: StoredToken,
  now: number,
  sees: () => void,
): Promise<StoredGrant[]> {
  const held = await listGrantsOfToken(on, token);
  const live = held.filter((grant) => !isOver(grant, now, sees));
  if (live.length === 0) throw deadGrants(held);
  if (isOver(token, now, sees))
    throw new PdppError("authentication_error", "the access token has expired; refresh it or sign in again");
  return live;
}

async function clientScope(
  on: ReadTransaction,
  token: StoredToken,
  catalog: Catalog,
  mine: readonly Connection[],
  now: number,
  sees: (token: StoredToken) => void,
): Promise<Scope> {
  const live = await liveGrants(on, token, now, sees);
  return {
    ...bearerOf(token),
    timeZone: await timeZoneOf(on, token.ownerNo),
    grantIds: live.map(({ grant }) => grant.grant_id),
    streams: live.flatMap(({ grant }) => grantedStreams(token.ownerNo, grant, catalog, mine)),
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

/** The zone that the owner chose, else that of the server's machine. */
const timeZoneOf = async (on: ReadTransaction, ownerNo: number): Promise<string> =>
  (await loadOwnerTimeZone(on, ownerNo)) ?? getMachineTimeZone();

function bearerOf(token: StoredToken): Bearer {
  return {
    ownerNo: token.ownerNo,
    tokenKind: token.kind,
    client: token.clientName,
    ...(token.packageId === null ? {} : { packageId: token.packageId }),
    ...(token.oauth === undefined ? {} : { audience: audienceOf(token.oauth) }),
    grantIds: token.grantId === null ? [] : [token.grantId],
    ...(token.may === null ? {} : { may: token.may }),
    ...(token.connectionIds === null ? {} : { connectionIds: token.connectionIds }),
    undeclared: [],
  };
}

/** A token without one is for nobody; nor is one that is bound to a key, because nobody here asks for the key. */
function audienceOf(oauth: string): string {
  const { aud, ...body } = parseJsonObject(oauth);
  const isBound = body.jkt !== undefined || body["x5t#S256"] !== undefined;
  return typeof aud === "string" && !isBound ? aud : "";
}

function grantedStreams(ownerNo: number, grant: Grant, catalog: Catalog, mine: readonly Connection[]): StreamScope[] {
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

/** What a client with these grants would see, before it has them. */
export async function proposedScope(
  store: Store,
  on: ReadTransaction,
  ownerNo: number,
  grants: readonly Grant[],
): Promise<Scope> {
  const catalog = await store.catalog(on);
  const mine = await listConnections(on, ownerNo);
  return {
    ownerNo,
    tokenKind: "mcp_package",
    client: grants[0]?.client.name ?? "",
    grantIds: grants.map(({ grant_id }) => grant_id),
    undeclared: [],
    timeZone: await timeZoneOf(on, ownerNo),
    streams: grants.flatMap((grant) => grantedStreams(ownerNo, grant, catalog, mine)),
  };
}

/** A bound was checked when the grant was issued; one that is no time now must not become no bound. */
function boundOf(text: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw new PdppError("grant_invalid", "the grant contains an invalid time; ask for a new one");
  return instant;
}

/** Everything the owner has, as of now, for whoever has opened the vault. */
export async function ownerScope(store: Store, ownerNo: number): Promise<Scope> {
  const { timeZone, streams } = await store.engine.read(async (on) => ({
    timeZone: await timeZoneOf(on, ownerNo),
    streams: ownerStreams(ownerNo, await store.catalog(on), await listConnections(on, ownerNo)),
  }));
  return { ownerNo, tokenKind: "owner", client: "owner", grantIds: [], undeclared: [], timeZone, streams };
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
