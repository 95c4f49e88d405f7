import { copyFileSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorCode } from "@pdpp/server/system-error";
import { sync as writeFileAtomic } from "write-file-atomic";
import type { Format } from "./clients.ts";
import { CannotMerge, type Entry, mergeEntry } from "./merge.ts";

export interface WriteResult {
  readonly status: "created" | "updated" | "unchanged";
  /** The previous content. */
  readonly backup?: string;
}

/** Writes atomically and preserves links and file modes. */
export function writeEntry(path: string, format: Format, entry: Entry): WriteResult {
  const before = readIfPresent(path);
  let after: { text: string; changed: boolean };
  try {
    after = mergeEntry(format, before ?? "", entry);
  } catch (error) {
    if (!(error instanceof CannotMerge)) throw error;
    throw new PdppError("invalid_request", `${path} was not changed: ${error.message}`, {
      next_step: "fix the file and try again, or run without --write and add the entry by hand",
    });
  }
  if (!after.changed) return { status: "unchanged" };
  if (before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, after.text, { mode: 0o600 });
    return { status: "created" };
  }
  const backup = `${realpathSync(path)}.bak`;
  copyFileSync(path, backup);
  writeFileAtomic(path, after.text);
  return { status: "updated", backup };
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
