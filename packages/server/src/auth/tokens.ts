import { createHash, randomBytes } from "node:crypto";

/** Bearer tokens: 256 random bits, of which only a hash is kept. */

export function newToken(kind: "owner" | "client"): string {
  return `pdpp_${kind}_${randomBytes(32).toString("base64url")}`;
}

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString("base64url")}`;

/** A token has 256 bits of its own, so a plain digest keeps it as safe as a slow one would. */
export const tokenHash = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** Told by its form alone, so that a client can refuse it without asking anybody. */
export const isOwnerToken = (token: string): boolean => token.startsWith("pdpp_owner_");

const tokenForm = /^[\x21-\x7e]{16,512}$/;

export const looksLikeToken = (text: string): boolean => tokenForm.test(text);
