import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { syncSource } from "@pdpp/collecting/sync-source";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { CollectionMode, RunDocument } from "@pdpp/contract/sources";
import { mailManifest } from "@pdpp/importers/mail/manifest";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import type { Store } from "@pdpp/server/store/store";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { type Dovecot, password, user } from "./dovecot.ts";

/** A vault with an IMAP source, synced in this process. */
export interface MailWorld {
  readonly owner: OwnerApi;
  readonly store: Store;
  readonly folder: string;
  sync(more?: {
    readonly mode?: CollectionMode;
    readonly env?: Readonly<Record<string, string>>;
  }): Promise<RunDocument>;
  /** All runs since the last call. */
  takeRuns(): Promise<RunDocument[]>;
  /** The labels of each mail in the vault. */
  readLabels(): Promise<Map<string, unknown>>;
  readFlags(): Promise<Map<string, unknown>>;
  readRecords(stream: string): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

const sourceId = "account";

export async function createMailWorld(
  { port }: Pick<Dovecot, "port">,
  settings: Record<string, string> = {},
): Promise<MailWorld> {
  const vault = await createVault("sqlite");
  const { store } = vault;
  const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
  const folder = mkdtempSync(join(tmpdir(), "pdpp-mail-"));
  await owner.connectors.register(parseManifest(mailManifest));
  await owner.connections.add({ connector_key: "mail-files", connection_id: "mail" });
  const values = {
    IMAP_HOST: "127.0.0.1",
    IMAP_PORT: String(port),
    IMAP_SECURITY: "none",
    IMAP_USER: user,
    ...settings,
  };
  await owner.sources.add({
    source_id: sourceId,
    kind: "connector",
    connection_id: "mail",
    settings: { builtin: "imap", values },
  });
  let seen = 0;
  const readRecords = async (stream: string) => {
    const records: Record<string, unknown>[] = [];
    for await (const record of (await owner.reader()).export({}))
      if (record.stream === stream) records.push(record.data);
    return records;
  };
  return {
    owner,
    store,
    folder,
    sync: async ({ mode = "incremental", env = {} } = {}) =>
      syncSource(owner, await owner.sources.get(sourceId), {
        dataDir: folder,
        databaseUrl: undefined,
        mode,
        env: { IMAP_PASSWORD: password, ...env },
      }),
    async takeRuns() {
      const runs = (await owner.sources.listRuns(sourceId, 500)).filter(({ run_number }) => run_number > seen);
      seen = runs[0]?.run_number ?? seen;
      return runs.reverse();
    },
    readRecords,
    readLabels: async () => new Map((await readRecords("messages")).map(({ id, labels }) => [String(id), labels])),
    readFlags: async () => new Map((await readRecords("messages")).map(({ id, flags }) => [String(id), flags])),
    async drop() {
      rmSync(folder, { recursive: true, force: true });
      await vault.drop();
    },
  };
}
