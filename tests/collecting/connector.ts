import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunDocument } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { type CollectRequest, collect } from "#collecting/run/collect";

/** Connectors as small scripts, each written for one test. */

const stream = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  semantics: "mutable_state",
  primary_key: ["id"],
  cursor_field: "at",
  consent_time_field: "at",
  selection: { fields: true, resources: true },
  schema: {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      at: { type: ["string", "null"], format: "date-time", x_pdpp_role: "event-time" },
      body: { type: ["string", "null"] },
      count: { type: ["integer", "null"] },
    },
  },
  ...more,
});

export const manifest: JsonObject = {
  connector_key: "sample",
  version: "1.2.0",
  display_name: "Sample",
  streams: [
    stream("notes"),
    stream("tasks"),
    stream("details", { coverage_strategy: "parent_detail_accounting", parent_streams: ["lists"] }),
    stream("lists"),
    stream("marks", { coverage_strategy: "checkpoint_window", state_stream: "notes" }),
  ],
};

export const withStreams = (streams: JsonObject[]): JsonObject => ({ ...manifest, streams });
export const declareStream = stream;

/** Helpers that every script may use. `reply()` is the next message of the host. */
export const prelude = `
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const reply = async () => { const { value, done } = await lines.next(); return done ? null : JSON.parse(value); };
const raw = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
const say = (message) => raw(JSON.stringify(message) + "\\n");
let sent = 0;
const at = "2026-11-01T10:00:00Z";
const record = (stream, id, data = {}, more = {}) => { sent += 1; return say({ type: "RECORD", stream, key: id, data: { id, at, ...data }, emitted_at: at, ...more }); };
const state = (stream, cursor) => say({ type: "STATE", stream, cursor });
const done = (status = "succeeded", more = {}) => say({ type: "DONE", status, records_emitted: sent, ...more });
/** As public connectors do: end when standard input does. */
const leave = async (code = 0) => { while ((await reply()) !== null); process.exitCode = code; };
const start = await reply();
`;

export interface World {
  readonly owner: OwnerApi;
  readonly folder: string;
  /** Runs a script as a connector of the source \`sample\`. */
  run(script: string, options?: Partial<CollectRequest> & { readonly manifest?: JsonObject }): Promise<RunDocument>;
  list(name: string): Promise<Record<string, unknown>[]>;
}

export async function createWorld({ store }: TestVault): Promise<World> {
  const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
  const folder = mkdtempSync(join(tmpdir(), "pdpp-connector-"));
  await owner.connectors.register(parseManifest(manifest));
  await owner.connections.add({ connector_key: "sample", connection_id: "sample" });
  await owner.sources.add({ source_id: "sample", kind: "connector", connection_id: "sample", settings: {} });
  let scripts = 0;
  return {
    owner,
    folder,
    async run(script, { manifest: other = manifest, ...options } = {}) {
      scripts += 1;
      const entry = `connector-${scripts}.mjs`;
      writeFileSync(join(folder, entry), prelude + script);
      const connector = { declaration: parseManifest(other), folder, entry };
      return collect(owner, { sourceId: "sample", connectionId: "sample", mode: "incremental", connector, ...options });
    },
    async list(name) {
      const records: Record<string, unknown>[] = [];
      for await (const record of (await owner.reader()).export({}))
        if (record.stream === name) records.push(record.data);
      return records;
    },
  };
}
