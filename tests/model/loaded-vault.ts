import { parseManifest } from "@pdpp/contract/manifest";
import type { IssuedGrant } from "@pdpp/contract/owner";
import { hashToken } from "@pdpp/server/auth/tokens";
import type { Store } from "@pdpp/server/store/store";
import { createVault, type EngineName, type TestVault, type VaultPlace } from "@pdpp/test-support/vaults/new-vault";
import { createApp } from "#server/app";
import { issueGrant, issueOwnerToken } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection } from "#server/owner/connections";
import {
  findTokenByHash,
  insertGrant,
  insertToken,
  listGrants,
  listGrantsOfToken,
  revoke,
} from "#server/store/access/grants";
import { putBlob } from "#server/store/blobs/blobs";
import { listConnections } from "#server/store/catalog/connections";
import { buildManifest, type GrantRequest, type VaultSpec, type Write } from "./spec.ts";

/** A generated vault on a real engine, behind the server's fetch handler. */

export const clock = Date.parse("2026-08-01T12:00:00Z");
const origin = "http://127.0.0.1:7663";

export interface Answer {
  readonly status: number;
  /** Header names in lower case, as in fetch. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

interface Init {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface LoadedVault {
  /** Time of the next write. */
  now: number;
  /** Time at which clients read. */
  readAt: number;
  write(batch: readonly Write[]): Promise<void>;
  issue(request: GrantRequest): Promise<IssuedGrant>;
  /** Issues the same grants with the same ids and token, so that responses can be compared byte by byte. */
  adopt(other: LoadedVault, issued: IssuedGrant): Promise<void>;
  grantsBehind(token: string): ReturnType<typeof listGrantsOfToken>;
  storedToken(token: string): ReturnType<typeof findTokenByHash>;
  revoke(id: string): Promise<boolean>;
  ownerToken(): Promise<string>;
  allGrants(): ReturnType<typeof listGrants>;
  get(token: string, path: string, init?: Init): Promise<Answer>;
  /** Restarts: another server on the same data. */
  restart(): Promise<void>;
  readonly place: VaultPlace;
  readonly store: Store;
  flushLog(): Promise<void>;
  close(): Promise<void>;
  /** Errors thrown inside the server. */
  readonly bugs: unknown[];
  drop(): Promise<void>;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export async function loadVault(engine: EngineName, spec: VaultSpec): Promise<LoadedVault> {
  const vault = await createVault(engine, "a secret for both vaults");
  const { store } = vault;
  for (const connector of spec.connectors) await store.register(parseManifest(buildManifest(connector)), clock);
  for (const connection of spec.connections) await addConnection(store, 1, connection, clock);
  for (const { bytes, ref } of spec.blobs)
    await putBlob(store.engine, store.blobs, 1, once(bytes), ref.mime_type, clock);
  const loaded = wrapVault(vault);
  await loaded.write(spec.writes[0] ?? []);
  return loaded;
}

/** A vault that already has data. */
export function wrapVault(vault: TestVault): LoadedVault {
  let { store } = vault;
  const bugs: unknown[] = [];
  const createNewApp = () => createApp({ store, now: () => loaded.readAt, onBug: (error) => bugs.push(error) });
  let app = createNewApp();
  const loaded: LoadedVault = {
    now: clock - 86_400_000,
    readAt: clock - 1,
    bugs,
    place: { dataDir: vault.dataDir, ...(vault.databaseUrl === undefined ? {} : { databaseUrl: vault.databaseUrl }) },
    get store() {
      return store;
    },
    flushLog: () => store.log.flush(),
    close: () => store.close(),
    drop: vault.drop,
    async restart() {
      await vault.reopen();
      store = vault.store;
      app = createNewApp();
    },
    async write(batch) {
      const held = await store.engine.read((on) => listConnections(on, 1));
      // Consecutive lines for one stream are sent together, as an owner would.
      for (let from = 0; from < batch.length; ) {
        const { connectionId, stream } = batch[from]!;
        let to = from + 1;
        while (to < batch.length && batch[to]!.connectionId === connectionId && batch[to]!.stream === stream) to++;
        const lines = batch.slice(from, to).map(formatLine).join("\n");
        const target = { ownerNo: 1, connection: held.find(({ id }) => id === connectionId)!, stream };
        const report = await ingest(store, target, once(Buffer.from(lines)), { now: () => loaded.now });
        if (report.records_rejected > 0) throw new Error(`rejected: ${JSON.stringify(report.rejections[0])}`);
        from = to;
      }
    },
    issue: (request) => issueGrant(store, 1, request, clock - 1000),
    async adopt(other, issued) {
      const token = await other.storedToken(issued.token);
      const held = await other.grantsBehind(issued.token);
      await store.engine.write(async (on) => {
        for (const { grant, expiresAt } of held) await insertGrant(on, 1, grant, clock - 1000, expiresAt);
        await insertToken(on, hashToken(issued.token), token!);
      });
    },
    grantsBehind: (token) =>
      store.engine.read(async (on) => listGrantsOfToken(on, (await findTokenByHash(on, hashToken(token)))!)),
    storedToken: (token) => store.engine.read((on) => findTokenByHash(on, hashToken(token))),
    allGrants: () => store.engine.read((on) => listGrants(on, 1)),
    ownerToken: async () => (await issueOwnerToken(store, 1, "owner", clock - 1000, null)).token,
    revoke: (id) => store.engine.write((on) => revoke(on, 1, id, clock)),
    async get(token, path, init = {}) {
      const headers = { authorization: `Bearer ${token}`, "request-id": "req_model", ...init.headers };
      const response = await app.fetch(new Request(origin + path, { method: "GET", ...init, headers }));
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
    },
  };
  return loaded;
}

function formatLine({ op, key, data, emittedAt }: Write): string {
  return JSON.stringify({
    ...(op === "delete" ? { key, op } : { data }),
    ...(emittedAt === undefined ? {} : { emitted_at: emittedAt }),
  });
}

export const readText = (answer: Answer): string => Buffer.from(answer.bytes).toString("utf8");
export const readJson = (answer: Answer): Record<string, never> =>
  JSON.parse(readText(answer)) as Record<string, never>;
