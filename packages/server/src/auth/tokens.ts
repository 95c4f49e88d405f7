import { hash, randomBytes } from "node:crypto";

/** Bearer tokens have 256 random bits. Only their hashes are stored. */

export function createToken(kind: "owner" | "client"): string {
  return `pdpp_${kind}_${randomBytes(32).toString("base64url")}`;
}

export const createId = (prefix: string): string => `${prefix}_${randomBytes(12).toString("base64url")}`;

/** Tokens are random, so a fast hash is as safe as a slow one. */
export const hashToken = (token: string): string => hash("sha256", token, "base64url");

/** Recognized by its prefix, so that a client can refuse it without a request. */
export const isOwnerToken = (token: string): boolean => token.startsWith("pdpp_owner_");

const tokenPattern = /^[\x21-\x7e]{16,512}$/;

export const hasTokenForm = (text: string): boolean => tokenPattern.test(text);
