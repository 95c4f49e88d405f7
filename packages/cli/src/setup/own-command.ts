import { spawnSync } from "node:child_process";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import type { Entry, EntryName } from "./merge.ts";

/** An agent's own command that changes its configuration. The agent also writes this file while it runs, and its command takes turns with it. */
export interface OwnCommand {
  readonly program: string;
  readonly add: (entry: Entry, scope: Scope) => readonly string[];
  readonly remove: (entry: EntryName, scope: Scope) => readonly string[];
}

export type Scope = "user" | "project";

const endsMs = scaleTimeLimit(30_000);

/** The program may be absent, or refuse: the caller looks at the file. Windows would prefer a program of that name in the current folder. */
export function runOwnCommand({ program }: OwnCommand, args: readonly string[]): void {
  if (process.platform === "win32") return;
  spawnSync(program, args, { stdio: "ignore", timeout: endsMs, killSignal: "SIGKILL" });
}
