import { tmpdir } from "node:os";
import { join } from "node:path";

/** Environment for child processes that are started often: their sources are compiled once. */
export const compileCacheEnv: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_COMPILE_CACHE: join(tmpdir(), "pdpp-test-cache"),
};
