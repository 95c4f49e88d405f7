import { createReadStream } from "node:fs";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { openStore, type Store } from "@pdpp/server/store/store";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection, findConnection } from "#server/owner/connections";
import { createReader } from "#server/read/reader";
import { connectionIds, connectorKey, manifest, streamName } from "./records.ts";

/** The vault under test, as its users access it. */

export interface Place {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

const ownerNo = 1;
const now = Date.now;

export const getVaultFile = ({ dataDir }: Place): string => `${dataDir}/vault.db`;

export async function setUp(place: Place): Promise<void> {
  const store = await openStore(place);
  await store.register(parseManifest(manifest), now());
  for (const id of connectionIds) await addConnection(store, ownerNo, { connectorKey, id }, now());
  await store.close();
}

export async function ingestFile(store: Store, connectionId: string, file: string): Promise<number> {
  const connection = await findConnection(store, ownerNo, connectionId);
  const bytes = createReadStream(file, { highWaterMark: 256 * 1024 });
  const report = await ingest(store, { ownerNo, connection, stream: streamName }, bytes, { now });
  if (report.records_rejected > 0) throw new Error(`records were rejected: ${JSON.stringify(report.rejections[0])}`);
  return report.records_accepted;
}

/** The token of a grant for the whole stream of both connections. */
export async function grantToken(store: Store): Promise<string> {
  const sources = [{ connector_key: connectorKey, streams: [{ name: streamName }] }];
  const { token } = await issueGrant(store, ownerNo, { client: { name: "bench" }, sources }, now());
  return token;
}

export const openGrantedReader = async (store: Store): Promise<ReadApi> =>
  createReader({ store, scope: await authenticate(store, await grantToken(store), now()) });
