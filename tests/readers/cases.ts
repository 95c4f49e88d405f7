import { PdppError } from "@pdpp/contract/errors";
import type { BlobContent, Input, ReadApi } from "@pdpp/contract/operations";
import { expect } from "vitest";
import { blobText, connectionId, type Library, largeBody, paperCount } from "./world.ts";

/** Test cases for every implementation of `ReadApi`. */

const paper = (record_id: string) => ({ stream: "papers", connection_id: connectionId, record_id });

async function readAll({ bytes }: BlobContent): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function getCode(read: Promise<unknown>): Promise<string> {
  const error = await read.then(
    () => "an answer",
    (reason: unknown) => reason,
  );
  if (!(error instanceof PdppError)) throw new Error(`not refused: ${error}`);
  return error.code;
}

/** Each is one promise of the interface, for a reader on any server. */
export const cases: readonly { readonly title: string; check(api: ReadApi, library: Library): Promise<void> }[] = [
  {
    title: "describes what can be read",
    async check(api) {
      const { connectors } = await api.schema({ view: "compact" });
      expect(connectors.flatMap(({ streams }) => streams.map(({ name }) => name)).sort()).toEqual(["notes", "papers"]);
      const { data } = await api.streams({ connection_id: connectionId });
      expect(data.map(({ name, record_count }) => [name, record_count]).sort()).toEqual([
        ["notes", 4],
        ["papers", paperCount],
      ]);
      expect((await api.stream({ stream: "papers" })).primary_key).toEqual(["id"]);
      expect((await api.connectors({})).data.map(({ connector_key }) => connector_key)).toEqual(["library"]);
    },
  },
  {
    title: "pages through a stream",
    async check(api) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const input: Input<"queryRecords"> = { stream: "papers", limit: 12 };
        const page = await api.queryRecords(cursor === undefined ? input : { ...input, cursor });
        for (const item of page.data) if (item.object === "record") seen.push(item.id);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect([seen.length, new Set(seen).size]).toEqual([paperCount, paperCount]);
    },
  },
  {
    title: "returns a large record in full",
    async check(api) {
      const item = await api.fetch(paper("large"));
      expect(item.object === "record" && item.data.body === largeBody).toBe(true);
    },
  },
  {
    title: "returns the card of a large record, with reads that lead to the rest",
    async check(api) {
      const card = await api.fetch({ ...paper("large"), view: "evidence" });
      if (card.object !== "evidence_card") throw new Error(card.object);
      const { omitted, slots } = card;
      expect(omitted?.read).toMatchObject({ operation: "fetch", arguments: paper("large") });
      const [body] = slots.body ?? [];
      if (body?.shown !== "preview" || body.read.operation !== "readField") throw new Error(JSON.stringify(body));
      const { arguments: next } = body.read;
      expect(next).toMatchObject({ ...paper("large"), field: "body" });
      const { window } = await api.readField({
        ...paper("large"),
        field: next.field,
        offset_chars: 5,
        limit_chars: 20,
      });
      expect([window.start_chars, largeBody.startsWith(window.text, 5)]).toEqual([5, true]);
      if (omitted?.read.operation !== "fetch" || omitted.read.arguments.fields === undefined)
        throw new Error("no fields");
      const rest = await api.fetch({ ...paper("large"), view: "evidence", fields: [...omitted.read.arguments.fields] });
      expect(JSON.stringify(rest)).toContain("value of extra_14");
    },
  },
  {
    title: "lists cards, including a large one",
    async check(api) {
      const { data } = await api.queryRecords({ stream: "papers", view: "evidence", limit: 3, order: "desc" });
      const [first] = data;
      expect(data.map(({ object }) => object)).toEqual(["evidence_card", "evidence_card", "evidence_card"]);
      expect(first?.object === "evidence_card" && first.omitted?.read.operation).toBe("fetch");
    },
  },
  {
    title: "returns a document",
    async check(api) {
      const item = await api.fetch({ ...paper("large"), view: "document", limit_chars: 1000 });
      if (item.object !== "record_document") throw new Error(item.object);
      expect(largeBody.startsWith(item.text)).toBe(true);
      expect(item.metadata.parts[0]?.read?.operation).toBe("readField");
    },
  },
  {
    title: "reads a field to its end by following the next window",
    async check(api) {
      let text = "";
      let input: Input<"readField"> = { ...paper("large"), field: "body", limit_chars: 16_384 };
      for (let reads = 0; reads < 100; reads += 1) {
        const { window, next } = await api.readField(input);
        text += window.text;
        if (next === null) break;
        if (next.operation !== "readField") throw new Error(next.operation);
        input = { ...next.arguments };
      }
      expect(text === largeBody).toBe(true);
    },
  },
  {
    title: "finds a word in a large record",
    async check(api) {
      const { data } = await api.search({ q: "quetzal" });
      expect(data.map(({ record_key }) => record_key)).toEqual(["large"]);
      const [evidence] = data[0]?.evidence ?? [];
      expect(evidence?.read).toMatchObject({ operation: "readField", arguments: { ...paper("large"), field: "body" } });
      const { window } = await api.readField({ ...paper("large"), field: "body", q: "quetzal" });
      expect(window.text).toContain("Only here stands the word quetzal");
    },
  },
  {
    title: "counts, sums and groups",
    async check(api) {
      expect((await api.aggregate({ stream: "papers", metric: "count" })).value).toBe(paperCount);
      const { groups } = await api.aggregate({ stream: "papers", metric: "count", group_by: "author" });
      expect(groups?.map(({ key, count }) => [key, count]).sort()).toEqual([
        ["Ada", 16],
        ["Bo", 14],
      ]);
    },
  },
  {
    title: "rejects with the same codes from any thread",
    async check(api, { blob: { blob_id } }) {
      const refused = {
        "no such record": () => api.fetch(paper("nothing")),
        "no such field, of a large record": () => api.fetch({ ...paper("large"), fields: ["nothing"] }),
        "no such connection": () => api.queryRecords({ stream: "papers", connection_id: "cin_other" }),
        "a broken cursor": () => api.queryRecords({ stream: "papers", cursor: "nonsense" }),
        "no such word in a large field": () => api.readField({ ...paper("large"), field: "body", q: "axolotl" }),
        "a sum of texts": () => api.aggregate({ stream: "papers", metric: "sum", field: "title" }),
        "no such blob": () => api.readBlob({ blob_id: "blob_sha256_00", connection_id: connectionId }),
        "a range outside of the blob": () => api.readBlob({ blob_id, connection_id: connectionId }, "bytes=9999999-"),
        "an export after nothing": async () => {
          for await (const _ of api.export({ after: "nonsense" }));
        },
      };
      const found: Record<string, unknown> = {};
      for (const [what, read] of Object.entries(refused)) found[what] = await getCode(read());
      expect(found).toEqual({
        "no such record": "not_found",
        "no such field, of a large record": expect.stringMatching(/^(unknown_field|field_not_granted)$/),
        "no such connection": "connection_not_found",
        "a broken cursor": "invalid_cursor",
        "no such word in a large field": "query_not_found",
        "a sum of texts": "invalid_request",
        "no such blob": "blob_not_found",
        "a range outside of the blob": "range_not_satisfiable",
        "an export after nothing": "invalid_cursor",
      });
    },
  },
  {
    title: "streams a blob, complete and in ranges",
    async check(api, { blob: { blob_id } }) {
      const whole = await api.readBlob({ blob_id, connection_id: connectionId });
      expect([whole.status, whole.sizeBytes, (await readAll(whole)) === blobText]).toEqual([
        200,
        blobText.length,
        true,
      ]);
      const part = await api.readBlob({ blob_id, connection_id: connectionId }, "bytes=2-9");
      expect([part.status, part.range, await readAll(part)]).toEqual([206, { first: 2, last: 9 }, "scanned "]);
    },
  },
  {
    title: "exports every record, or those after one",
    async check(api) {
      const ids: string[] = [];
      let isWhole = false;
      for await (const { stream, id, data } of api.export({})) {
        ids.push(`${connectionId}/${stream}:${id}`);
        isWhole ||= data.body === largeBody;
      }
      expect([ids.length, isWhole]).toEqual([paperCount + 4, true]);
      const rest: string[] = [];
      const from = { stream: "papers", after: ids.filter((id) => id.includes("papers")).at(-4) ?? "" };
      for await (const { id } of api.export(from)) rest.push(id);
      expect(rest).toHaveLength(3);
    },
  },
  {
    title: "releases everything of abandoned exports and blobs",
    async check(api, { blob: { blob_id } }) {
      for (let i = 0; i < 8; i += 1) {
        for await (const record of api.export({})) {
          expect(record.object).toBe("record");
          break;
        }
        const { bytes } = await api.readBlob({ blob_id, connection_id: connectionId });
        const reader = bytes.getReader();
        expect((await reader.read()).value?.byteLength).toBeGreaterThan(0);
        await reader.cancel();
      }
      expect((await api.aggregate({ stream: "papers", metric: "count" })).value).toBe(paperCount);
    },
  },
];

/** Calls whose results must be identical, wherever our server did the work. */
export const calls: Readonly<Record<string, (api: ReadApi) => Promise<unknown>>> = {
  "a full schema": (api) => api.schema({ stream: "papers", connection_id: connectionId, detail: "full" }),
  "a compact schema": (api) => api.schema({ view: "compact" }),
  connectors: (api) => api.connectors({}),
  streams: (api) => api.streams({}),
  "a stream": (api) => api.stream({ stream: "papers" }),
  "a page": (api) => api.queryRecords({ stream: "papers", limit: 5, count: "exact", window: "exact" }),
  "a page of cards": (api) => api.queryRecords({ stream: "papers", limit: 5, view: "evidence" }),
  "a filter": (api) => api.queryRecords({ stream: "papers", filter: { pages: { gte: 3, lt: 6 }, author: "Ada" } }),
  "a clamped limit": (api) => api.queryRecords({ stream: "notes", limit: 1000 }),
  changes: (api) => api.queryRecords({ stream: "papers", limit: 100, changes_since: "beginning" }),
  "a large record": (api) => api.fetch({ ...paper("large"), versions: 5 }),
  "the card of a large record with what belongs to it": (api) =>
    api.fetch({ ...paper("large"), view: "evidence", expand: ["notes"] }),
  "the document of a large record": (api) => api.fetch({ ...paper("large"), view: "document", max_chars: 9000 }),
  "a count": (api) => api.aggregate({ stream: "papers", metric: "count" }),
  groups: (api) => api.aggregate({ stream: "papers", metric: "count", group_by: "author", limit: 1 }),
  "groups of time": (api) =>
    api.aggregate({ stream: "papers", metric: "count", group_by_time: "written_at", granularity: "month" }),
  "a search": (api) => api.search({ q: "committee quetzal", view: "evidence", spread: "auto" }),
  "a search for what many have": (api) => api.search({ q: "words", limit: 3 }),
  "a window": (api) => api.readField({ ...paper("large"), field: "body", offset_chars: 70_000 }),
  "a window of numbers": (api) => api.readField({ ...paper("large"), field: "numbers" }),
  "a window around a match": (api) => api.readField({ ...paper("large"), field: "body", q: "quetzal" }),
  "the text of a blob": (api) => api.readField({ ...paper("large"), field: "scan{text}", limit_chars: 100 }),
  "a record that is not there": (api) => api.fetch(paper("nothing")),
  "a field that is not there": (api) => api.readField({ ...paper("large"), field: "nothing" }),
  "a word that is not there": (api) => api.readField({ ...paper("large"), field: "body", q: "axolotl" }),
  "an unknown relationship": (api) => api.fetch({ ...paper("large"), expand: ["nothing"] }),
  "a broken cursor": (api) => api.search({ q: "words", cursor: "nonsense" }),
};

const sealedKeys: ReadonlySet<string> = new Set(["cursor", "next_cursor", "previous_cursor", "next_changes_since"]);

/** Cursors have a fresh nonce each time; everything else is compared as is. */
function removeCursors(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\b(cursor|changes_since)=[\w%-]+/g, "$1=");
  if (Array.isArray(value)) return value.map(removeCursors);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [
      key,
      sealedKeys.has(key) && typeof held === "string" ? "sealed" : removeCursors(held),
    ]),
  );
}

/** A result or an error, in a comparable form. */
export async function getOutcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: removeCursors(await call) };
  } catch (error) {
    if (!(error instanceof PdppError)) throw error;
    const { code, message, details } = error;
    return { code, message, details };
  }
}
