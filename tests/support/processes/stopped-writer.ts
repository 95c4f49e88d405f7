import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { quickStart } from "./compile-cache.ts";

const script = fileURLToPath(new URL("./lock-holder.ts", import.meta.url));

export interface StoppedWriter {
  /** Resumes the process and waits for it to finish. */
  goOn(): Promise<void>;
  /** Kills the process if it is still running. */
  end(): void;
}

/** Starts a process that takes a SQLite vault's write lock, then suspends it as Ctrl-Z would. */
export async function stoppedWriter(dataDir: string): Promise<StoppedWriter> {
  const child = spawn(process.execPath, [script, `${dataDir}/vault.db`], {
    env: quickStart,
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  return {
    async goOn() {
      const ended = once(child, "exit");
      child.kill("SIGCONT");
      child.stdin.write("\n");
      await ended;
    },
    end: () => void child.kill("SIGKILL"),
  };
}
