import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import { createId, hashToken } from "../auth/tokens.ts";
import {
  findPackageHolder,
  insertAccessToken,
  isPackageActive,
  loadAccessTokenBody,
  revokeAccessToken,
} from "../store/access/access-tokens.ts";
import { revoke } from "../store/access/grants.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import {
  consumeArtifact,
  deleteArtifact,
  deleteArtifactsOfGrant,
  deleteClient,
  findArtifact,
  findClient,
  type OAuthArtifact,
  saveClient,
} from "../store/access/oauth-artifacts.ts";
import { parseStoredJson } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";
import { addPlaceholders, createPlaceholder, hashId, saveModel } from "./model-writes.ts";

/** Storage for the authorization library: in the vault, with ids hashed. */

/**
 * A used refresh token works again for this long, because clients refresh twice at once or lose the first response. After that it counts as stolen,
 * and the library revokes the grant.
 */
const refreshGraceMs = 30_000;

/** Hides clients for which `isHidden` is true, because they are about to be fetched again. */
export function createAdapter(
  store: Store,
  now: () => number,
  isHidden: (clientId: string) => boolean,
): (kind: string) => Adapter {
  return (kind) => {
    if (kind === "Client") return createClientAdapter(store, now, isHidden);
    if (kind === "AccessToken") return createAccessTokenAdapter(store, now);
    return createArtifactAdapter(store, kind, now);
  };
}

const findNothing = async (): Promise<undefined> => undefined;

function createClientAdapter({ engine }: Store, now: () => number, isHidden: (clientId: string) => boolean): Adapter {
  return {
    upsert: (id, payload) => engine.write((on) => saveClient(on, id, JSON.stringify(payload), now())),
    async find(id) {
      if (isHidden(id)) return undefined;
      const held = await engine.read((on) => findClient(on, id));
      return held === undefined ? undefined : parseStoredJson<AdapterPayload>(held.metadata);
    },
    destroy: (id) => engine.write((on) => deleteClient(on, id)),
    findByUserCode: findNothing,
    findByUid: findNothing,
    consume: findNothing,
    revokeByGrantId: findNothing,
  };
}

/** Revokes the whole package, because one of its tokens may have been stolen. */
async function revokePackage(store: Store, packageId: string, now: number): Promise<void> {
  await store.engine.write(async (on) => {
    const holder = await findPackageHolder(on, packageId);
    if (holder !== undefined && !holder.isRevoked) {
      await store.noteRevoked(holder.ownerNo, packageId, now);
      await revoke(on, holder.ownerNo, packageId, now);
      // Logged, so that the owner learns that a code or token was used twice, or that the client revoked it.
      const subject = `${packageId}, by the authorization server`;
      await logOwnerAction(on, { ownerNo: holder.ownerNo, at: now, operation: "grant.revoke", subject });
    }
    await deleteArtifactsOfGrant(on, packageId);
  });
}

function createAccessTokenAdapter(store: Store, now: () => number): Adapter {
  const { engine } = store;
  return {
    upsert: (id, { jti: _, ...payload }, expiresIn = 0) =>
      engine.write(async (on) => {
        const packageId = payload.grantId ?? "";
        const holder = await findPackageHolder(on, packageId);
        if (holder === undefined || !(await isPackageActive(on, packageId, now())))
          throw new errors.InvalidGrant("the grant is no longer active");
        const token = {
          tokenId: createId("tok"),
          ownerNo: holder.ownerNo,
          clientName: holder.clientName,
          packageId,
          createdAt: now(),
          expiresAt: now() + 1000 * expiresIn,
          oauth: JSON.stringify(payload),
        };
        await insertAccessToken(on, hashId(id), token);
      }),
    async find(id) {
      const held = await engine.read((on) => loadAccessTokenBody(on, hashId(id), now()));
      return held === undefined ? undefined : { ...parseStoredJson<AdapterPayload>(held), jti: id };
    },
    destroy: (id) => engine.write((on) => revokeAccessToken(on, hashId(id), now())),
    revokeByGrantId: (packageId) => revokePackage(store, packageId, now()),
    findByUserCode: findNothing,
    findByUid: findNothing,
    consume: findNothing,
  };
}

function createArtifactAdapter(store: Store, kind: string, now: () => number): Adapter {
  const { engine } = store;
  const toPayload = (held: OAuthArtifact | undefined, id?: string): AdapterPayload | undefined => {
    if (held === undefined) return undefined;
    const used = held.consumedAt !== null && !(kind === "RefreshToken" && now() - held.consumedAt < refreshGraceMs);
    const jti = id ?? createPlaceholder(held.idHash);
    return {
      ...addPlaceholders(parseStoredJson(held.body)),
      jti,
      ...(used ? { consumed: Math.floor((held.consumedAt ?? 0) / 1000) } : {}),
    };
  };
  return {
    upsert: (id, payload, expiresIn = 0) =>
      engine.write((on) => saveModel(on, { kind, id, payload, expiresIn }, now())),
    async find(id) {
      return engine.read(async (on) => {
        // A revoked grant must not be found, so that a client that refreshes learns to ask again.
        if (kind === "Grant" && !(await isPackageActive(on, id, now()))) return undefined;
        return toPayload(await findArtifact(on, kind, { idHash: hashId(id) }, now()), id);
      });
    },
    findByUid: async (uid) =>
      toPayload(await engine.read((on) => findArtifact(on, kind, { uidHash: hashToken(uid) }, now()))),
    async findByUserCode(userCode) {
      const held = await engine.read((on) => findArtifact(on, kind, { userCodeHash: hashToken(userCode) }, now()));
      const payload = toPayload(held);
      return payload === undefined ? undefined : { ...payload, userCode };
    },
    async consume(id) {
      const isFirst = await engine.write((on) => consumeArtifact(on, kind, hashId(id), now()));
      // Of two concurrent requests the second must fail. Refresh tokens have a grace period.
      if (!isFirst && kind !== "RefreshToken") throw new errors.InvalidGrant("it was already used");
    },
    destroy: (id) => engine.write((on) => deleteArtifact(on, kind, hashId(id))),
    revokeByGrantId: (packageId) => revokePackage(store, packageId, now()),
  };
}
