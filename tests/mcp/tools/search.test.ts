import type { FieldWindow, RecordDocument, SearchList } from "@pdpp/contract/wire";
import { buildHitRead, parseOfferedCalls } from "@pdpp/test-support/mcp/clients";
import { saga } from "@pdpp/test-support/mcp/world";
import { describe, expect, it } from "vitest";
import { onEverySurface } from "../every-surface.ts";

interface Hit {
  id: string;
  title: string;
  preview?: string;
}

const removeMarks = (preview: string): string => preview.replaceAll(/<\/?mark>/g, "");

describe("search", () => {
  onEverySurface((on) => {
    it("[LAD-1] [LAD-4] starts with a preview around the match, its field, its id and the read that continues there", async () => {
      const { text, structuredContent } = await on().client.call("search", { query: "bergamot" });
      const [head, proof, call] = text.split("\n");
      expect(head).toMatch(/^1\. "Subject of saga" \|.* archive documents "Attic" \|/);
      expect(proof).toMatch(/^content \(\d+-\d+ of \d+ chars\): ".*stands the word <mark>bergamot<\/mark>, in/);
      expect(call).toMatch(/^-> read_record_field \{"id":"attic\/documents:saga","field_path":"content"/);
      expect(proof!.length).toBeLessThan(330);
      expect(text.indexOf("on this page")).toBeGreaterThan(text.indexOf("bergamot"));
      expect(Object.keys(structuredContent)[0]).toBe("results");
    });

    it("[LAD-2] shows words on both sides of a match, or the bare word if there is nothing else", async () => {
      const { client } = on();
      const long = await client.call("search", { query: "bergamot" });
      expect(removeMarks(long.structuredContent.results[0].preview)).toMatch(/\w+ bergamot, in "quotes"\nand/);
      const bare = await client.call("search", { query: "xylophone" });
      expect(removeMarks(bare.structuredContent.results[0].preview)).toBe("xylophone");
    });

    it("[LAD-3] has each passage once in the structured form: the first in results, a second in content_ladder", async () => {
      const { client } = on();
      const { structuredContent } = await client.call("search", { query: "boiler" });
      expect(structuredContent.results).toHaveLength(2);
      for (const { preview, field_path } of structuredContent.results) {
        expect([removeMarks(preview).includes("boiler"), field_path]).toEqual([true, "text"]);
        expect(JSON.stringify(structuredContent).split(JSON.stringify(preview))).toHaveLength(2);
      }
      expect(structuredContent.content_ladder).toBeUndefined();
    });

    it("[LAD-8] continues at the match, in the text and in the structured form", async () => {
      const { client } = on();
      const { text, structuredContent } = await client.call("search", { query: "bergamot" });
      const { read } = structuredContent.results[0];
      expect(parseOfferedCalls(text)).toContainEqual(read);
      const window = (await client.follow(read)).structuredContent.window;
      expect(window.text).toContain("bergamot");
      expect(window.start_chars).toBeGreaterThan(10_000);
      expect(saga.slice(window.start_chars, window.end_chars)).toBe(window.text);
    });

    it("[PUB-6] says that everything was ranked, and how much, without a warning", async () => {
      const { text, structuredContent } = await on().client.call("search", { query: "message", limit: 2 });
      const { count, recall } = structuredContent;
      expect(recall).toEqual({ complete: true, ranked: count });
      expect(text).not.toContain("candidates were ranked");
    });

    it("[PUB-7] returns the first hit's id as first_fetch_id, which fetch accepts and the text shows before any count", async () => {
      const { client } = on();
      const { text, structuredContent } = await client.call("search", { query: "boiler" });
      const { first_fetch_id: id, results } = structuredContent;
      expect(id).toBe(results[0].id);
      expect((await client.call("fetch", { id })).structuredContent.id).toBe(id);
      expect(text.indexOf(`"${id}"`)).toBeGreaterThan(0);
      expect(text.indexOf(`"${id}"`)).toBeLessThan(text.indexOf("on this page"));
      const nothing = await client.call("search", { query: "zzyzx" });
      expect(nothing.structuredContent).not.toHaveProperty("first_fetch_id");
    });

    it("[SRCH-1] applies the limit across all connections", async () => {
      const { structuredContent } = await on().client.call("search", { query: "message", limit: 7 });
      expect(structuredContent.results).toHaveLength(7);
      expect(structuredContent.count).toBe(50);
    });

    it("[SRCH-2] names the origin of every hit", async () => {
      const { text, structuredContent } = await on().client.call("search", { query: "boiler" });
      const { results, sources } = structuredContent;
      expect(results.map(({ id }: Hit) => id)).toContain("chat_work/messages:boiler-work");
      expect(sources).toContainEqual({
        connection_id: "chat_work",
        connector_key: "chat",
        display_name: "Work",
        hits: 1,
      });
      expect(text).toContain('| chat messages "Work"');
      expect(text).toContain("chat_work/messages:boiler-work");
    });

    it("[SRCH-3] adds a source mix to hits from several connections and omits it for one", async () => {
      const { client } = on();
      const mixed = await client.call("search", { query: "boiler" });
      expect(mixed.text).toMatch(/^Sources: .*chat "Work" chat_work: 1/m);
      expect(mixed.structuredContent.sources).toHaveLength(2);
      const one = await client.call("search", { query: "bergamot" });
      expect(one.text).not.toContain("Sources:");
    });

    it("[SRCH-4] searches only the given connection and applies the limit to it", async () => {
      const { structuredContent } = await on().client.call("search", {
        query: "message",
        connection_id: "chat_work",
        limit: 30,
      });
      expect(structuredContent.results).toHaveLength(20);
      for (const { id } of structuredContent.results as Hit[]) expect(id).toMatch(/^chat_work\//);
    });

    it("[SRCH-5] [EVI-11] marks matches with balanced tags, in the text and in previews", async () => {
      const { client } = on();
      for (const query of ["bergamot", "boiler plumber", "rhubarb", "quick"]) {
        const { text, structuredContent } = await client.call("search", { query });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the text must not contain these
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\ue000-\uf8ff\ufffd]/);
        expect(text).not.toContain("**");
        const previews = (structuredContent.results as Hit[]).flatMap(({ preview }) => preview ?? []);
        for (const shown of [text, ...previews]) {
          expect(shown.isWellFormed()).toBe(true);
          const tags = shown.match(/<\/?mark>/g) ?? [];
          expect(tags.length).toBeGreaterThan(0);
          expect(tags.every((tag, i) => tag === (i % 2 === 0 ? "<mark>" : "</mark>"))).toBe(true);
        }
      }
    });

    it("[SRCH-25] names words that occur nowhere before the first hit", async () => {
      const { text } = await on().client.call("search", { query: "bergamot xyzzyq" });
      expect(text.split("\n").slice(0, 2)).toEqual(["No record has: xyzzyq.", expect.stringMatching(/^1\. /)]);
    });

    it("[SRCH-6] [SRCH-7] uses the declared title or the event time as a record's title, never its own preview", async () => {
      const { client } = on();
      const { structuredContent } = await client.call("search", { query: "rhubarb" });
      const [untitled] = structuredContent.results as Hit[];
      expect(untitled!.id).toBe("attic/documents:untitled");
      expect(untitled!.title).toContain("2026-04-01");
      expect(untitled!.title).not.toContain("2026-06-01");
      expect(untitled!.preview).not.toContain(untitled!.title);
      expect((await client.call("search", { query: "bergamot" })).structuredContent.results[0].title).toBe(
        "Subject of saga",
      );
    });

    it("[SRCH-8] visits each hit once while paging over connections, and ends", async () => {
      const { client } = on();
      const ids: string[] = [];
      let page = await client.call("search", { query: "message", limit: 17 });
      for (let pages = 1; ; pages += 1) {
        ids.push(...page.structuredContent.results.map(({ id }: Hit) => id));
        const { next } = page.structuredContent;
        expect(parseOfferedCalls(page.text).some(({ tool }) => tool === "search")).toBe(next !== undefined);
        if (next === undefined) break;
        expect(pages).toBeLessThan(20);
        page = await client.follow(next);
      }
      expect(ids).toHaveLength(50);
      expect(new Set(ids).size).toBe(50);
    });

    it("[SRCH-9] counts in both forms the hits that have all the words and those that have some", async () => {
      const { text, structuredContent } = await on().client.call("search", { query: "boiler plumber" });
      const { count, match } = structuredContent;
      expect([match.all, match.some]).toEqual([expect.any(Number), expect.any(Number)]);
      expect(match.all + match.some).toBe(count);
      if (match.all > 0 && match.some > 0)
        expect(text).toContain(`${count} in all: ${match.all} with all the words, ${match.some} with some`);
      const one = await on().client.call("search", { query: "bergamot" });
      expect(one.structuredContent.match).toBeUndefined();
    });

    it("[SRCH-9] says when no hit has all the words, and when there are no hits", async () => {
      const { client } = on();
      expect((await client.call("search", { query: "boiler xylophone" })).text).toContain(
        " in all, none with all the words",
      );
      const nothing = await client.call("search", { query: "unfindable" });
      expect(nothing.text).toContain("No granted record holds these words");
      expect(nothing.structuredContent).toMatchObject({
        results: [],
        count: 0,
        try: { tool: "schema", arguments: {} },
      });
    });

    it("[EVI-3] gives a hit the same identity, preview, extent and continuation as REST", async () => {
      const { client, world } = on();
      for (const query of ["boiler", "bergamot", "rhubarb"]) {
        const rest: SearchList = await world.json(world.token, `/v1/search?q=${query}&limit=5`);
        const { structuredContent } = await client.call("search", { query });
        expect(structuredContent.results.length).toBeGreaterThan(0);
        for (const [i, hit] of rest.data.entries()) {
          const { id, title, connection_id, connector_key, display_name, event_time, citation_url: url } = hit;
          const { field_path, preview, window, truncated, read } = hit.evidence[0]!;
          const { read: given, details: _, ...shown } = structuredContent.results[i];
          expect({ ...shown, preview: removeMarks(shown.preview) }).toEqual({
            ...{ id, title, url, field_path, preview },
            ...(hit.title_made_from === "time" ? {} : { event_time }),
            ...(truncated ? { chars: `${window!.start_chars}-${window!.end_chars} of ${window!.total_chars}` } : {}),
          });
          expect(structuredContent.sources).toContainEqual(
            expect.objectContaining({ connection_id, connector_key, display_name }),
          );
          expect(given).toEqual(truncated && read.url.includes("offset_chars") ? expect.anything() : undefined);
          const call = buildHitRead(structuredContent.results[i]);
          expect(call.tool).toBe(truncated ? "read_record_field" : "fetch");
          const direct: Pick<FieldWindow, "window"> & Pick<RecordDocument, "text"> = await world.json(
            world.token,
            truncated ? read.url : `${read.url}&view=document`,
          );
          const followed = (await client.follow(call)).structuredContent;
          if (truncated) expect(direct.window.text.startsWith(followed.window.text)).toBe(true);
          else expect(followed.text).toBe(direct.text);
        }
      }
    });

    it("[EVI-2] does not treat a field named title or body as one without that role", async () => {
      const { client } = on();
      const hit = await client.call("search", { query: "marzipan" });
      expect(hit.structuredContent.results[0].id).toBe("attic/plain:p1");
      expect(hit.structuredContent.results[0].title).not.toContain("LOOKS LIKE");
      const page = await client.call("query_records", { stream: "plain" });
      expect(page.structuredContent.records[0].title).not.toContain("LOOKS LIKE");
      const whole = await client.call("fetch", { id: "attic/plain:p1" });
      expect(whole.structuredContent.title).not.toContain("LOOKS LIKE");
      expect(whole.structuredContent.text).not.toBe("Looks like a body with marzipan in it.");
    });
  });
});
