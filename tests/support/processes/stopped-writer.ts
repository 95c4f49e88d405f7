import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { compileCacheEnv } from "./compile-cache.ts";

const script = fileURLToPath(new URL("./lock-holder.ts", import.meta.url));

export interface StoppedWriter {
  /** Resumes the process and waits for it to finish. */
  resume(): Promise<void>;
  /** Kills the process if it is still running. */
  kill(): void;
}

/** Starts a process that takes a SQLite vault's write lock, then suspends it as Ctrl-Z would. */
export async function startStoppedWriter(dataDir: string): Promise<StoppedWriter> {
  const child = spawn(process.execPath, [script, `${dataDir}/vault.db`], {
    env: compileCacheEnv,
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  return {
    async resume() {
      const ended = once(child, "exit");
      child.kill("SIGCONT");
      child.stdin.write("\n");
      await ended;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
