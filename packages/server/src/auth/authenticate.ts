import { PdppError } from "@pdpp/contract/errors";
import type { Grant } from "@pdpp/contract/grant";
import { type Access, loadAccess } from "../store/access/access-rows.ts";
import {
  findTokenByHash,
  listGrantsOfToken,
  markExpired,
  type StoredGrant,
  type StoredToken,
} from "../store/access/grants.ts";
import { getMachineTimeZone, loadOwnerTimeZone } from "../store/access/owners.ts";
import type { Bearer, Scope } from "../store/access/scope.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { listConnections } from "../store/catalog/connections.ts";
import type { ReadTransaction } from "../store/engine/engine.ts";
import { parseJsonObject } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";
import { buildGrantedStreams, buildOwnerStreams } from "./granted-streams.ts";
import { hashToken, hasTokenForm } from "./tokens.ts";

/**
 * Turns a token into a scope. A scope from an earlier request is used only if nothing that decides about it has changed since, so a
 * revocation applies from the next request on.
 */
export async function authenticate(store: Store, token: string, now: number): Promise<Scope> {
  if (!hasTokenForm(token)) throw createUnknownTokenError();
  const hash = hashToken(token);
  const kept = store.keptScopes.find(hash, now);
  if (kept !== undefined) return kept;
  const access = await loadCurrentAccess(store, hash);
  const scope = await compileScope(store, access, now);
  const { revision } = access;
  if (revision !== undefined)
    store.keptScopes.keep(hash, { scope, revision, expiresAt: findFirstExpiry(access, scope) });
  return scope;
}

const findFirstExpiry = ({ token, grants }: Access, { grantIds }: Scope): number =>
  Math.min(
    ...[token, ...grants.filter(({ grant }) => grantIds.includes(grant.grant_id))].map(
      ({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY,
    ),
  );

function compileScope(store: Store, access: CurrentAccess, now: number): Promise<Scope> {
  return recordExpirations(store, now, async (onExpired) => {
    const { token: held, connections: mine, catalog, viewpoint } = access;
    if (held.kind !== "owner") return buildClientScope(access, now, onExpired);
    if (isInactive(held, now, () => onExpired(held))) throw createUnknownTokenError();
    const { connectionIds } = held;
    const open = connectionIds === null ? mine : mine.filter(({ id }) => connectionIds.includes(id));
    const streams = buildOwnerStreams(held.ownerNo, catalog, open);
    return { ...toBearer(held), timeZone: access.timeZone ?? getMachineTimeZone(), viewpoint, streams };
  });
}

/** The access of a token, with the catalog of the same moment. */
interface CurrentAccess extends Access {
  readonly catalog: Catalog;
}

async function loadCurrentAccess(store: Store, hash: string): Promise<CurrentAccess> {
  const access = await loadAccess({ all: store.engine.select }, store.tokenOwners, hash);
  if (access === undefined) throw createUnknownTokenError();
  const catalog = store.findCatalog(access.viewpoint.catalogRevision);
  if (catalog !== undefined) return { ...access, catalog };
  return store.engine.read(async (on) => {
    const current = await loadAccess(on, store.tokenOwners, hash);
    if (current === undefined) throw createUnknownTokenError();
    return { ...current, catalog: await store.catalog(on) };
  });
}

/** Records every expiry that the work observes, so that setting the clock back cannot revive a token. */
async function recordExpirations<T>(
  store: Store,
  now: number,
  work: (onExpired: (token: StoredToken) => void) => Promise<T>,
): Promise<T> {
  const seen = new Set<StoredToken>();
  try {
    return await work((token) => seen.add(token));
  } finally {
    // The caller is refused even if the vault cannot be written.
    for (const token of seen) await store.engine.write((on) => markExpired(on, token, now)).catch(() => undefined);
  }
}

/**
 * Throws when the token or one of the grants an answer started with no longer holds. It is called often, so it compiles
 * no scope.
 */
export async function checkStillValid(store: Store, token: string, begun: Bearer, now: number): Promise<void> {
  await recordExpirations(store, now, async (onExpired) => {
    const access = await loadAccess({ all: store.engine.select }, store.tokenOwners, hashToken(token));
    if (access === undefined) throw createUnknownTokenError();
    const { token: held, grants } = access;
    if (held.kind === "owner") {
      if (isInactive(held, now, () => onExpired(held))) throw createUnknownTokenError();
      return;
    }
    const live = new Set(listLiveGrants(held, grants, now, onExpired).map(({ grant }) => grant.grant_id));
    if (!begun.grantIds.every((id) => live.has(id)))
      throw new PdppError(
        "grant_revoked",
        "a grant of this package was revoked or has expired; start over with the remaining grants",
      );
  });
}

export async function findRefusedBearer(
  store: Store,
  token: string,
): Promise<{ ownerNo: number; client: string; grantIds: readonly string[]; subject?: string }> {
  const nobody = { ownerNo: 0, client: "-", grantIds: [] };
  if (!hasTokenForm(token)) return nobody;
  return store.engine.read(async (on) => {
    const held = await findTokenByHash(on, hashToken(token));
    if (held === undefined) return nobody;
    const grantIds = (await listGrantsOfToken(on, held)).map(({ grant }) => grant.grant_id);
    return { ownerNo: held.ownerNo, client: held.clientName, grantIds, subject: held.tokenId };
  });
}

const createUnknownTokenError = (): PdppError =>
  new PdppError("authentication_error", "the bearer token is unknown; ask the owner for a grant and send its token");

interface Outcome {
  readonly revokedAt: number | null;
  readonly expiresAt: number | null;
  readonly expiredAt: number | null;
}

/** Calls `onExpired` when the expiry has not been recorded yet. */
function hasExpired({ expiresAt, expiredAt }: Outcome, now: number, onExpired: () => void): boolean {
  if (expiredAt !== null) return true;
  if (expiresAt === null || expiresAt > now) return false;
  onExpired();
  return true;
}

const isInactive = (held: Outcome, now: number, onExpired: () => void): boolean =>
  hasExpired(held, now, onExpired) || held.revokedAt !== null;

function listLiveGrants(
  token: StoredToken,
  held: readonly StoredGrant[],
  now: number,
  onExpired: (token: StoredToken) => void,
): StoredGrant[] {
  if (token.oauth !== undefined) return listConsentedGrants(token, held, now, () => onExpired(token));
  if (token.revokedAt !== null) {
    throw token.kind === "mcp_package"
      ? new PdppError("package_revoked", "the owner revoked this package of grants; ask for a new one")
      : new PdppError("grant_revoked", "the owner revoked this grant; ask for a new one");
  }
  if (hasExpired(token, now, () => onExpired(token)))
    throw new PdppError("grant_expired", "the grant has expired; ask for a new one");
  const live = held.filter((grant) => !isInactive(grant, now, () => onExpired(token)));
  if (live.length === 0) throw explainDeadGrants(held);
  return live;
}

/** An OAuth client can replace an expired access token, so only the end of its grants is final. */
function listConsentedGrants(
  token: StoredToken,
  held: readonly StoredGrant[],
  now: number,
  onExpired: () => void,
): StoredGrant[] {
  const live = held.filter((grant) => !isInactive(grant, now, onExpired));
  if (live.length === 0) throw explainDeadGrants(held);
  if (isInactive(token, now, onExpired))
    throw new PdppError("authentication_error", "the access token has expired; refresh it or sign in again");
  return live;
}

function buildClientScope(
  { token, grants, catalog, connections: mine, timeZone, viewpoint }: CurrentAccess,
  now: number,
  onExpired: (token: StoredToken) => void,
): Scope {
  const live = listLiveGrants(token, grants, now, onExpired);
  return {
    ...toBearer(token),
    timeZone: timeZone ?? getMachineTimeZone(),
    viewpoint,
    grantIds: live.map(({ grant }) => grant.grant_id),
    streams: live.flatMap(({ grant }) => buildGrantedStreams(token.ownerNo, grant, catalog, mine)),
    undeclared: live.flatMap(({ grant }) =>
      grant.streams
        .filter(({ name }) => !catalog.connectors.get(grant.connector_key)?.streams.has(name))
        .map(({ name }) => name),
    ),
  };
}

function explainDeadGrants(held: readonly StoredGrant[]): PdppError {
  if (held.some(({ revokedAt }) => revokedAt !== null))
    return new PdppError("grant_revoked", "the owner revoked this grant; ask for a new one");
  if (held.length > 0) return new PdppError("grant_expired", "the grant has expired; ask for a new one");
  return new PdppError("grant_invalid", "the token has no grant; ask for a new one");
}

const loadTimeZone = async (on: ReadTransaction, ownerNo: number): Promise<string> =>
  (await loadOwnerTimeZone(on, ownerNo)) ?? getMachineTimeZone();

function toBearer(token: StoredToken): Bearer {
  return {
    ownerNo: token.ownerNo,
    tokenKind: token.kind,
    client: token.clientName,
    ...(token.packageId === null ? {} : { packageId: token.packageId }),
    ...(token.oauth === undefined ? {} : { audience: parseAudience(token.oauth) }),
    grantIds: token.grantId === null ? [] : [token.grantId],
    ...(token.may === null ? {} : { may: token.may }),
    ...(token.connectionIds === null ? {} : { connectionIds: token.connectionIds }),
    undeclared: [],
  };
}

/**
 * A token without an audience is accepted nowhere. Neither is a key-bound token, because this server does not verify
 * the key.
 */
function parseAudience(oauth: string): string {
  const { aud, ...body } = parseJsonObject(oauth);
  const isBound = body.jkt !== undefined || body["x5t#S256"] !== undefined;
  return typeof aud === "string" && !isBound ? aud : "";
}

export async function buildProposedScope(
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
    timeZone: await loadTimeZone(on, ownerNo),
    streams: grants.flatMap((grant) => buildGrantedStreams(ownerNo, grant, catalog, mine)),
  };
}

export async function loadOwnerScope(store: Store, ownerNo: number): Promise<Scope> {
  const { timeZone, streams } = await store.engine.read(async (on) => ({
    timeZone: await loadTimeZone(on, ownerNo),
    streams: buildOwnerStreams(ownerNo, await store.catalog(on), await listConnections(on, ownerNo)),
  }));
  return { ownerNo, tokenKind: "owner", client: "owner", grantIds: [], undeclared: [], timeZone, streams };
}
