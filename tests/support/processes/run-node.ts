import { execFile } from "node:child_process";
import { cleanEnvironment } from "../cli/run-pdpp.ts";
import { compileCacheEnv } from "./compile-cache.ts";

export interface NodeResult {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a dependency's program in a child process, with this Node. */
export function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<NodeResult> {
  const options = {
    env: cleanEnvironment({ NODE_COMPILE_CACHE: compileCacheEnv.NODE_COMPILE_CACHE!, ...env }),
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    );
    child.stdin?.end();
  });
}
