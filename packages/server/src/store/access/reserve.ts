import { randomBytes } from "node:crypto";
import { statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Room on the disk that nobody else can take: a file beside the vault, given up when a revocation finds the disk full. */
export interface Reserve {
  /** Makes the file, if there is none and the disk has room for it. */
  keep(): void;
  /** Makes it again, if it was given up. */
  restore(): void;
  /** Does the work; when the disk is full, gives up the room and does it again. */
  use<T>(work: () => Promise<T>): Promise<T>;
}

/** A revocation writes some twenty pages of the vault; opening it takes eight more. */
const reserveBytes = 1024 * 1024;

export function openReserve(dataDir: string): Reserve {
  const file = join(dataDir, "reserve");
  const getSize = (): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;
  const keep = (): void => {
    if (getSize() === reserveBytes) return;
    try {
      // Not zeros: a file system that packs its files would keep no room for them.
      writeFileSync(file, randomBytes(reserveBytes), { mode: 0o600 });
    } catch {
      giveUp();
    }
  };
  /** An empty file stays, to tell that there should be a whole one. */
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

/** A database elsewhere is its operator's to keep room for. */
export const noReserve: Reserve = { keep: () => undefined, restore: () => undefined, use: (work) => work() };

const sqliteFull = 13;
const sqliteIoError = 10;

function isDiskFull(error: unknown): boolean {
  const { code, errcode } = Object(error);
  if (code === "ENOSPC" || code === "EDQUOT") return true;
  return code === "ERR_SQLITE_ERROR" && [sqliteFull, sqliteIoError].includes(Number(errcode) & 0xff);
}
