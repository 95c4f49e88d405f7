import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBuiltin } from "@pdpp/collecting/builtin";
import { syncSource } from "@pdpp/collecting/sync-source";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunDocument } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { z } from "zod";
import { password } from "./radicale.ts";

const record = z.record(z.string(), z.unknown());

/** A vault with one source of a connector that comes with pdpp. */
export interface DavWorld {
  readonly owner: OwnerApi;
  readonly dataDir: string;
  readonly connection: string;
  sync(options?: {
    readonly mode?: "incremental" | "full_refresh";
    readonly password?: string;
    readonly signal?: AbortSignal;
  }): Promise<RunDocument>;
  /** Its records, by key. */
  read(): Promise<Map<string, z.infer<typeof record>>>;
  drop(): Promise<void>;
}

export async function createDavWorld(
  builtin: "caldav" | "carddav" | "feed",
  values: Readonly<Record<string, string>>,
): Promise<DavWorld> {
  const vault = await createVault("sqlite");
  const { store } = vault;
  const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-dav-"));
  const declaration = parseManifest(findBuiltin(builtin).records);
  await owner.connectors.register(declaration);
  await owner.connections.add({ connector_key: declaration.connectorKey, connection_id: "live" });
  const settings = { builtin, values: { ...values } };
  const added = { source_id: "live", kind: "connector", connection_id: "live", settings } as const;
  await owner.sources.add(added);
  return {
    owner,
    dataDir,
    connection: "live",
    async sync({ mode = "incremental", password: given = password, signal } = {}) {
      const source = await owner.sources.get("live");
      const options = {
        dataDir,
        databaseUrl: undefined,
        mode,
        env: { DAV_PASSWORD: given },
        ...(signal && { signal }),
      };
      return syncSource(owner, source, options);
    },
    async read() {
      const found = new Map<string, z.infer<typeof record>>();
      for await (const { id, data } of (await owner.reader()).export({})) found.set(id, record.parse(data));
      return found;
    },
    async drop() {
      rmSync(dataDir, { recursive: true, force: true });
      await vault.drop();
    },
  };
}

/** How many records a run stored, changed and deleted. */
export function countChanges({ tally }: RunDocument): { stored: number; changed: number; deleted: number } {
  const sum = { stored: 0, changed: 0, deleted: 0 };
  for (const { stored, changed, deleted = 0 } of Object.values(tally.streams)) {
    sum.stored += stored;
    sum.changed += changed;
    sum.deleted += deleted;
  }
  return sum;
}
