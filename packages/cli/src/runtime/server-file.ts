import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sync as writeFileAtomic } from "write-file-atomic";
import { parseJsonObject } from "../input/parse-json.ts";

/** The address of the server that has a vault open, in the vault's folder, so that other commands find it. */

interface ServerFile {
  readonly url: string;
  /** Where programs of this computer reach it, if its address is another. */
  readonly localUrl?: string;
  readonly pid: number;
}

const getServerFilePath = (dataDir: string): string => join(dataDir, "server.json");

export function readServerFile(dataDir: string): ServerFile | undefined {
  try {
    const { url, pid, local_url: localUrl } = parseJsonObject(readFileSync(getServerFilePath(dataDir), "utf8"));
    if (!isUrl(url) || typeof pid !== "number") return undefined;
    return { url, pid, ...(isUrl(localUrl) ? { localUrl } : {}) };
  } catch {
    return undefined;
  }
}

const isUrl = (value: unknown): value is string => typeof value === "string" && URL.canParse(value);

/** A folder that cannot be written to is no reason not to serve. */
export function writeServerFile(dataDir: string, url: string, localUrl?: string): void {
  try {
    const document = JSON.stringify({ url, local_url: localUrl, pid: process.pid });
    writeFileAtomic(getServerFilePath(dataDir), document, { mode: 0o600 });
  } catch {
    // `pdpp open` then needs --url.
  }
}

/** Leaves the file of a server that started since. */
export function removeServerFile(dataDir: string): void {
  if (readServerFile(dataDir)?.pid === process.pid) rmSync(getServerFilePath(dataDir), { force: true });
}
