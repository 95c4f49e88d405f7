import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";

/** Kills a process shortly after its first output. Returns the last complete line it printed. */
export function runAndKill(script: URL, task: object, moment: number): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(script), JSON.stringify(task)], {
    env: compileCacheEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complaint = "";
  child.stdout.on("data", (text) => {
    if (said === "") setTimeout(() => child.kill("SIGKILL"), moment);
    said += text;
  });
  child.stderr.on("data", (text) => {
    complaint += text;
  });
  return new Promise((resolve, reject) =>
    child.on("close", (_code, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`the process ended by itself: ${complaint}`));
      // The kill truncated a last line without a newline.
      else resolve(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1) ?? "");
    }),
  );
}
