import { randomFillSync } from "node:crypto";

/** Requests need a few random bytes each, and asking for 12 bytes costs as much as asking for thousands. */
const pool = Buffer.alloc(8192);
let used = pool.length;

/** Random bytes as base64url, for ids and salts. */
export function createRandomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const end = used + bytes;
  const text = pool.toString("base64url", used, end);
  pool.fill(0, used, end);
  used = end;
  return text;
}
