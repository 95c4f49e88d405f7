import type { JsonObject } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import { parseManifest } from "@pdpp/contract/manifest";
import type { BlobRef } from "@pdpp/contract/wire";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";

/**
 * A vault with what readers can get wrong: a large record with more fields than a card shows, related records, and a
 * stored file.
 */

const text = { type: ["string", "null"] };
/** Together with the others, more fields than fit on a card. */
export const extraFields: readonly string[] = Array.from({ length: 14 }, (_, i) => `extra_${i + 1}`);

const paperFields: JsonObject = {
  id: { type: "string" },
  title: { ...text, x_pdpp_role: "primary-title" },
  written_at: { type: ["string", "null"], format: "date-time", x_pdpp_role: "event-time" },
  author: { ...text, x_pdpp_role: "actor" },
  pages: { type: ["integer", "null"] },
  numbers: { type: ["array", "null"] },
  scan: { type: ["object", "null"], x_pdpp_type: "blob", x_pdpp_role: "blob-reference" },
  body: { ...text, x_pdpp_role: "body" },
  ...Object.fromEntries(extraFields.map((name) => [name, text])),
};

const libraryManifest: JsonObject = {
  connector_id: "https://example.org/connectors/library",
  connector_key: "library",
  version: "1",
  display_name: "Library",
  streams: [
    {
      name: "papers",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "written_at",
      consent_time_field: "written_at",
      selection: { fields: true, resources: true },
      schema: { type: "object", required: ["id"], properties: paperFields },
      relationships: [{ name: "notes", stream: "notes", foreign_key: "paper_id", cardinality: "has_many" }],
      query: {
        search: { lexical_fields: ["title", "body"] },
        range_filters: { written_at: ["gte", "lt"], pages: ["gte", "lt"] },
        aggregations: { count: true, sum: ["pages"], group_by: ["author"], group_by_time: ["written_at"] },
        expand: [{ name: "notes", default_limit: 2, max_limit: 5 }],
      },
    },
    {
      name: "notes",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, paper_id: { type: "string" }, text: { ...text, x_pdpp_role: "body" } },
      },
      query: { search: { lexical_fields: ["text"] } },
    },
  ],
};

export const connectionId = "cin_library";
export const paperCount = 30;
export const blobText = `${"A scanned page. ".repeat(8000)}The end.`;
const sentence = "The committee met again and decided nothing of interest. ";
export const largeBody = `${sentence.repeat(3000)}Only here stands the word quetzal. ${sentence.repeat(3000)}`;

const paper = (id: string, day: number, more: JsonObject = {}): object => ({
  data: {
    id,
    title: `Paper ${id}`,
    written_at: new Date(Date.parse("2026-03-01T08:00:00Z") + day * 86_400_000).toISOString(),
    author: day % 2 === 0 ? "Ada" : "Bo",
    pages: day + 1,
    body: `A few words about ${id}.`,
    ...more,
  },
});

export const everything: GrantRequest = {
  client: { name: "test" },
  sources: [{ connector_key: "library", streams: [{ name: "*" }] }],
};

export interface Library {
  readonly blob: BlobRef;
}

export async function createLibrary(vault: TestVault): Promise<Library> {
  const { store } = vault;
  await store.register(parseManifest(libraryManifest), now);
  await addConnection(store, 1, { connectorKey: "library", id: connectionId, label: "Reading room" }, now);
  async function* bytes() {
    yield Buffer.from(blobText);
  }
  const blob = await createOwner({ store, ownerNo: 1, now: () => now }).blobs.put({ mime_type: "text/plain" }, bytes());
  const extras = Object.fromEntries(extraFields.map((name) => [name, `value of ${name}`]));
  const numbers = Array.from({ length: 400 }, (_, i) => i * 3);
  const stored = [
    await putRecords(vault, connectionId, "papers", [
      ...Array.from({ length: paperCount - 1 }, (_, i) => paper(`p${String(i).padStart(2, "0")}`, i)),
      paper("large", 40, { ...extras, body: largeBody, numbers, scan: blob as JsonObject }),
    ]),
    await putRecords(
      vault,
      connectionId,
      "notes",
      Array.from({ length: 4 }, (_, i) => ({ data: { id: `n${i}`, paper_id: "large", text: `Note ${i} on it` } })),
    ),
  ];
  for (const { rejections } of stored) if (rejections.length > 0) throw new Error(JSON.stringify(rejections[0]));
  return { blob };
}
