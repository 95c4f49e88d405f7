import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { PdppError } from "@pdpp/contract/errors";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { consumeArtifact, saveArtifact } from "../store/access/oauth-artifacts.ts";
import {
  findPasskey,
  hasPasskeyFor,
  insertPasskey,
  listPasskeys,
  markPasskeyUsed,
  maxPasskeys,
} from "../store/access/passkeys.ts";
import type { OwnerSession } from "../store/access/sign-in.ts";
import { parseStoredJson } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";
import { createSession, type Visitor } from "./sessions.ts";
import { createId, hashToken } from "./tokens.ts";

/** Passkeys. A sign-in link always works too, because a passkey is bound to one host name. */

const challengeMs = 5 * 60_000;

/** Loaded on demand, because most runs never need it. */
const loadLibrary = () => import("@simplewebauthn/server");

/** Browsers offer passkeys for host names only, and only over a secure connection. */
export function canHavePasskeys(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith("[");
  return isName && (protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost"));
}

type Purpose = "add" | "sign in";

const sealChallenge = (store: Store, purpose: Purpose, head: Buffer): Buffer =>
  createHmac("sha256", store.secret).update(`passkey challenge, to ${purpose}`).update(head).digest().subarray(0, 16);

/** Creates a sealed challenge that contains its expiry, so nothing is stored until it is answered. */
function createChallenge(store: Store, purpose: Purpose, now: number): string {
  const head = Buffer.concat([randomBytes(16), Buffer.alloc(8)]);
  head.writeDoubleBE(now + challengeMs, 16);
  return Buffer.concat([head, sealChallenge(store, purpose, head)]).toString("base64url");
}

/** Accepts a challenge once, on any server of the vault, while it is valid. */
async function takeChallenge(store: Store, purpose: Purpose, challenge: string, now: number): Promise<boolean> {
  const bytes = Buffer.from(challenge, "base64url");
  if (bytes.length !== 40) return false;
  const [head, seal] = [bytes.subarray(0, 24), bytes.subarray(24)];
  const endsAt = head.readDoubleBE(16);
  if (!timingSafeEqual(seal, sealChallenge(store, purpose, head)) || !(now < endsAt)) return false;
  const idHash = hashToken(challenge);
  const thing = { idHash, grantId: null, uidHash: null, userCodeHash: null, body: "{}", consumedAt: null };
  return store.engine.write(async (on) => {
    await saveArtifact(on, "PasskeyChallenge", { ...thing, expiresAt: endsAt }, now);
    return consumeArtifact(on, "PasskeyChallenge", idHash, now);
  });
}

export async function createRegistrationOptions(
  store: Store,
  { ownerNo }: OwnerSession,
  origin: string,
  now: number,
): Promise<object> {
  const held = await store.engine.read((on) => listPasskeys(on, ownerNo));
  const host = new URL(origin).hostname;
  return {
    rp: { id: host, name: "pdpp" },
    // The name must not identify the owner.
    user: {
      id: createHmac("sha256", store.secret).update(`passkeys of owner ${ownerNo}`).digest("base64url"),
      name: `pdpp at ${host}`,
      displayName: `pdpp at ${host}`,
    },
    challenge: createChallenge(store, "add", now),
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: challengeMs,
    attestation: "none",
    excludeCredentials: held
      .filter((passkey) => passkey.host === host)
      .map(({ credentialId }) => ({ id: credentialId, type: "public-key" })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  };
}

export async function hasPasskeyAt(store: Store, origin: string): Promise<boolean> {
  return canHavePasskeys(origin) && store.engine.read((on) => hasPasskeyFor(on, new URL(origin).hostname));
}

export const createSignInOptions = (store: Store, origin: string, now: number): object => ({
  rpId: new URL(origin).hostname,
  challenge: createChallenge(store, "sign in", now),
  timeout: challengeMs,
  userVerification: "required",
  allowCredentials: [],
});

const createPasskeyError = (): PdppError =>
  new PdppError("permission_error", "this passkey was not accepted; reload the page and try again");

const maxAnswerChars = 20_000;

/** The library checks the fields of the object. */
function parseAnswer<T extends object>(sent: unknown): T {
  if (typeof sent !== "string" || sent.length > maxAnswerChars) throw createPasskeyError();
  try {
    const answer = parseStoredJson<T | null>(sent);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // Not JSON.
  }
  throw createPasskeyError();
}

export async function addPasskey(
  store: Store,
  { ownerNo }: OwnerSession,
  origin: string,
  sent: unknown,
  name: string,
  now: number,
): Promise<void> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const host = new URL(origin).hostname;
  const verified = await verifyRegistrationResponse({
    response: parseAnswer<RegistrationResponseJSON>(sent),
    expectedChallenge: (challenge) => takeChallenge(store, "add", challenge, now),
    expectedOrigin: origin,
    expectedRPID: host,
  }).catch(() => undefined);
  if (verified?.verified !== true) throw createPasskeyError();
  const { credential } = verified.registrationInfo;
  await store.engine.write(async (on) => {
    if ((await listPasskeys(on, ownerNo)).length >= maxPasskeys)
      throw new PdppError("invalid_request", `there are ${maxPasskeys} passkeys already; remove one first`);
    await insertPasskey(on, {
      passkeyId: createId("psk"),
      ownerNo,
      credentialId: credential.id,
      host,
      name: name.slice(0, 100).toWellFormed(),
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
      createdAt: now,
      usedAt: null,
    });
  });
}

export async function signInByPasskey(
  store: Store,
  origin: string,
  sent: unknown,
  visitor: Visitor,
  now: number,
): Promise<{ readonly secret: string } | undefined> {
  const response = parseAnswer<AuthenticationResponseJSON>(sent);
  const host = new URL(origin).hostname;
  const passkey = await store.engine.read((on) => findPasskey(on, String(response.id), host));
  if (passkey === undefined) return undefined;
  const { verifyAuthenticationResponse } = await loadLibrary();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (challenge) => takeChallenge(store, "sign in", challenge, now),
    expectedOrigin: origin,
    expectedRPID: host,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
      counter: passkey.counter,
    },
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  return store.engine.write(async (on) => {
    await markPasskeyUsed(on, passkey.passkeyId, verified.authenticationInfo.newCounter, now);
    return createSession(on, passkey.ownerNo, visitor, now);
  });
}
