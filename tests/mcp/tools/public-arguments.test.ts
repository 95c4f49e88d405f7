import { putRecords } from "@pdpp/test-support/vaults/sample";
import { describe, expect, it } from "vitest";
import { onEverySurface } from "../every-surface.ts";

describe("arguments that clients of other implementations send", () => {
  onEverySurface((on) => {
    it('[HOST-9] accepts mode "lexical" in search and rejects any other with a readable message', async () => {
      const { client } = on();
      const { text, structuredContent } = await client.call("search", { query: "boiler" });
      expect((await client.call("search", { query: "boiler", mode: "lexical" })).text).toBe(text);
      expect(structuredContent.results.length).toBeGreaterThan(0);
      const refused = await client.call("search", { query: "boiler", mode: "semantic" });
      expect([refused.isError, refused.structuredContent.error.param]).toEqual([true, "mode"]);
      expect(refused.text).toMatch(/^Error: invalid_argument: mode must be "lexical"/);
    });

    it("[HOST-9] accepts sort in query_records in both forms", async () => {
      const { client } = on();
      const ids = async (more: object) => {
        const { structuredContent } = await client.call("query_records", { stream: "messages", limit: 3, ...more });
        return structuredContent.records?.map(({ id }: { id: string }) => id);
      };
      const oldest = await ids({ order: "asc" });
      expect(await ids({ sort: "sent_at" })).toEqual(oldest);
      expect(await ids({ sort: ["sent_at"] })).toEqual(oldest);
      expect(await ids({ sort: "-sent_at" })).toEqual(await ids({ order: "desc" }));
      const page = await client.call("query_records", { stream: "messages", limit: 3, sort: "sent_at" });
      expect(page.text).toContain("order asc");
      const next = await client.follow(page.structuredContent.next);
      expect([next.isError, next.structuredContent.records.length]).toEqual([undefined, 3]);
      const wrong = await client.call("query_records", { stream: "messages", sort: "blob_ref" });
      expect(wrong.structuredContent.error.code).toBe("invalid_sort");
    });

    it("[HND-3] accepts an id that repeats the stream, unless a record really has that id", async () => {
      const { client, world } = on();
      const title = async (id: string) => (await client.call("fetch", { id })).structuredContent.id;
      expect(await title("chat_home/messages:messages:h01")).toBe("chat_home/messages:h01");
      const window = await client.call("read_record_field", {
        id: "chat_home/messages:messages:h01",
        field_path: "text",
      });
      expect(window.structuredContent.id).toBe("chat_home/messages:h01");
      await putRecords(world.vault, "attic", "plain", [
        { data: { id: "x", body: "short" } },
        { data: { id: "plain:x", body: "long" } },
      ]);
      expect(await title("attic/plain:plain:x")).toBe("attic/plain:plain:x");
      const none = await client.call("fetch", { id: "chat_home/messages:messages:none" });
      expect(none.structuredContent.error.code).toBe("not_found");
    });
  });
});
