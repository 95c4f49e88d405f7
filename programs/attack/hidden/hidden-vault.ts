import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import { openStore, type Store } from "@pdpp/server/store/store";
import { authenticate } from "#server/auth/authenticate";
import { createOwner } from "#server/owner/owner";
import { createReader } from "#server/read/reader";
import type { Target } from "../attack.ts";

/** A vault of two connections, and a client that may read the texts of one. Shared by the attacks on hidden data. */

const text = { type: ["string", "null"] };
const manifest = parseManifest({
  connector_key: "diary",
  version: "1",
  streams: [
    {
      name: "entries",
      semantics: "mutable_state",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, text, secret: text },
      },
      query: { search: { lexical_fields: ["text", "secret"] } },
    },
  ],
});

export interface Entry {
  readonly id: string;
  readonly text: string;
  readonly secret?: string;
}

export interface HiddenVault {
  readonly store: Store;
  readonly owner: OwnerApi;
  /** The client's reader, created for the current state of the vault as for each request. */
  client(): Promise<ReadApi>;
  write(connection: "mine" | "other", entries: readonly Entry[]): Promise<void>;
}

export async function withHiddenVault<T>(target: Target, work: (vault: HiddenVault) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = target;
  const store = await openStore({ dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
  try {
    const owner = createOwner({ store, ownerNo: 1, now: Date.now });
    await owner.connectors.register(manifest);
    for (const id of ["mine", "other"]) await owner.connections.add({ connector_key: "diary", connection_id: id });
    const stream = { name: "entries", fields: ["id", "text"], connection_ids: ["mine"] };
    const sources = [{ connector_key: "diary", streams: [stream] }];
    const { token } = await owner.grants.issue({ client: { name: "client" }, sources });
    return await work({
      store,
      owner,
      client: async () => createReader({ store, scope: await authenticate(store, token, Date.now()) }),
      async write(connection_id, entries) {
        const lines = (async function* () {
          for (const data of entries) yield Buffer.from(`${JSON.stringify({ data })}\n`);
        })();
        await owner.records.ingest({ connection_id, stream: "entries" }, lines);
      },
    });
  } finally {
    await store.close();
  }
}
