// Must avoid newer syntax, as pdpp.mjs.
import { homedir } from "node:os";
import { join } from "node:path";

/** The user's folder for what programs can make again. */
export function findCacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  if (process.platform === "win32") return process.env.LOCALAPPDATA || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  return join(homedir(), ".cache");
}
