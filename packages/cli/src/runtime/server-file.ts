import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sync as writeFileAtomic } from "write-file-atomic";
import { parseJsonObject } from "../input/parse-json.ts";

/** The address of the server that has a vault open, in the vault's folder, so that other commands find it. */

interface ServerFile {
  readonly url: string;
  readonly pid: number;
}

const getServerFilePath = (dataDir: string): string => join(dataDir, "server.json");

export function readServerFile(dataDir: string): ServerFile | undefined {
  try {
    const { url, pid } = parseJsonObject(readFileSync(getServerFilePath(dataDir), "utf8"));
    return typeof url === "string" && URL.canParse(url) && typeof pid === "number" ? { url, pid } : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that cannot be written to is no reason not to serve. */
export function writeServerFile(dataDir: string, url: string): void {
  try {
    writeFileAtomic(getServerFilePath(dataDir), JSON.stringify({ url, pid: process.pid }), { mode: 0o600 });
  } catch {
    // `pdpp open` then needs --url.
  }
}

/** Leaves the file of a server that started since. */
export function removeServerFile(dataDir: string): void {
  if (readServerFile(dataDir)?.pid === process.pid) rmSync(getServerFilePath(dataDir), { force: true });
}
