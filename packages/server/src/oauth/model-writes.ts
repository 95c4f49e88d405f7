import { randomBytes } from "node:crypto";
import type { Adapter, AdapterPayload } from "oidc-provider";
import { hashToken } from "../auth/tokens.ts";
import { saveArtifact } from "../store/access/oauth-artifacts.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";

/** Writes of the authorization library's models. Only types come from the library, which is loaded when it is first needed. */

/** A placeholder for an id when only its hash is known. Valid in this process only. */
const placeholderPrefix = `~${randomBytes(16).toString("base64url")}.`;
export const createPlaceholder = (hash: string): string => `${placeholderPrefix}${hash}`;
export const hashId = (id: string): string =>
  id.startsWith(placeholderPrefix) ? id.slice(placeholderPrefix.length) : hashToken(id);

/** One write of the library's: `kind` is the name of its model. */
export interface ModelWrite {
  readonly kind: string;
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly expiresIn: number;
}

export const saveModel = (
  on: WriteTransaction,
  { kind, id, payload, expiresIn }: ModelWrite,
  now: number,
): Promise<void> =>
  saveArtifact(
    on,
    kind,
    {
      idHash: hashId(id),
      grantId: kind === "Grant" ? id : (payload.grantId ?? null),
      uidHash: payload.uid === undefined ? null : hashToken(payload.uid),
      userCodeHash: payload.userCode === undefined ? null : hashToken(payload.userCode),
      body: JSON.stringify(removeSecrets(payload)),
      consumedAt: null,
      expiresAt: now + 1000 * expiresIn,
    },
    now,
  );

/** Lets the library save a model, but captures the write, so that it can be part of a larger transaction. */
export async function captureSave(
  model: { readonly kind: string; readonly adapter: Adapter; save(ttl?: number): Promise<string> },
  ttl?: number,
): Promise<ModelWrite> {
  const { kind } = model;
  let write: ModelWrite | undefined;
  const capture: Pick<Adapter, "upsert"> = {
    async upsert(id, payload, expiresIn = 0) {
      write = { kind, id, payload, expiresIn };
    },
  };
  Object.defineProperty(model, "adapter", { value: capture });
  await model.save(ttl);
  if (write === undefined) throw new Error(`the library did not save the ${kind}`);
  return write;
}

/** The library includes the secret, its session id and the interaction's details in what it stores. */
function removeSecrets({ jti: _, userCode: __, deviceCode, parJti, ...payload }: AdapterPayload): AdapterPayload {
  const { cookie: ___, ...session } = payload.session ?? {};
  return {
    ...payload,
    ...(payload.session === undefined ? {} : { session }),
    ...(typeof deviceCode === "string" ? { deviceCode: hashId(deviceCode) } : {}),
    ...(typeof parJti === "string" ? { parJti: hashId(parJti) } : {}),
  };
}

/** Restores references, so that any process can continue the interaction. */
export function addPlaceholders({ deviceCode, parJti, ...payload }: AdapterPayload): AdapterPayload {
  return {
    ...payload,
    ...(typeof deviceCode === "string" ? { deviceCode: createPlaceholder(deviceCode) } : {}),
    ...(typeof parJti === "string" ? { parJti: createPlaceholder(parJti) } : {}),
  };
}
