import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Json } from "@pdpp/contract/declaration";
import { z } from "zod";

/** An independent host of the public protocol: starts a connector, and reads its messages to the end. */

const record = z.object({
  type: z.literal("RECORD"),
  stream: z.string(),
  key: z.string(),
  op: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});
const message = z.object({
  type: z.string(),
  stream: z.string().optional(),
  cursor: z.json().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  status: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), recovery_hint: z.string().optional() }).optional(),
});
type Message = z.infer<typeof message>;

export interface DrivenRun {
  readonly records: z.infer<typeof record>[];
  readonly skipped: Pick<Message, "reason" | "message">[];
  readonly state: Record<string, Json> | null;
  readonly done: Pick<Message, "status" | "error">;
  readonly exitCode: number | null;
}

interface DriveOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly state?: DrivenRun["state"];
  readonly streams: readonly string[];
}

export async function drive(program: string, { env, state = null, streams }: DriveOptions): Promise<DrivenRun> {
  const file = fileURLToPath(new URL(`../../../packages/connectors/src/${program}`, import.meta.url));
  const child = spawn(process.execPath, [file], { env, stdio: ["pipe", "pipe", "inherit"] });
  const start = {
    type: "START",
    run_id: "run-1",
    collection_mode: state === null ? "full_refresh" : "incremental",
    scope: { streams: streams.map((name) => ({ name })) },
    state,
    bindings: { network: {} },
  };
  child.stdin.write(`${JSON.stringify(start)}\n`);
  const run = { records: [] as DrivenRun["records"], skipped: [] as Message[] };
  const saved: Record<string, Json> = {};
  let done: DrivenRun["done"] = {};
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const value: unknown = JSON.parse(line);
    const said = message.parse(value);
    if (said.type === "RECORD") run.records.push(record.parse(value));
    if (said.type === "SKIP_RESULT") run.skipped.push(said);
    if (said.type === "STATE" && said.stream !== undefined && said.cursor !== undefined)
      saved[said.stream] = said.cursor;
    if (said.type !== "DONE") continue;
    done = said;
    child.stdin.end();
  }
  const hasState = Object.keys(saved).length > 0;
  return { ...run, done, state: hasState ? saved : state, exitCode: await exited };
}
