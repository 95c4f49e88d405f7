import { createHash } from "node:crypto";

/** Ids as apps make them, the same at every run: from what the demo calls the thing. */

const digest = (...parts: readonly string[]): string => createHash("sha256").update(parts.join("\0")).digest("hex");

export function uuid(...parts: readonly string[]): string {
  const hex = digest(...parts);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** Nineteen digits, as Gmail counts its mails. */
export const idNumber = (...parts: readonly string[]): bigint =>
  1_780_000_000_000_000_000n + BigInt(`0x${digest(...parts).slice(0, 13)}`);
