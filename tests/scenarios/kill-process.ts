import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";

/** Lets a process go on for a moment after it first said something, then kills it. Answers the last whole line it said. */
export function killed(script: URL, task: object, moment: number): Promise<string> {
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
      // A last line without its end was cut off by the kill.
      else resolve(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1) ?? "");
    }),
  );
}
