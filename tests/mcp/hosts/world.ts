import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import { issueGrant } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection } from "#server/owner/connections";
import { putBlob } from "#server/store/blobs/blobs";
import { manifests } from "./manifests.ts";
import { createLoads, type Load, pictureBytes } from "./records.ts";

/**
 * A vault on a real server, with one token for a package of all its sources. The connection ids reveal nothing. They
 * and the clock are fixed, so that the cost of a task can be compared between runs.
 */

export interface World {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-hosts-"));
  const token = await fill(dataDir);
  const running = await serve({ dataDir, port: 0, host: "127.0.0.1" });
  return {
    url: running.url,
    token,
    async close() {
      await running.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function fill(dataDir: string): Promise<string> {
  const store = await openStore({ dataDir });
  const now = Date.parse("2026-11-01T12:00:00Z");
  try {
    for (const manifest of manifests) await store.register(parseManifest(manifest), now);
    const { isNew: _, ...picture } = await putBlob(store.engine, store.blobs, 1, once(pictureBytes), "image/png", now);
    for (const { connectorKey, label, streams } of createLoads(picture as unknown as JsonObject)) {
      const connection = await addConnection(store, 1, { connectorKey, id: createId(label), label }, now);
      for (const [stream, records] of Object.entries(streams)) {
        const report = await ingest(store, { ownerNo: 1, connection, stream }, toLines(records), { now: () => now });
        if (report.records_accepted !== records.length) throw new Error(JSON.stringify(report));
      }
    }
    const sources = manifests.map((manifest) => ({
      connector_key: String(manifest.connector_key),
      streams: [{ name: "*" }],
    }));
    return (await issueGrant(store, 1, { client: { name: "agent" }, sources }, now)).token;
  } finally {
    await store.close();
  }
}

const createId = (label: string): string =>
  `cin_${createHash("sha256").update(label).digest("base64url").slice(0, 16)}`;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* toLines(records: Load["streams"][string]): AsyncGenerator<Uint8Array> {
  for (const data of records) yield Buffer.from(`${JSON.stringify({ data })}\n`);
}
