import { type ChildProcessByStdio, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { lowerPriority } from "@pdpp/threads/lower-priority";
import { formatNodeFlags } from "@pdpp/threads/node-arguments";
import type { RunLimits } from "./limits.ts";

export interface ChildRequest {
  /** The folder of the connector's code, and its entry within. */
  readonly folder: string;
  readonly entry: string;
  readonly temporaryFolder: string;
  /** Further files and folders that it may read. */
  readonly readable: readonly string[];
  /** Further folders that it may read and write. */
  readonly writable: readonly string[];
  readonly canStartProcesses: boolean;
  readonly hasNetwork: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
}

export interface ConnectorChild {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly temporaryFolder: string;
  /** The exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** The end of what it wrote to standard error. */
  getStderr(): string;
  /** Ends the process and those it started. */
  kill(): void;
  removeFolder(): void;
}

const maxStderrChars = 4000;

/** Starts a connector as a child process, with as few rights as Node can enforce. */
export function startChild(request: ChildRequest): ConnectorChild {
  const { temporaryFolder } = request;
  const child = spawn(process.execPath, [...formatNodeFlags(listFlags(request)), join(request.folder, request.entry)], {
    cwd: temporaryFolder,
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", ...request.env, HOME: temporaryFolder, TMPDIR: temporaryFolder },
    stdio: ["pipe", "pipe", "pipe"],
    // Starts a process group, so that its descendants can be killed too.
    detached: true,
  });
  yieldToServer(child.pid);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-maxStderrChars);
  });
  // Writing to a process that has ended must not end ours.
  child.stdin.on("error", () => undefined);
  const exited = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code));
  });
  return {
    process: child,
    temporaryFolder,
    exited,
    getStderr: () => stderr,
    kill() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group has ended.
      }
    },
    removeFolder: () => rmSync(temporaryFolder, { recursive: true, force: true }),
  };
}

/** People are waiting for the server. The processes that a connector starts have its priority. */
function yieldToServer(pid: number | undefined): void {
  try {
    if (pid !== undefined) lowerPriority(pid);
  } catch {
    // It has ended already.
  }
}

function listFlags(request: ChildRequest): string[] {
  const { folder, temporaryFolder, readable, writable, hasNetwork, canStartProcesses, limits } = request;
  return [
    "--permission",
    // Node's permissions do not cover node:sqlite, which opens any file.
    "--no-experimental-sqlite",
    `--max-old-space-size=${limits.heapMegabytes}`,
    ...[folder, temporaryFolder, ...readable, ...writable].map((path) => `--allow-fs-read=${path}`),
    ...[temporaryFolder, ...writable].map((path) => `--allow-fs-write=${path}`),
    ...(hasNetwork ? ["--allow-net"] : []),
    // The watchdog of a process with limits is a thread.
    ...(canStartProcesses ? ["--allow-child-process", "--allow-worker"] : []),
  ];
}
