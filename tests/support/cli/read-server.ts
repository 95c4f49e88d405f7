import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GrantRequest } from "@pdpp/contract/grant";
import { parseManifest } from "@pdpp/contract/manifest";
import { serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import { issueGrant } from "../../../packages/server/src/auth/issue.ts";
import { ingest } from "../../../packages/server/src/ingest/ingest.ts";
import { addConnection, findConnection } from "../../../packages/server/src/owner/connections.ts";
import { putBlob } from "../../../packages/server/src/store/blobs/blobs.ts";
import { runInProcess } from "./run-in-process.ts";
import { pdppFile, type RunResult, runPdpp, runProgram } from "./run-pdpp.ts";

/** A server with one small mailbox, and the command line as its client. */

const mailManifest = {
  connector_id: "https://example.org/connectors/mail",
  connector_key: "mail",
  version: "1.0.0",
  display_name: "Mail",
  streams: [
    {
      name: "mails",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          subject: { type: "string", x_pdpp_role: "primary-title" },
          sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          sender: { type: "string", x_pdpp_role: "actor" },
          body: { type: "string", x_pdpp_role: "body" },
          scan: { type: ["object", "null"], x_pdpp_type: "blob", x_pdpp_role: "blob-reference" },
        },
      },
      query: {
        search: { lexical_fields: ["subject", "body"] },
        range_filters: { sent_at: ["gte", "gt", "lte", "lt"] },
        aggregations: { count: true, group_by: ["sender"], group_by_time: ["sent_at"], min: ["sent_at"] },
      },
    },
  ],
};

export interface ReadServer {
  readonly url: string;
  readonly token: string;
  readonly blobId: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs in this process, and so in its time zone. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>;
  /** Runs in a child process. */
  program(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>;
  /** Runs a line as pasted into a shell. */
  shell(command: string, env?: Readonly<Record<string, string>>): Promise<RunResult>;
  close(): Promise<void>;
}

const now = Date.parse("2026-06-01T12:00:00Z");

async function* toLines(records: Iterable<object>): AsyncGenerator<Uint8Array> {
  for (const data of records) yield Buffer.from(`${JSON.stringify({ data })}\n`);
}

export async function startReadServer(
  records: (blob: object) => Iterable<object>,
  options: { clientQueries?: boolean; narrow?: object } = {},
): Promise<ReadServer> {
  const directory = mkdtempSync(join(tmpdir(), "pdpp-read-"));
  const dataDir = join(directory, "vault");
  const store = await openStore({ dataDir });
  await store.register(parseManifest(mailManifest), now);
  await addConnection(store, 1, { connectorKey: "mail", id: "cin_x", label: "Home" }, now);
  const bytes = (async function* () {
    yield Buffer.from([0, 1, 2, 3, 255, 27]);
  })();
  const { isNew: _, ...blob } = await putBlob(store.engine, store.blobs, 1, bytes, "application/pdf", now);
  const connection = await findConnection(store, 1, "cin_x");
  const target = { ownerNo: 1, connection, stream: "mails" };
  const report = await ingest(store, target, toLines(records(blob)), { now: () => now });
  if (report.records_rejected > 0) throw new Error(JSON.stringify(report.rejections[0]));
  const request: GrantRequest = {
    client: { name: "test" },
    sources: [{ connector_key: "mail", streams: [{ name: "mails", ...options.narrow }] }],
  };
  const { token } = await issueGrant(store, 1, request, now);
  await store.close();
  const { clientQueries } = options;
  const running = await serve({
    dataDir,
    port: 0,
    host: "127.0.0.1",
    ...(clientQueries === undefined ? {} : { clientQueries }),
  });
  const program = join(directory, "pdpp");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${pdppFile}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = { PDPP_ACCESS_TOKEN: token, PDPP_PROVIDER_URL: running.url, HOME: directory };
  return {
    url: running.url,
    token,
    blobId: (blob as { blob_id: string }).blob_id,
    directory,
    env,
    run: (args, more) => runInProcess(args, { env: { ...env, ...more } }),
    program: (args, more) => runPdpp(args, { env: { ...env, ...more } }),
    shell: (command, more) =>
      runProgram("/bin/sh", ["-c", command], {
        env: { ...env, PATH: `${directory}:${process.env.PATH}`, ...more },
        cwd: directory,
      }),
    close: async () => {
      await running.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
