import { type ChildProcess, fork } from "node:child_process";
import { shareCompileCache } from "@pdpp/threads/compile-cache";
import { formatNodeFlags } from "@pdpp/threads/node-arguments";
import { maxImportMemoryMb } from "../limit-import.ts";

export const defaultHeapMb = 1024;

/** Starts a module of ours that reads files of others, with a separate heap. */
export const forkImport = (
  file: string,
  {
    heapMb = defaultHeapMb,
    env = {},
  }: { readonly heapMb?: number; readonly env?: Readonly<Record<string, string>> } = {},
): ChildProcess =>
  fork(file, [], {
    execArgv: formatNodeFlags([`--max-old-space-size=${heapMb}`]),
    env: { ...process.env, ...shareCompileCache(), ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });

export function describeExit(code: number | null, signal: string | null): string {
  if (signal === "SIGABRT" || code === 134) return "The import ran out of memory.";
  const ended = `The import process exited before it was done (${signal ?? `code ${code}`}).`;
  // Its watchdog kills it at the limit, and the operating system when memory runs out.
  return signal === "SIGKILL" ? `${ended} It may have needed more than ${maxImportMemoryMb} MB of memory.` : ended;
}
