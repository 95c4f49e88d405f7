import { PdppError } from "@pdpp/contract/errors";
import type { Grant } from "@pdpp/contract/grant";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import {
  type GrantDocument,
  type GrantStatus,
  type OwnerApi,
  type OwnerTokenDocument,
  ownerRights,
  type PackageDocument,
  undoRevocationMs,
} from "@pdpp/contract/owner";
import { buildProposedScope } from "../auth/authenticate.ts";
import { freezeGrants, issueGrant, issueOwnerToken } from "../auth/issue.ts";
import { narrowGrants } from "../auth/narrow.ts";
import { createReader } from "../read/reader.ts";
import {
  listGrants,
  listTokens,
  restoreRevoked,
  revoke,
  type StoredGrant,
  type StoredToken,
} from "../store/access/grants.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { findGrantsRevokedByOwner } from "../store/access/log/log-page.ts";
import type { ReadTransaction, WriteTransaction } from "../store/engine/engine.ts";
import { type Store, writeUrgently } from "../store/store.ts";
import type { OwnerContext } from "./owner-context.ts";
import { loadConnectionsAndCatalog, selectConnection } from "./select-connection.ts";

export function createGrantsApi({ store, ownerNo, now, pagesUrl, measure }: OwnerContext): OwnerApi["grants"] {
  const listed = async (on: ReadTransaction): Promise<GrantDocument[]> =>
    describeGrants(await listGrants(on, ownerNo), now());
  const findGrant = async (on: ReadTransaction, id: string) => selectGrant(await listed(on), id);
  const createGrantReader = async (on: ReadTransaction, held: readonly Grant[]): Promise<ReadApi> =>
    createReader({
      store,
      scope: await buildProposedScope(store, on, ownerNo, held),
      now,
      pagesUrl,
      ...(measure && { measure }),
    });
  return {
    list: () => store.engine.read(listed),
    get: (id) => store.engine.read((on) => findGrant(on, id)),
    async issue(request) {
      const issued = await issueGrant(store, ownerNo, request, now());
      store.reserve.keep();
      return issued;
    },
    propose: (request) =>
      store.engine.read(async (on) => {
        const { grants: frozen } = await freezeGrants(store, on, ownerNo, request, undefined, now());
        return { grants: frozen, reader: await createGrantReader(on, frozen) };
      }),
    reader: (id) =>
      store.engine.read(async (on) => {
        const held = await findGrant(on, id);
        const all = held.object === "grant" ? [held] : held.grants;
        return createGrantReader(
          on,
          all.filter(({ status }) => status === "active"),
        );
      }),
    revoke: (id) =>
      writeUrgently(store, async (on) => {
        await revokeGrant(store, on, ownerNo, id, now());
        return findGrant(on, id);
      }),
    undoRevoke: (id) =>
      store.engine.write(async (on) => {
        await undoRevocation(store, on, ownerNo, id, now());
        return findGrant(on, id);
      }),
    narrow: (id, request) =>
      writeUrgently(store, async (on) => {
        const held = await findGrant(on, id);
        const all = held.object === "grant" ? [held] : held.grants;
        const active = all.filter(({ status }) => status === "active");
        const [fresh] = await narrowGrants(store, on, ownerNo, active.map(stripStatus), request, now());
        return findGrant(on, held.object === "package" ? id : (fresh?.grant_id ?? id));
      }),
  };
}

function selectGrant(all: readonly GrantDocument[], id: string): GrantDocument | PackageDocument {
  const alone = all.find(({ grant_id }) => grant_id === id);
  if (alone !== undefined) return alone;
  const packed = all.filter(({ package_id }) => package_id === id);
  if (packed.length > 0) return { object: "package", package_id: id, grants: packed };
  throw new PdppError(
    "not_found",
    `there is no grant or package ${JSON.stringify(id)}; list them with pdpp grant list`,
  );
}

/** Revokes a grant or package, and the grants that replaced it: an owner on an outdated page means those too. */
export async function revokeGrant(
  store: Store,
  on: WriteTransaction,
  ownerNo: number,
  id: string,
  now: number,
): Promise<void> {
  const all = describeGrants(await listGrants(on, ownerNo), now);
  const named = selectGrant(all, id);
  const successors = findSuccessors(all, id).filter(({ status }) => status === "active");
  for (const each of [id, ...successors.map(({ grant_id }) => grant_id)]) {
    await revoke(on, ownerNo, each, now);
    await store.noteRevoked(ownerNo, each, now);
  }
  const grantIds = [...getGrantIds(named), ...successors.map(({ grant_id }) => grant_id)];
  await logOwnerAction(on, { ownerNo, at: now, operation: "grant.revoke", grantIds });
}

/**
 * Only what the owner revoked can be restored: a grant that ended because a token was stolen stays revoked. The log tells
 * them apart, and which grants ended together.
 */
async function undoRevocation(
  store: Store,
  on: WriteTransaction,
  ownerNo: number,
  id: string,
  now: number,
): Promise<void> {
  const stored = await listGrants(on, ownerNo);
  const all = describeGrants(stored, now);
  const named = [...getGrantIds(selectGrant(all, id)), ...findSuccessors(all, id).map(({ grant_id }) => grant_id)];
  const times = stored.filter(({ grant }) => named.includes(grant.grant_id)).map(({ revokedAt }) => revokedAt ?? 0);
  const at = Math.max(...times);
  const grantIds =
    at > now || now - at > undoRevocationMs ? undefined : await findGrantsRevokedByOwner(on, ownerNo, at, named);
  if (grantIds === undefined)
    throw new PdppError("permission_error", "it is too late to undo this; the agent has to ask for access again");
  const isReplaced = new Set(all.flatMap(({ replaced_by, grant_id }) => (replaced_by === undefined ? [] : [grant_id])));
  const restored = grantIds.filter((each) => !isReplaced.has(each));
  await restoreRevoked(on, ownerNo, id, restored, at);
  await logOwnerAction(on, { ownerNo, at: now, operation: "grant.restore", grantIds: restored });
  for (const each of new Set([id, ...grantIds])) await store.noteRestored(ownerNo, each, at, now);
}

const getGrantIds = (named: GrantDocument | PackageDocument): string[] =>
  named.object === "grant" ? [named.grant_id] : named.grants.map(({ grant_id }) => grant_id);

const stripStatus = ({ object: _, status: __, replaced_by: ___, revoked_at: ____, ...grant }: GrantDocument): Grant =>
  grant;

function findSuccessors(all: readonly GrantDocument[], id: string): GrantDocument[] {
  const next = all.filter(({ replaces }) => replaces === id);
  return next.flatMap((grant) => [grant, ...findSuccessors(all, grant.grant_id)]);
}

export function createTokensApi({ store, ownerNo, now }: OwnerContext): OwnerApi["tokens"] {
  return {
    list: async () =>
      (await store.engine.read((on) => listTokens(on, ownerNo, "owner"))).map((token) => describeToken(token, now())),
    async create({ name, expires_at: end, may = ["everything"], connection_ids: ids }) {
      const expiresAt = end === undefined ? null : parseInstant(end);
      if (end !== undefined && (expiresAt === null || expiresAt <= now())) {
        throw new PdppError("invalid_argument", "expires_at must be a date or date-time in the future", {
          param: "expires_at",
        });
      }
      const unknown = may.find((right) => !ownerRights.includes(right));
      if (unknown !== undefined || may.length === 0)
        throw new PdppError("invalid_argument", `may must be one or more of: ${ownerRights.join(", ")}`, {
          param: "may",
        });
      const { held, catalog } = await loadConnectionsAndCatalog(store, ownerNo);
      for (const id of ids ?? []) selectConnection(held, catalog, { connection_id: id });
      const limits = { may, connectionIds: ids ?? null };
      const issued = await issueOwnerToken(store, ownerNo, name, now(), expiresAt, limits);
      store.reserve.keep();
      return {
        object: "owner_token",
        ...issued,
        name,
        may,
        ...(ids === undefined ? {} : { connection_ids: ids }),
        ...(expiresAt === null ? {} : { expires_at: formatInstant(expiresAt) }),
      };
    },
    revoke: (id) =>
      writeUrgently(store, async (on) => {
        const token = (await listTokens(on, ownerNo, "owner")).find(({ tokenId }) => tokenId === id);
        if (token === undefined) {
          const message = `there is no owner token ${JSON.stringify(id)}; list them with pdpp owner-token list`;
          throw new PdppError("not_found", message);
        }
        const at = token.revokedAt ?? now();
        await revoke(on, ownerNo, id, at);
        await store.noteRevoked(ownerNo, id, at);
        const subject = `${id} ${token.clientName}`;
        await logOwnerAction(on, { ownerNo, at: now(), operation: "owner-token.revoke", subject });
        return { object: "owner_token", token_id: id, status: "revoked", revoked_at: formatInstant(at) };
      }),
  };
}

function getStatus(
  { revokedAt, expiresAt, expiredAt }: Pick<StoredGrant, "revokedAt" | "expiresAt" | "expiredAt">,
  now: number,
): GrantStatus {
  if (revokedAt !== null) return "revoked";
  return expiredAt !== null || (expiresAt !== null && expiresAt <= now) ? "expired" : "active";
}

function describeGrants(all: readonly StoredGrant[], now: number): GrantDocument[] {
  const later = Map.groupBy(
    all.filter(({ grant }) => grant.replaces !== undefined),
    ({ grant }) => grant.replaces,
  );
  return all.map((stored) => {
    const next = later.get(stored.grant.grant_id)?.map(({ grant }) => grant.grant_id);
    return {
      object: "grant",
      ...stored.grant,
      status: getStatus(stored, now),
      ...(stored.revokedAt === null ? {} : { revoked_at: formatInstant(stored.revokedAt) }),
      ...(next === undefined ? {} : { replaced_by: next }),
    };
  });
}

const describeToken = (token: StoredToken, now: number): OwnerTokenDocument => ({
  object: "owner_token",
  token_id: token.tokenId,
  name: token.clientName,
  may: token.may ?? ["everything"],
  ...(token.connectionIds === null ? {} : { connection_ids: token.connectionIds }),
  status: getStatus(token, now),
  created_at: formatInstant(token.createdAt),
  ...(token.expiresAt === null ? {} : { expires_at: formatInstant(token.expiresAt) }),
  ...(token.revokedAt === null ? {} : { revoked_at: formatInstant(token.revokedAt) }),
});
