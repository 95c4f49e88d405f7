import { createHash, createHmac } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { type DemoBlob, type DemoRecord, type DemoVault, demoVault } from "@pdpp/demo/demo-vault";
import { issueGrant } from "../auth/issue.ts";
import { tokenHash } from "../auth/tokens.ts";
import { createOwner } from "../owner/owner.ts";
import { ownerNamed } from "../owner/owners.ts";
import { tokenByHash } from "../store/access/grants.ts";
import type { Store } from "../store/store.ts";

/** Fills the vault with the demo household, as far as it is not there yet, and answers with a token that reads all of it. */
export async function loadDemo(
  store: Store,
  now: number,
  onProgress: (message: string) => void = () => undefined,
): Promise<string> {
  const ownerNo = await ownerNamed(store);
  const owner = createOwner({ store, ownerNo, now: () => now });
  const vault = demoVault();
  const held = new Set((await owner.connections.list()).map(({ connection_id }) => connection_id));
  if (held.size === 0) onProgress("Making the demo vault ...");
  if (!(await owner.self()).is_time_zone_set) await owner.setTimeZone(vault.timeZone);
  for (const manifest of vault.manifests) await owner.connectors.register(parseManifest(manifest));
  for (const { connectionId, connectorKey, label, streams } of vault.connections) {
    if (!held.has(connectionId)) {
      await owner.connections.add({
        connector_key: connectorKey,
        connection_id: connectionId,
        display_name: label,
      });
    }
    const blobs: DemoBlob[] = [];
    const made = streams((blob) => {
      blobs.push(blob);
      return blobReference(blob);
    });
    for (const { stream, records } of made)
      await owner.records.ingest({ connection_id: connectionId, stream }, linesOf(records));
    for (const { bytes, mimeType } of blobs) await owner.blobs.put({ mime_type: mimeType }, once(bytes));
  }
  return demoToken(store, ownerNo, vault, now);
}

/** The same token at every start, so that an agent set up with it goes on working. */
async function demoToken(store: Store, ownerNo: number, vault: DemoVault, now: number): Promise<string> {
  const token = `pdpp_client_${createHmac("sha256", store.secret).update("demo token").digest("base64url")}`;
  const held = await store.engine.read((on) => tokenByHash(on, tokenHash(token)));
  if (held !== undefined) return token;
  const connectorKeys = [...new Set(vault.connections.map(({ connectorKey }) => connectorKey))];
  const request = {
    client: { name: "demo" },
    purpose: "Reading the demo vault",
    sources: connectorKeys.map((key) => ({ connector_key: key, streams: [{ name: "*" }] })),
  };
  return (await issueGrant(store, ownerNo, request, now, token)).token;
}

function blobReference({ bytes, mimeType }: DemoBlob): JsonObject {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { blob_id: `blob_sha256_${sha256}`, mime_type: mimeType, size_bytes: bytes.byteLength, sha256 };
}

async function* linesOf(records: Iterable<DemoRecord>): AsyncGenerator<Uint8Array> {
  for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
