import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import type { Store } from "@pdpp/server/store/store";
import { addConnection } from "../../../packages/server/src/owner/connections.ts";

/** A vault of many small records, and a newer manifest that makes all of them be rewritten. */

export const place = { connection_id: "home", stream: "notes" };

const buildManifest = (version: string, more: object, searched: string[]): ConnectorDeclaration =>
  parseManifest({
    connector_key: "notes",
    version,
    streams: [
      {
        name: "notes",
        semantics: "mutable_state",
        primary_key: ["id"],
        cursor_field: "at",
        schema: {
          type: "object",
          required: ["id"],
          properties: {
            id: { type: "string" },
            at: { type: "string", format: "date-time" },
            title: { type: "string" },
            body: { type: "string" },
            ...more,
          },
        },
        query: { search: { lexical_fields: searched } },
      },
    ],
  });

export const olderManifest = buildManifest("1", {}, ["title"]);
export const newerManifest = buildManifest("2", { tag: { type: "string" }, size: { type: "integer" } }, [
  "title",
  "body",
]);

const words = Array.from({ length: 5000 }, (_, n) => `w${((n * 7919) % 100_003).toString(36)}`);
const buildBody = (n: number, count: number) =>
  Array.from({ length: count }, (_, j) => words[(n * 31 + j * j * 17) % 5000]).join(" ");

const buildRecord = (n: number, bodyWords: number) => ({
  id: `k${n}`,
  at: new Date(1_700_000_000_000 + n * 60_000).toISOString(),
  title: `title ${words[n % 5000]} ${n}`,
  body: buildBody(n, bodyWords),
  tag: `t${n % 100}`,
  size: n % 7,
});

export async function* generateNotes(count: number, from = 0, bodyWords = 40): AsyncGenerator<Uint8Array> {
  for (let n = from; n < from + count; n += 500) {
    const some = Array.from({ length: Math.min(500, from + count - n) }, (_, i) => buildRecord(n + i, bodyWords));
    yield Buffer.from(some.map((data) => `${JSON.stringify({ data })}\n`).join(""));
  }
}

/** Registers the older manifest, adds a connection, and returns the vault's owner. */
export async function connectNotes(store: Store): Promise<OwnerApi> {
  await store.register(olderManifest, Date.now());
  await addConnection(store, 1, { connectorKey: "notes", id: place.connection_id }, Date.now());
  return createOwner({ store, ownerNo: 1, now: Date.now });
}
