import { copyFileSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorCode } from "@pdpp/server/system-error";
import { sync as writeFileAtomic } from "write-file-atomic";
import type { Format } from "./clients.ts";
import { CannotMerge, type Entry, type EntryName, hasEntry, mergeEntry, removeEntry } from "./merge.ts";

export interface WriteResult {
  readonly status: "created" | "updated" | "unchanged";
  /** The previous content. */
  readonly backup?: string;
}

/** Writes atomically and preserves links and file modes. */
export function writeEntry(path: string, format: Format, entry: Entry): WriteResult {
  const before = readIfPresent(path);
  const after = changeText(path, () => mergeEntry(format, before ?? "", entry));
  if (!after.changed) return { status: "unchanged" };
  if (before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, after.text, { mode: 0o600 });
    return { status: "created" };
  }
  return { status: "updated", backup: replaceFile(path, after.text) };
}

/** Takes our entry out of a configuration file, and returns where its previous content is. */
export function deleteEntry(path: string, format: Format, entry: EntryName): string | undefined {
  const before = readIfPresent(path);
  if (before === undefined) return undefined;
  const after = changeText(path, () => removeEntry(format, before, entry));
  return after.changed ? replaceFile(path, after.text) : undefined;
}

/** Whether the file has an entry of ours. A file that cannot be parsed has none that pdpp wrote. */
export function isConfigured(path: string, format: Format, entry: EntryName): boolean {
  try {
    return hasEntry(format, readIfPresent(path) ?? "", entry);
  } catch {
    return false;
  }
}

function changeText<T>(path: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof CannotMerge)) throw error;
    throw new PdppError("invalid_request", `${path} was not changed: ${error.message}`, {
      next_step: "fix the file and try again, or run without --write and edit the entry by hand",
    });
  }
}

function replaceFile(path: string, text: string): string {
  const backup = `${realpathSync(path)}.bak`;
  copyFileSync(path, backup);
  writeFileAtomic(path, text);
  return backup;
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
