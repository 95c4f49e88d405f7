import { createHmac } from "node:crypto";
import { parseManifest } from "@pdpp/contract/manifest";
import { demoVault, openEarlierVersions, openStream, readBlobs } from "@pdpp/demo/demo-vault";
import { issueGrant } from "../auth/issue.ts";
import { hashToken } from "../auth/tokens.ts";
import { createOwner } from "../owner/owner.ts";
import { findOwner } from "../owner/owners.ts";
import { findTokenByHash } from "../store/access/grants.ts";
import type { Store } from "../store/store.ts";

/** Adds the demo household to the vault, unless it is there already. Returns a token that can read all of it. */
export async function loadDemo(
  store: Store,
  now: number,
  onProgress: (message: string) => void = () => undefined,
): Promise<string> {
  const ownerNo = await findOwner(store);
  const owner = createOwner({ store, ownerNo, now: () => now });
  const held = new Set((await owner.connections.list()).map(({ connection_id }) => connection_id));
  if (held.size === 0) onProgress("Creating the demo vault ...");
  if (!(await owner.self()).is_time_zone_set) await owner.setTimeZone(demoVault.timeZone);
  for (const manifest of demoVault.manifests) await owner.connectors.register(parseManifest(manifest));
  for (const connection of demoVault.connections) {
    const { connectionId, connectorKey, label, streams, earlier } = connection;
    if (!held.has(connectionId)) {
      await owner.connections.add({
        connector_key: connectorKey,
        connection_id: connectionId,
        display_name: label,
      });
      // Only once: each start would add them again as changes.
      for (const stream of earlier)
        await owner.records.ingest({ connection_id: connectionId, stream }, openEarlierVersions(connectionId, stream));
    }
    for (const stream of streams)
      await owner.records.ingest({ connection_id: connectionId, stream }, openStream(connectionId, stream));
    for (const { bytes, mimeType } of readBlobs(connection))
      await owner.blobs.put({ mime_type: mimeType }, yieldOnce(bytes));
  }
  return issueDemoToken(store, ownerNo, now);
}

/** The same token at every start, so that agents set up with it keep working. */
async function issueDemoToken(store: Store, ownerNo: number, now: number): Promise<string> {
  const token = `pdpp_client_${createHmac("sha256", store.secret).update("demo token").digest("base64url")}`;
  const held = await store.engine.read((on) => findTokenByHash(on, hashToken(token)));
  if (held !== undefined) return token;
  const connectorKeys = [...new Set(demoVault.connections.map(({ connectorKey }) => connectorKey))];
  const request = {
    client: { name: "demo" },
    purpose: "Reading the demo vault",
    sources: connectorKeys.map((key) => ({ connector_key: key, streams: [{ name: "*" }] })),
  };
  return (await issueGrant(store, ownerNo, request, now, token)).token;
}

async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
