import { PdppError } from "@pdpp/contract/errors";

export const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The system's code for an error, such as ENOENT. */
export function getErrorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

const sqliteAdvice: Record<number, string> = {
  5: "another program is using the vault; wait for it, or stop it",
  8: "the vault is read-only; check the permissions of the data directory",
  10: "the disk reported an error; check the disk",
  11: "the vault file is damaged; restore it from a backup",
  13: "the disk is full; free some space and try again",
  26: "vault.db is not a vault; choose another --data-dir",
};

/** Turns an error of the machine (full disk, missing permission, unreachable database) into one with advice. */
export function describeSystemError(error: unknown): PdppError | undefined {
  const { code, errcode, syscall, message } = (error ?? {}) as NodeJS.ErrnoException & { errcode?: number };
  if (code === "ERR_SQLITE_ERROR") {
    const advice = sqliteAdvice[(errcode ?? 0) & 0xff];
    return advice === undefined ? undefined : new PdppError("unavailable", `${message}: ${advice}`);
  }
  if (typeof syscall !== "string" || typeof code !== "string") return undefined;
  const advice = code === "ENOSPC" ? "; free some space and try again" : "; run pdpp doctor to check your setup";
  return new PdppError("unavailable", `${message || code}${advice}`);
}
