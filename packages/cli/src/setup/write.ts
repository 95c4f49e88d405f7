import { copyFileSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorCode } from "@pdpp/server/system-error";
import { sync as writeFileAtomic } from "write-file-atomic";
import type { Format } from "./clients.ts";
import { CannotMerge, type Entry, type EntryName, hasEntry, mergeEntry, removeEntry } from "./merge.ts";
import { type OwnCommand, runOwnCommand, type Scope } from "./own-command.ts";

export interface WriteResult {
  readonly status: "created" | "updated" | "unchanged";
  /** The previous content. */
  readonly backup?: string;
}

/** How an agent's configuration is changed: by its own command, if it has one and that works, else by us. */
interface Agent {
  readonly format: Format;
  readonly own?: OwnCommand;
}

/** Writes atomically and preserves links and file modes. */
export function writeEntry(path: string, { format, own }: Agent, entry: Entry, scope: Scope): WriteResult {
  const before = readIfPresent(path);
  const merge = () => changeText(path, () => mergeEntry(format, readIfPresent(path) ?? "", entry));
  const { changed, value } = merge();
  if (!changed) return { status: "unchanged" };
  if (own !== undefined) {
    const saved = before === undefined ? undefined : saveCopy(path);
    if (hasEntry(format, before ?? "", entry)) runOwnCommand(own, own.remove(entry, scope));
    runOwnCommand(own, own.add({ ...entry, value }, scope));
    if (!merge().changed) return saved === undefined ? { status: "created" } : { status: "updated", backup: saved };
  }
  const after = merge();
  if (readIfPresent(path) === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, after.text, { mode: 0o600 });
    return { status: "created" };
  }
  return { status: "updated", backup: replaceFile(path, after.text) };
}

/** Takes our entry out of a configuration file, and returns where its previous content is. */
export function deleteEntry(path: string, { format, own }: Agent, entry: EntryName, scope: Scope): string | undefined {
  const before = readIfPresent(path);
  if (before === undefined) return undefined;
  const after = changeText(path, () => removeEntry(format, before, entry));
  if (!after.changed) return undefined;
  if (own !== undefined) {
    const saved = saveCopy(path);
    runOwnCommand(own, own.remove(entry, scope));
    if (!isConfigured(path, format, entry)) return saved;
  }
  const left = changeText(path, () => removeEntry(format, readIfPresent(path) ?? "", entry));
  return replaceFile(path, left.text);
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
  const backup = saveCopy(path);
  writeFileAtomic(path, text);
  return backup;
}

function saveCopy(path: string): string {
  const backup = `${realpathSync(path)}.bak`;
  copyFileSync(path, backup);
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
