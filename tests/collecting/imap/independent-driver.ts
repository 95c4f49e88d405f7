import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { repository } from "@pdpp/test-support/repository/requirements";

/** An independent host: it knows only the public protocol and shares no code with ours. */

export interface Message {
  readonly type: string;
  readonly stream?: string;
  readonly key?: string;
  readonly op?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cursor?: unknown;
  readonly reason?: string;
  readonly status?: string;
  readonly records_emitted?: number;
  readonly error?: { readonly code: string; readonly message: string; readonly recovery_hint: string };
}

export async function driveConnector(env: Record<string, string>, state: unknown = null) {
  const program = `${repository}/packages/connectors/src/imap/imap-connector.ts`;
  const child = spawn(process.execPath, [program], { env: { PATH: process.env.PATH ?? "", ...env } });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const streams = [{ name: "messages" }, { name: "attachments" }];
  const start = { type: "START", run_id: "run-1", collection_mode: state === null ? "full_refresh" : "incremental" };
  child.stdin.write(`${JSON.stringify({ ...start, scope: { streams }, state, bindings: { network: {} } })}\n`);
  const messages: Message[] = [];
  const cursors: Record<string, unknown> = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as Message;
    messages.push(message);
    if (message.type === "STATE" && message.stream !== undefined) cursors[message.stream] = message.cursor;
    if (message.type === "DONE") child.stdin.end();
  }
  return { messages, cursors, code: await ended, stderr };
}
