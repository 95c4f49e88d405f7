import type { FieldWindow, SingleRecord } from "@pdpp/contract/wire";
import { parseOfferedCalls, type Result } from "@pdpp/test-support/mcp/clients";
import { base64, mixed, saga, scroll } from "@pdpp/test-support/mcp/world";
import { describe, expect, it } from "vitest";
import { sql } from "#server/store/engine/sql";
import { onEverySurface } from "../every-surface.ts";

const field = (id: string, more: object = {}) => ({ id: `attic/documents:${id}`, field_path: "content", ...more });
const chars = (text: string): number => [...text].length;

describe("field windows", () => {
  onEverySurface((on) => {
    const read = (args: object): Promise<Result> => on().client.call("read_record_field", args);

    async function walkField(first: object): Promise<{ text: string; calls: number }> {
      let [text, calls] = ["", 1];
      for (let page = await read(first); ; calls += 1) {
        const { window, next } = page.structuredContent;
        expect(page.text).toContain(window.text);
        expect(parseOfferedCalls(page.text)).toEqual(
          [next, page.structuredContent.previous].filter((each) => each !== undefined),
        );
        text += window.text;
        if (next === undefined) return { text, calls };
        page = await on().client.follow(next);
        expect(page.structuredContent.window.start_chars).toBeGreaterThanOrEqual(window.end_chars);
      }
    }

    it("[WIN-1] has its text, its range, the total, whether it is complete, and the calls forward and back", async () => {
      const first = await read(field("saga"));
      const { window, next, previous } = first.structuredContent;
      expect(window).toMatchObject({ start_chars: 0, total_chars: chars(saga), complete: false });
      expect(window.text).toBe(saga.slice(0, window.end_chars));
      expect(previous).toBeUndefined();
      const [head] = first.text.split("\n");
      expect(head).toBe(
        `"content" of "attic/documents:saga": characters 0 to ${window.end_chars} of ${chars(saga)}; ` +
          `not complete, 0 chars before, ${(chars(saga) - window.end_chars).toLocaleString("en-US")} after`,
      );
      const at = { id: "attic/documents:saga", field_path: "content", version: "1" };
      expect(next.arguments).toEqual({ ...at, offset_chars: window.end_chars });
      const second = (await on().client.follow(next)).structuredContent;
      expect(second.window.start_chars).toBe(window.end_chars);
      expect(second.previous.arguments).toEqual({ ...at, end_chars: second.window.start_chars });
      const back = (await on().client.follow(second.previous)).structuredContent;
      expect(back.window.end_chars).toBe(second.window.start_chars);
      const found = (await read(field("saga", { q: "bergamot" }))).structuredContent.window;
      expect(saga.slice(found.match.start_chars, found.match.end_chars)).toBe("bergamot");
    });

    it("[WIN-2] takes an offset and a limit, words with context, or a cursor, and rejects a mixture by name", async () => {
      const part = (await read(field("saga", { offset_chars: 15, limit_chars: 14 }))).structuredContent.window;
      expect(part).toMatchObject({ text: saga.slice(15, 29), start_chars: 15, end_chars: 29 });
      const around = (await read(field("saga", { q: "bergamot", before_chars: 9, after_chars: 4 }))).structuredContent
        .window;
      expect(around.text).toBe("the word bergamot, in");
      const rest = "/v1/streams/documents/records/saga/field-window?connection_id=attic&field=content";
      const { world } = on();
      const { window: held }: FieldWindow = await world.json(world.token, rest);
      const cursor = held.next_cursor;
      expect((await read(field("saga", { cursor }))).structuredContent.window.start_chars).toBe(held.end_chars);
      for (const [mixture, param] of [
        [{ q: "bergamot", offset_chars: 5 }, /q|offset_chars/],
        [{ before_chars: 5 }, /before_chars/],
        [{ offset_chars: 5, end_chars: 50 }, /end_chars/],
        [{ cursor, offset_chars: 5 }, /cursor|offset_chars/],
        [{ limit_chars: 0 }, /limit_chars/],
        [{ offset_chars: -1 }, /offset_chars/],
      ] as const) {
        const { isError, structuredContent } = await read(field("saga", mixture));
        expect([mixture, isError]).toEqual([mixture, true]);
        expect(structuredContent.error.message + structuredContent.error.param).toMatch(param);
      }
      const none = await read(field("saga", { q: "unfindable" }));
      expect(none.structuredContent.error.code).toBe("query_not_found");
      expect((await on().client.follow(parseOfferedCalls(none.text)[0]!)).isError).toBeUndefined();
    });

    it("[WIN-3] rebuilds any text exactly from consecutive windows without splitting a character", async () => {
      expect(await walkField(field("saga"))).toMatchObject({ text: saga });
      expect(await walkField(field("scroll", { limit_chars: 997 }))).toMatchObject({ text: scroll });
      const { window } = (await read(field("scroll", { offset_chars: 3, limit_chars: 5 }))).structuredContent;
      expect(window.text).toBe([...scroll].slice(3, 8).join(""));
    });

    it("[WIN-3] ends a window early when the limit does not fit, and still rebuilds the text exactly", async () => {
      const { text, calls } = await walkField(field("scroll", { limit_chars: 16_384 }));
      expect(text).toBe(scroll);
      expect(calls).toBeLessThan(12);
    });

    it("[WIN-3] rebuilds everything before a match by walking back, up to the match itself", async () => {
      const matched = (await read(field("saga", { q: "bergamot" }))).structuredContent;
      let [text, from] = [matched.window.text, matched.window.start_chars];
      for (let { previous } = matched; previous !== undefined; ) {
        const page = (await on().client.follow(previous)).structuredContent;
        expect(page.window.end_chars).toBe(from);
        [text, from] = [page.window.text + text, page.window.start_chars];
        previous = page.previous;
      }
      expect(text).toBe([...saga].slice(0, matched.window.end_chars).join(""));
    });

    it("[WIN-4] keeps a walk on the version it started with, or stops and says how to start over", async () => {
      const { world, client, surface } = on();
      const id = `changing-${surface.transport}-${surface.era}`;
      const old = "The old text. ".repeat(600);
      await world.write(id, { content: old });
      const first = await read(field(id));
      await world.write(id, { content: "THE NEW TEXT. ".repeat(600) });
      let text = first.structuredContent.window.text;
      for (let page = first; page.structuredContent.next !== undefined; ) {
        page = await client.follow(page.structuredContent.next);
        if (page.isError) {
          expect(page.structuredContent.error.code).toBe("stale_window");
          const fresh = await client.follow(parseOfferedCalls(page.text)[0]!);
          expect(fresh.structuredContent.window.text).toMatch(/^THE NEW/);
          return;
        }
        text += page.structuredContent.window.text;
      }
      expect(text).toBe(old);
    });

    it("[WIN-5] reads a small text in one call", async () => {
      const { structuredContent, text } = await read(field("small"));
      expect(structuredContent.window).toMatchObject({ text: "A small text, all of it.", complete: true });
      expect(parseOfferedCalls(text)).toEqual([]);
    });

    it("[WIN-6] follows a path into objects and arrays and reads a JSON value as text", async () => {
      const at = (path: string) => read({ id: "attic/documents:tree", field_path: path });
      expect((await at("tree.list[0].note")).structuredContent.window.text).toBe("deep text");
      expect((await at('tree.list[1]["key.dot"]')).structuredContent.window.text).toBe("dotted");
      const whole = await walkField({ id: "attic/documents:tree", field_path: "tree" });
      expect(JSON.parse(whole.text)).toMatchObject({ list: [{ note: "deep text" }, { "key.dot": "dotted" }] });
      const missing = await at("tree.list[7].note");
      expect(missing.structuredContent.error.code).toBe("field_not_found");
      expect((await on().client.follow(parseOfferedCalls(missing.text)[0]!)).isError).toBeUndefined();
    });

    it("[BIG-4] [BIG-1] shows the text before and after encoded bytes and says what it omitted", async () => {
      const first = await read(field("picture"));
      const { window, not_shown, bytes, next } = first.structuredContent;
      expect(window.text).toContain("Before the picture.");
      expect(window.complete).toBe(false);
      const [{ start_chars: from, end_chars: to }] = not_shown;
      expect(first.text).toContain(`characters ${from} to ${to} are base64, omitted`);
      expect(next.arguments.offset_chars).toBe(to);
      expect(first.text).toContain(`bytes: ${bytes.rest} with this token, or ${bytes.cli}`);
      const { text } = await walkField(field("picture"));
      expect(text).toMatch(/^Before the picture\..* After the picture\.$/);
      for (let at = 0; at < base64.length - 40; at += 200) expect(text).not.toContain(base64.slice(at, at + 40));
      expect(mixed.length).toBeGreaterThan(text.length);
    });

    it("[BIG-6] shows a match after a picture instead of an empty window", async () => {
      const { window, not_shown } = (await read(field("picture", { q: "after" }))).structuredContent;
      expect(window).toMatchObject({ text: " After the picture.", match: { start_chars: mixed.indexOf("After") } });
      expect(not_shown[0].end_chars).toBe(window.start_chars);
    });

    it("[BIG-6] reads a megabyte of bytes in one call that offers no continuation and names where the bytes are", async () => {
      const { world, surface } = on();
      const id = `bytes-${surface.transport}-${surface.era}`;
      const value = Buffer.from(Array.from({ length: 750_000 }, (_, i) => (i * i * 7919) & 255)).toString("base64");
      await world.write(id, { content: value });
      const { structuredContent, text } = await read(field(id));
      expect(structuredContent.window).toMatchObject({ text: "", complete: false, total_chars: value.length });
      expect(structuredContent.not_shown).toEqual([{ start_chars: 0, end_chars: value.length }]);
      expect(parseOfferedCalls(text)).toEqual([]);
      const [, address] = /^bytes: GET (\S+) with this token/m.exec(text)!;
      expect(structuredContent.bytes.rest).toBe(`GET ${address}`);
      const record: SingleRecord = await world.json(world.token, address!);
      expect(record.data.content).toBe(value);
    });

    it("[WIN-8] logs a call as one read in one line, however much text it needs", async () => {
      const { world, surface } = on();
      const id = `dense-${surface.transport}-${surface.era}`;
      await world.write(id, { content: '"\\\n\u0001'.repeat(4000) });
      for (const more of [
        {},
        { limit_chars: 16_384 },
        { end_chars: 9000 },
        { offset_chars: 9000, limit_chars: 9000 },
      ]) {
        const { _meta, isError } = await read(field(id, more));
        expect(isError).toBeUndefined();
        const request = String(_meta!["pdpp/request_id"]);
        // A read is logged after its answer was sent.
        const listLogged = async () => {
          await world.vault.store.log.flush();
          return world.vault.store.engine.read((on) =>
            on.all(sql`SELECT operation, records FROM access_log WHERE request_id = ${request}`),
          );
        };
        await expect.poll(listLogged).toEqual([{ operation: "readField", records: 1 }]);
      }
    });

    it("[WIN-9] [WIN-10] describes what a blob field refers to, and leads to its text and its bytes", async () => {
      const file = (id: string) => read({ id: `attic/documents:${id}`, field_path: "scan" });
      const letter = await file("letter");
      const [blob] = letter.structuredContent.blobs;
      expect(blob).toMatchObject({ mime_type: "text/plain", size_bytes: 41 });
      expect(letter.text).toMatch(/^refers to: file "blob_sha256_\w+", "text\/plain", 41 bytes$/m);
      const [call, ...others] = parseOfferedCalls(letter.text);
      expect([call, others]).toEqual([blob.text, []]);
      expect((await on().client.follow(call!)).structuredContent.window.text).toContain("A letter about quinces");
      const picture = await file("scan");
      expect(parseOfferedCalls(picture.text)).toEqual([]);
      for (const { text, _meta, structuredContent } of [letter, picture]) {
        const [, address = ""] = /^bytes: GET (\S+) with this token, or pdpp read blob /m.exec(text) ?? [];
        expect(structuredContent.blobs[0].bytes.rest).toBe(`GET ${address}`);
        const bytes = await fetch(address, { headers: { authorization: `Bearer ${on().world.token}` } });
        expect(bytes.status).toBe(200);
        const uri = [_meta?.["pdpp/blobs"]].flat()[0];
        const resource = await on().client.resource(String(uri));
        expect(resource.blob).toBe(Buffer.from(await bytes.arrayBuffer()).toString("base64"));
      }
      const noText = await read({ id: "attic/documents:scan", field_path: "scan{text}" });
      expect(noText.isError).toBe(true);
      expect(noText.text).toMatch(
        /"image\/png" of 8 bytes, which is not text; its bytes: GET http:\/\/\S+\/v1\/blobs\//,
      );
      expect(noText.text).not.toContain("readBlob");
      const card = await on().client.call("query_records", { stream: "documents", filter: { id: "letter" } });
      expect(parseOfferedCalls(card.text)).toEqual([blob.text]);
      expect(card.text).toMatch(/^bytes: GET http:\/\//m);
    });
  });
});
