import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { serve } from "@pdpp/server/main";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { markupAttacks } from "@pdpp/test-support/web/markup-attacks";
import { addConnection } from "#server/owner/connections";

/** Two sources of the same type: one with an attack in every text, one with harmless data of the same shape. */

const buildTameText = (i: number): string =>
  (markupAttacks[i] ?? "").replace(/[\s\S]/g, "a").replace(/^a{0,4}/, "TAME");

export const longText = Array.from({ length: 10_000 }, (_, i) => `<i>${String(i).padStart(6, "0")}`).join("");

const manifest: JsonObject = {
  connector_key: "odd",
  version: "1",
  display_name: "Odd",
  streams: [
    {
      name: "things",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "at",
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          name: { type: "string", x_pdpp_role: "primary-title", title: `<b onclick="hit=8">Name</b>` },
          who: { type: "string", x_pdpp_role: "actor" },
          text: { type: "string", x_pdpp_role: "body" },
          list: { type: "array", items: { type: "string" } },
          tree: { type: "object" },
          link: { type: "string", format: "uri" },
          file: { x_pdpp_type: "blob" },
        },
      },
      query: {
        search: { lexical_fields: ["name", "text"] },
        range_filters: { at: ["gte", "lt"] },
        aggregations: { count: true, group_by: ["who"], group_by_time: ["at"] },
      },
    },
  ],
};

export interface HostileVault {
  readonly site: string;
  readonly signInUrl: string;
  /** A grant for the malicious source, whose client has a malicious name. */
  readonly grant: string;
  /** A file of the malicious source. */
  readonly blob: string;
  close(): Promise<void>;
}

export async function createHostileVault(): Promise<HostileVault> {
  const home = mkdtempSync(join(tmpdir(), "pdpp-hostile-"));
  const dataDir = join(home, "vault");
  const store = await openStore({ dataDir });
  const vault = { store, dataDir } as TestVault;
  await store.register(parseManifest(manifest), now);
  await addConnection(store, 1, { connectorKey: "odd", id: "evil", label: `<u>${markupAttacks[1]}</u>` }, now);
  await addConnection(store, 1, { connectorKey: "odd", id: "tame", label: "Tame" }, now);
  await addConnection(store, 1, { connectorKey: "odd", id: "wide", label: markupAttacks[11] ?? "" }, now);
  await addConnection(store, 1, { connectorKey: "odd", id: "turned", label: markupAttacks[7] ?? "" }, now);
  const buildRecord = (id: string, text: string, i: number) => ({
    data: {
      id,
      at: new Date(now + i * 20 * 86_400_000).toISOString(),
      name: text.slice(0, 2000),
      who: text.slice(0, 2000),
      text: `${text}\n${text}`,
      list: [text.slice(0, 2000), text.slice(0, 2000)],
      tree: { [text.slice(0, 2000)]: [text.slice(0, 2000), { deep: text.slice(0, 2000) }] },
      link: text.slice(0, 2000),
    },
  });
  for (const [source, textAt] of [
    ["evil", (i: number) => markupAttacks[i] ?? ""] as const,
    ["tame", buildTameText] as const,
  ]) {
    // The first record has an earlier version.
    await putRecords(vault, source, "things", [buildRecord("r0", textAt(1), 0)]);
    await putRecords(
      vault,
      source,
      "things",
      markupAttacks.map((_, i) => buildRecord(`r${i}`, textAt(i), i)),
    );
  }
  await putRecords(vault, "tame", "things", [buildRecord("long", longText, 100)]);
  const owner = createOwner({ store, ownerNo: 1, now: Date.now });
  async function* servePage() {
    yield Buffer.from(`<!doctype html>${markupAttacks[0]}`);
  }
  const { blob_id } = await owner.blobs.put({ mime_type: "text/html" }, servePage());
  const file = { blob_id, mime_type: "text/html" };
  await putRecords(vault, "evil", "things", [
    { data: { ...buildRecord("file", markupAttacks[0] ?? "", 50).data, file } },
  ]);
  const { grants } = await owner.grants.issue({
    client: { name: (markupAttacks[2] ?? "").slice(0, 200) },
    sources: [{ connector_key: "odd", streams: [{ name: "things", connection_ids: ["evil", "wide", "turned"] }] }],
  });
  await store.close();
  const running = await serve({ dataDir, port: 0, host: "127.0.0.1" });
  return {
    site: new URL(running.signInUrl).origin,
    signInUrl: running.signInUrl,
    grant: grants[0]?.grant_id ?? "",
    blob: blob_id,
    async close() {
      await running.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
