import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import type { Format } from "./clients.ts";
import { CannotMerge, type Entry, merged } from "./merge.ts";

export interface Written {
  readonly status: "created" | "updated" | "unchanged";
  /** What was there before. */
  readonly backup?: string;
}

/** Changes the file so that a reader finds the old one or the new one; links and modes stay. */
export function writeEntry(path: string, format: Format, entry: Entry): Written {
  const before = textOf(path);
  let after: { text: string; changed: boolean };
  try {
    after = merged(format, before ?? "", entry);
  } catch (error) {
    if (!(error instanceof CannotMerge)) throw error;
    throw new PdppError("invalid_request", `${path} was left as it is: ${error.message}`, {
      next_step: "mend the file and run the command again, or run it without --write and put the entry in by hand",
    });
  }
  if (!after.changed) return { status: "unchanged" };
  if (before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    replace(path, after.text, 0o600);
    return { status: "created" };
  }
  const target = realpathSync(path);
  const backup = `${target}.bak`;
  copyFileSync(target, backup);
  replace(target, after.text, statSync(target).mode & 0o777);
  return { status: "updated", backup };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function replace(path: string, text: string, mode: number): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
