import { randomBytes } from "node:crypto";
import { statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Reserved disk space: a file next to the vault, which is truncated when a revocation finds the disk full. */
export interface Reserve {
  keep(): void;
  restore(): void;
  /** Runs the work. If the disk is full, releases the reserved space and runs it again. */
  use<T>(work: () => Promise<T>): Promise<T>;
}

/** A revocation writes about twenty pages of the vault; opening it takes eight more. */
const reserveBytes = 1024 * 1024;

export function openReserve(dataDir: string): Reserve {
  const file = join(dataDir, "reserve");
  const getSize = (): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;
  const keep = (): void => {
    if (getSize() === reserveBytes) return;
    try {
      // Random bytes: a compressing file system would reserve no space for zeros.
      writeFileSync(file, randomBytes(reserveBytes), { mode: 0o600 });
    } catch {
      giveUp();
    }
  };
  /** The empty file shows that there should be a reserve. */
  const giveUp = (): void => {
    if (getSize() !== undefined) truncateSync(file);
  };
  return {
    keep,
    restore: () => {
      if (getSize() !== undefined) keep();
    },
    async use(work) {
      try {
        return await work();
      } catch (error) {
        if (!isDiskFull(error) || getSize() === undefined) throw error;
        giveUp();
        try {
          return await work();
        } finally {
          keep();
        }
      }
    },
  };
}

/** Space on a database server is its operator's responsibility. */
export const noReserve: Reserve = { keep: () => undefined, restore: () => undefined, use: (work) => work() };

const sqliteFull = 13;
const sqliteIoError = 10;

function isDiskFull(error: unknown): boolean {
  const { code, errcode } = Object(error);
  if (code === "ENOSPC" || code === "EDQUOT") return true;
  return code === "ERR_SQLITE_ERROR" && [sqliteFull, sqliteIoError].includes(Number(errcode) & 0xff);
}
