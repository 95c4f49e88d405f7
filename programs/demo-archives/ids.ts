import { createHash } from "node:crypto";

/** Ids in the format each app uses, derived from the demo's own ids so that every run writes the same bytes. */

const hashParts = (...parts: readonly string[]): string => createHash("sha256").update(parts.join("\0")).digest("hex");

export function createUuid(...parts: readonly string[]): string {
  const hex = hashParts(...parts);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** Nineteen digits, like Gmail's message ids. */
export const createIdNumber = (...parts: readonly string[]): bigint =>
  1_780_000_000_000_000_000n + BigInt(`0x${hashParts(...parts).slice(0, 13)}`);
