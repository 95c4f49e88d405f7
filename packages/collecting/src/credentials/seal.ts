import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** AES-256-GCM: nonce, ciphertext and tag, as text. `place` is what the value belongs to; it opens nowhere else. */

const algorithm = "aes-256-gcm";
export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const version = "v1.";

type Place = readonly (string | number)[];

export function seal(key: Uint8Array, place: Place, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(encodePlace(place));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return version + sealed.toString("base64url");
}

/** Returns undefined if another key sealed it, or it was changed or moved. */
export function unseal(key: Uint8Array, place: Place, sealed: string): string | undefined {
  if (!sealed.startsWith(version)) return undefined;
  const bytes = Buffer.from(sealed.slice(version.length), "base64url");
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(encodePlace(place));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

const encodePlace = (place: Place): Buffer => Buffer.from(JSON.stringify(place));
