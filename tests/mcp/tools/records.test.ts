import { globSync, readFileSync } from "node:fs";
import type { JsonObject } from "@pdpp/contract/declaration";
import { formatUri } from "@pdpp/evidence/handles/uri";
import { parseOfferedCalls, type Result } from "@pdpp/test-support/mcp/clients";
import { base64, saga } from "@pdpp/test-support/mcp/world";
import { describe, expect, it } from "vitest";
import { onEverySurface } from "../every-surface.ts";

const visible = ({ content, structuredContent }: Result): string => JSON.stringify([content, structuredContent]);
const seenBy = ({ text, structuredContent }: Result): string => text + JSON.stringify(structuredContent);

describe("records", () => {
  onEverySurface((on) => {
    const call = (tool: string, args: object) => on().client.call(tool, args);

    it("[FET-1] [HOST-5] fetches a document with the same five keys in both forms and a URL the owner can open", async () => {
      for (const id of [
        "attic/documents:small",
        "attic/documents:saga",
        "attic/documents:scan",
        "chat_home/messages:h01",
      ]) {
        const { text, structuredContent, content } = await call("fetch", { id });
        expect(Object.keys(structuredContent).sort()).toEqual(["id", "metadata", "text", "title", "url"]);
        expect(JSON.parse(text)).toEqual(structuredContent);
        expect(content).toHaveLength(1);
        expect(structuredContent.url).toBe(`http://localhost:7663/record/${id}`);
        expect(text).not.toMatch(/provider_url|request_id|"data":/);
      }
    });

    it("[FET-2] shows only the requested fields of a record and its origin", async () => {
      const result = await call("fetch", { id: "attic/documents:saga", fields: ["author"] });
      expect(seenBy(result)).not.toMatch(/Subject of|quick fox|received/);
      expect(seenBy(result)).toContain("Ada");
      expect(result.structuredContent.metadata).toMatchObject({
        connection_id: "attic",
        connector_key: "archive",
        stream: "documents",
        record_version: "1",
      });
    });

    it("[FET-3] says when a text was truncated, and the continuing read starts exactly there", async () => {
      const { structuredContent } = await call("fetch", { id: "attic/documents:saga" });
      const { metadata, text } = structuredContent;
      expect(metadata).toMatchObject({ complete: false, text_truncated: true });
      const [part] = metadata.continues;
      expect(part.field_path).toBe("content");
      const rest = await on().client.follow(part.read);
      expect(rest.structuredContent.window.start_chars).toBe(part.window.end_chars);
      expect(saga.startsWith(text.slice(0, part.window.end_chars))).toBe(true);
      expect(saga.slice(part.window.end_chars)).toMatch(
        new RegExp(`^${rest.structuredContent.window.text.slice(0, 30)}`),
      );
    });

    it("[TOOL-20] [EVI-41] fetches related records with their fields", async () => {
      const { structuredContent, text } = await call("fetch", {
        id: "chat_home/channels:general",
        expand: ["messages"],
        expand_limit: { messages: 2 },
      });
      const { messages } = structuredContent.metadata.expanded;
      expect(messages).toMatchObject({ has_more: true, next: { tool: "query_records" } });
      expect(messages.records).toHaveLength(2);
      for (const { id, fields } of messages.records)
        expect(fields).toMatchObject({ channel_id: "general", text: expect.any(String), id: id.split(":")[1] });
      expect(JSON.parse(text)).toEqual(structuredContent);
      const all = await on().client.follow(messages.next);
      expect(all.structuredContent.records.length).toBeGreaterThan(2);
    });

    it("[EVI-41] shows the fields of related records in both forms of query_records", async () => {
      const { structuredContent, text } = await call("query_records", { stream: "channels", expand: ["messages"] });
      for (const { expanded } of structuredContent.records)
        for (const { fields } of expanded.messages.records) {
          expect(Object.keys(fields)).toEqual(expect.arrayContaining(["text", "likes", "channel_id"]));
          expect(text).toContain(`text: ${JSON.stringify(fields.text)}`);
        }
    });

    it("[TOOL-21] shows the fields of a declared view in query_records and names the available views", async () => {
      const { structuredContent } = await call("query_records", { stream: "messages", view: "short", limit: 3 });
      for (const { fields } of structuredContent.records)
        expect(Object.keys(fields).sort()).toEqual(["id", "secret", "text"]);
      const wrong = await call("query_records", { stream: "messages", view: "long" });
      expect(wrong.structuredContent.error).toMatchObject({ code: "invalid_request", param: "view" });
      expect(wrong.text).toContain("declared views: short");
    });

    it("[FET-10] selects nested fields of objects", async () => {
      const asked = { fields: ["tree.list", "id"] };
      const { structuredContent, text } = await call("fetch", { id: "attic/documents:tree", ...asked });
      expect(structuredContent.metadata.related).toBeUndefined();
      expect(text).toContain("tree.list");
      const wrong = await call("fetch", { id: "attic/documents:tree", fields: ["content.nope"] });
      expect(wrong.structuredContent.error).toMatchObject({ code: "unknown_field", param: "fields" });
    });

    it("[FET-4] narrows each record in query_records to the requested fields and its identity", async () => {
      const result = await call("query_records", { stream: "messages", fields: ["text"], limit: 3 });
      for (const { fields } of result.structuredContent.records)
        expect(Object.keys(fields).filter((name) => name !== "id")).toEqual(["text"]);
      expect(seenBy(result)).not.toMatch(/likes|CANARY|channel_id/);
    });

    it("[FET-7] shows an event time in a projection only if it was requested", async () => {
      const fetched = await call("fetch", { id: "chat_home/messages:h01", fields: ["text"] });
      expect(seenBy(fetched)).not.toMatch(/event_time|local_time|2026-05/);
      expect(fetched.structuredContent.title).toBe("messages: message h01");
      const listed = await call("query_records", {
        stream: "messages",
        connection_id: "chat_home",
        fields: ["text"],
        limit: 3,
      });
      for (const record of listed.structuredContent.records) {
        expect(record).not.toHaveProperty("event_time");
        expect(record.title).toMatch(/^messages: /);
        expect(record.fields.text).toContain(record.title.slice("messages: ".length).replace("…", ""));
      }
      const dated = await call("fetch", { id: "chat_home/messages:h01", fields: ["text", "sent_at"] });
      expect(dated.structuredContent.metadata.event_time).toMatch(/^2026-05/);
      expect(dated.structuredContent.title).toBe("messages: message h01");
    });

    it("[FET-5] [WIN-5] returns small results as one text block, without a link or a file", async () => {
      for (const [tool, args] of [
        ["fetch", { id: "attic/documents:small" }],
        ["query_records", { stream: "messages" }],
        ["search", { query: "boiler" }],
        ["read_record_field", { id: "attic/documents:small", field_path: "content" }],
      ] as const) {
        const { content } = await call(tool, args);
        expect(content.map(({ type }) => type)).toEqual(["text"]);
      }
    });

    it("[FET-6] [BIG-1] shows a value in full, or describes it with its size and the call that reads it", async () => {
      const { structuredContent, text } = await call("query_records", { stream: "documents", filter: { id: "saga" } });
      const [card] = structuredContent.records;
      expect(card.fields).toMatchObject({ subject: "Subject of saga", author: "Ada" });
      expect(card.fields).not.toHaveProperty("content");
      const [described] = card.described;
      expect(described).toMatchObject({
        field_path: "content",
        truncated: true,
        window: { total_chars: [...saga].length },
      });
      expect(saga.startsWith(described.preview)).toBe(true);
      expect(card.complete).toBe(false);
      expect(text).toContain(`content (first ${described.window.end_chars} of ${[...saga].length} chars)`);
      expect(parseOfferedCalls(text)).toContainEqual(described.read);
      expect((await on().client.follow(described.read)).structuredContent.window.text).toContain("The quick fox");
    });

    it("[BIG-2] [BIG-4] describes bytes in a text instead of showing them, and treats an object with an id and a url as a plain object", async () => {
      for (const result of [
        await call("fetch", { id: "attic/documents:picture" }),
        await call("query_records", { stream: "documents", filter: { id: "picture" } }),
        await call("read_record_field", { id: "attic/documents:picture", field_path: "content" }),
        await call("read_record_field", { id: "attic/documents:picture", field_path: "picture" }),
        await call("search", { query: "picture before" }),
      ]) {
        expect(result.isError).toBeUndefined();
        for (let at = 0; at < base64.length - 60; at += 500)
          expect(visible(result)).not.toContain(base64.slice(at, at + 60));
      }
      const small = await call("fetch", { id: "attic/documents:small" });
      expect(small.structuredContent.metadata.fields.link).toEqual({ id: "x", url: "https://example.org/x" });
    });

    it("[BIG-1] [BIG-2] shows a stored file's type, size and digest, and a read of its text if it has any", async () => {
      const { structuredContent } = await call("fetch", { id: "attic/documents:scan" });
      const [scan] = structuredContent.metadata.described;
      expect(scan).toMatchObject({ field_path: "scan", blobs: [{ mime_type: "image/png", size_bytes: 8 }] });
      expect(scan.blobs[0]).not.toHaveProperty("text");
      const letter = await call("fetch", { id: "attic/documents:letter" });
      const [blob] = letter.structuredContent.metadata.described[0].blobs;
      expect((await on().client.follow(blob.text)).structuredContent.window.text).toBe(
        "A letter about quinces, stored as a file.",
      );
    });

    it("[BIG-3] [HND-6] serves bytes as a resource under the grant, by a name that grants no access", async () => {
      const { client, world } = on();
      const { structuredContent } = await call("fetch", { id: "attic/documents:scan" });
      const blobId = structuredContent.metadata.described[0].blobs[0].blob_id;
      const uri = formatUri({ kind: "blob", name: { connectionId: "attic", blobId } });
      expect(await client.resource(uri)).toMatchObject({ mimeType: "image/png", blob: "iVBORwABAgM=" });
      const foreign = (await world.putBlob("not in any record", "text/plain")).blob_id as string;
      const other = formatUri({ kind: "blob", name: { connectionId: "attic", blobId: foreign } });
      await expect(client.resource(other)).rejects.toThrow();
    });

    it("[BIG-6] puts the URI in _meta of every result that names a stored file", async () => {
      const blobs = async (tool: string, args: object) => (await call(tool, args))._meta?.["pdpp/blobs"];
      const { structuredContent } = await call("fetch", { id: "attic/documents:letter" });
      const blobId = structuredContent.metadata.described[0].blobs[0].blob_id;
      const uri = formatUri({ kind: "blob", name: { connectionId: "attic", blobId } });
      expect(await blobs("fetch", { id: "attic/documents:letter" })).toEqual([uri]);
      expect(await blobs("query_records", { stream: "documents", filter: { id: "letter" } })).toEqual([uri]);
      expect(await blobs("query_records", { stream: "documents", filter: { id: "saga" } })).toBeUndefined();
    });

    it("[EVI-10] says how many records a full page leaves out, and that fewer fields show more when that helps", async () => {
      const full = await call("query_records", { stream: "messages", limit: 100 });
      const shown = full.structuredContent.records.length;
      expect(shown).toBeLessThan(53);
      expect(full.text.split("\n")[0]).toBe(
        `messages: ${shown} records of 53 in all, order desc (the result is full; ask for fewer fields to fit more); next page:`,
      );
      expect(full.structuredContent.count).toEqual({ kind: "exact", value: 53 });
      const short = await call("query_records", { stream: "messages", limit: 1 });
      expect(short.text).toMatch(/^messages: 1 record of 53 in all, order desc; next page:\n/);
    });

    it("[BIG-5] pages through many records with a cursor that continues exactly after the last", async () => {
      const ids: string[] = [];
      let page = await call("query_records", { stream: "messages" });
      for (;;) {
        ids.push(...page.structuredContent.records.map(({ id }: { id: string }) => id));
        expect(page.structuredContent.has_more).toBe(page.structuredContent.next !== undefined);
        if (!page.structuredContent.has_more) break;
        expect(parseOfferedCalls(page.text)).toContainEqual(page.structuredContent.next);
        page = await on().client.follow(page.structuredContent.next);
      }
      expect(ids).toHaveLength(53);
      expect(new Set(ids).size).toBe(53);
    });

    it("[EVI-3] [EVI-7] names the same provenance as REST in cards, documents and windows", async () => {
      const { world } = on();
      const rest: JsonObject = await world.json<JsonObject>(
        world.token,
        "/v1/streams/documents/records/saga?connection_id=attic&view=evidence",
      );
      const provenance = {
        connection_id: "attic",
        connector_key: "archive",
        display_name: "Attic",
        stream: "documents",
        record_version: rest.record_version,
        event_time: rest.event_time,
        emitted_at: rest.emitted_at,
      };
      const card = await call("query_records", { stream: "documents", filter: { id: "saga" } });
      const { shared, records } = card.structuredContent;
      expect({ ...shared, ...records[0] }).toMatchObject({ id: rest.id, title: rest.title, ...provenance });
      const document = await call("fetch", { id: "attic/documents:saga" });
      expect(document.structuredContent).toMatchObject({ id: rest.id, title: rest.title, metadata: provenance });
      const window = await call("read_record_field", { id: "attic/documents:saga", field_path: "content" });
      expect(window.structuredContent).toMatchObject({ id: rest.id, provenance });
      for (const { text } of [card, document, window])
        for (const fact of ["attic", "archive", "documents"]) expect(text).toContain(fact);
      // Only the structured form of a card has the storage time.
      for (const { text } of [document, window]) expect(text).toContain("2026-06-01T12:00:00.000Z");
      for (const { text } of [card, document]) expect(text).toContain("2026-04-01T08:00:00.000Z");
      expect(window.text).toContain("2026-04-01 08:00 UTC");
    });

    it("[EVI-6] has no tool names or arrows in the same card over REST", async () => {
      const { world } = on();
      for (const path of [
        "/v1/search?q=boiler&view=evidence",
        "/v1/streams/documents/records?view=evidence&connection_id=attic",
        "/v1/streams/documents/records/saga?connection_id=attic&view=document",
        "/v1/streams/documents/records/saga/field-window?field=content&connection_id=attic",
      ]) {
        const body = JSON.stringify(await world.json(world.token, path));
        expect(body).not.toMatch(/read_record_field|query_records|"tool"|structuredContent|<<TEXT/);
      }
    });
  });
});

it("[EVI-6] allows only the MCP endpoint and the reader that measures for it to import the MCP adapter", () => {
  const knowing = globSync("packages/{server,contract,language,evidence,client}/src/**/*.ts", {
    exclude: (file) => file.endsWith(".test.ts"),
  }).filter((file) =>
    /@pdpp\/mcp|modelcontextprotocol|read_record_field|structuredContent/.test(readFileSync(file, "utf8")),
  );
  // A page ends when the tool result is full, so readers for HTTP measure by what the tools show.
  // The skill that is served to agents is a text of the tools.
  const expected = ["http-reader.ts", "mcp.ts", "skills.ts"].map((name) => `packages/server/src/http/${name}`);
  expect(knowing.toSorted()).toEqual(expected);
});
