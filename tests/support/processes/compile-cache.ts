import { tmpdir } from "node:os";
import { join } from "node:path";

/** The environment of child processes that tests start many times over: their sources are compiled once. */
export const quickStart: NodeJS.ProcessEnv = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "pdpp-test-cache") };
