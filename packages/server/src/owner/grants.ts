import { PdppError } from "@pdpp/contract/errors";
import { instantOf, isoOf } from "@pdpp/contract/instant";
import type { GrantDocument, GrantStatus, OwnerApi, OwnerTokenDocument, PackageDocument } from "@pdpp/contract/owner";
import { issueGrant, issueOwnerToken } from "../auth/issue.ts";
import { grants, revoke, type StoredGrant, type StoredToken, tokens } from "../store/access/grants.ts";
import type { Reading } from "../store/engine/engine.ts";
import type { OwnerParts } from "./owner.ts";

/** What the owner does with grants, and with tokens of their own. */

export function grantsOf({ store, ownerNo, now }: OwnerParts): OwnerApi["grants"] {
  const named = async (on: Reading, id: string): Promise<GrantDocument | PackageDocument> => {
    const held = (await grants(on, ownerNo)).map((stored) => grantDocument(stored, now()));
    const alone = held.find(({ grant_id }) => grant_id === id);
    if (alone !== undefined) return alone;
    const packed = held.filter(({ package_id }) => package_id === id);
    if (packed.length > 0) return { object: "package", package_id: id, grants: packed };
    throw new PdppError("not_found", `there is no grant or package ${JSON.stringify(id)}; pdpp grant list shows them`);
  };
  return {
    list: async () =>
      (await store.engine.read((on) => grants(on, ownerNo))).map((stored) => grantDocument(stored, now())),
    get: (id) => store.engine.read((on) => named(on, id)),
    issue: (request) => issueGrant(store, ownerNo, request, now()),
    revoke: (id) =>
      store.engine.write(async (on) => {
        await named(on, id);
        await revoke(on, ownerNo, id, now());
        return named(on, id);
      }),
  };
}

export function tokensOf({ store, ownerNo, now }: OwnerParts): OwnerApi["tokens"] {
  return {
    list: async () =>
      (await store.engine.read((on) => tokens(on, ownerNo, "owner"))).map((token) => tokenDocument(token, now())),
    async create({ name, expires_at: end }) {
      const expiresAt = end === undefined ? null : instantOf(end);
      if (end !== undefined && (expiresAt === null || expiresAt <= now())) {
        throw new PdppError("invalid_argument", "expires_at must be a date or date-time in the future", {
          param: "expires_at",
        });
      }
      const issued = await issueOwnerToken(store, ownerNo, name, now(), expiresAt);
      return {
        object: "owner_token",
        ...issued,
        name,
        ...(expiresAt === null ? {} : { expires_at: isoOf(expiresAt) }),
      };
    },
    revoke: (id) =>
      store.engine.write(async (on) => {
        const token = (await tokens(on, ownerNo, "owner")).find(({ tokenId }) => tokenId === id);
        if (token === undefined) {
          const message = `there is no owner token ${JSON.stringify(id)}; pdpp owner-token list shows them`;
          throw new PdppError("not_found", message);
        }
        const at = token.revokedAt ?? now();
        await revoke(on, ownerNo, id, at);
        return { object: "owner_token", token_id: id, status: "revoked", revoked_at: isoOf(at) };
      }),
  };
}

function statusOf(
  { revokedAt, expiresAt }: { revokedAt: number | null; expiresAt: number | null },
  now: number,
): GrantStatus {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

const grantDocument = (stored: StoredGrant, now: number): GrantDocument => ({
  object: "grant",
  ...stored.grant,
  status: statusOf(stored, now),
  ...(stored.revokedAt === null ? {} : { revoked_at: isoOf(stored.revokedAt) }),
});

const tokenDocument = (token: StoredToken, now: number): OwnerTokenDocument => ({
  object: "owner_token",
  token_id: token.tokenId,
  name: token.clientName,
  status: statusOf(token, now),
  created_at: isoOf(token.createdAt),
  ...(token.expiresAt === null ? {} : { expires_at: isoOf(token.expiresAt) }),
  ...(token.revokedAt === null ? {} : { revoked_at: isoOf(token.revokedAt) }),
});
