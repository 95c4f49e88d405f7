import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from "node:crypto";
import type { Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { LRUCache } from "lru-cache";
import { parseStoredJson } from "../store/engine/json.ts";

/**
 * Cursors and bookmarks are encrypted and authenticated, and open only for the query and scope they were made for. A
 * position contains only what its reader was shown, and its nonce is derived from the content, so equal positions give
 * equal cursors. A moment contains the version of the whole vault: its nonce is random and its numbers are padded, so
 * that it does not reveal whether something outside the grant was written.
 */

const nonceBytes = 12;
const tagBytes = 16;

export interface CursorKeys {
  readonly seal: Buffer;
  readonly nonce: Buffer;
}

/** By secret. A process has one vault; tests have many. */
const derivedKeys = new LRUCache<string, CursorKeys>({ max: 16 });

export function deriveCursorKeys(secret: string): CursorKeys {
  const held = derivedKeys.get(secret);
  if (held !== undefined) return held;
  const keys = derive(secret);
  derivedKeys.set(secret, keys);
  return keys;
}

function derive(secret: string): CursorKeys {
  const deriveFor = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "pdpp", purpose, 32));
  return { seal: deriveFor("cursor seal"), nonce: deriveFor("cursor nonce") };
}

const digestBinding = (binding: Json): Buffer => hash("sha256", JSON.stringify(binding), "buffer");

/** Seals positions as cursors of one query. */
export function createSealer(keys: CursorKeys, binding: Json): (position: Json) => string {
  let bound: Buffer | undefined;
  return (position) => {
    bound ??= digestBinding(binding);
    const text = JSON.stringify(position);
    return seal(keys, bound, text, createHmac("sha256", keys.nonce).update(bound).update(text).digest());
  };
}

const maxNumberLength = String(Number.MIN_SAFE_INTEGER).length;

export function sealMoment(keys: CursorKeys, binding: Json, moment: readonly Json[]): string {
  const parts = moment.map((part) => JSON.stringify(part).padStart(maxNumberLength));
  return seal(keys, digestBinding(binding), `[${parts.join(",")}]`, randomBytes(nonceBytes));
}

function seal(keys: CursorKeys, bound: Buffer, text: string, noise: Buffer): string {
  const nonce = noise.subarray(0, nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keys.seal, nonce).setAAD(bound);
  const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, bytes, cipher.getAuthTag()]).toString("base64url");
}

export function openCursor(keys: CursorKeys, binding: Json, cursor: string, param: string): Json {
  try {
    const bytes = Buffer.from(cursor, "base64url");
    // Node ignores stray characters, but only the spelling that was issued is accepted.
    if (bytes.toString("base64url") !== cursor) throw new Error("not base64url");
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", keys.seal, nonce).setAAD(digestBinding(binding));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
    const text = Buffer.concat([
      decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)),
      decipher.final(),
    ]);
    return parseStoredJson<Json>(text.toString("utf8"));
  } catch {
    throw new PdppError("invalid_cursor", explainInvalidCursor(param), { param });
  }
}

const explainInvalidCursor = (param: string): string =>
  param === "changes_since"
    ? 'changes_since is not a bookmark of this query; start with "beginning", then send next_changes_since of the last answer (it is not a date)'
    : "the cursor does not belong to this query; send next_cursor unchanged with the same parameters, or leave the cursor out to start over";
