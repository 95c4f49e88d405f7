import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** Shares this process's compile cache, with a child, which halves the time the child takes to start. */
export function shareCompileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
