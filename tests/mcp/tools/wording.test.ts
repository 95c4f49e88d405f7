import { describe, expect, it } from "vitest";
import { onEverySurface } from "../every-surface.ts";

describe("tool text", () => {
  onEverySurface((on) => {
    it("[TOOL-11] names a skipped stream and the reason", async () => {
      const { text } = await on().client.call("search", { query: "plain", since: "2020-01-01" });
      expect(text).toContain("`plain` skipped: this grant exposes no date field to filter on");
    });

    it("[TOOL-11] lists the fields a card shows above its values", async () => {
      const { text } = await on().client.call("query_records", { stream: "channels" });
      expect(text).toMatch(/^shown above: title, id$/m);
    });

    it("[TOOL-11] describes encoded bytes and says that they were omitted", async () => {
      const { text } = await on().client.call("query_records", {
        stream: "documents",
        limit: 100,
        fields: ["picture"],
      });
      expect(text).toMatch(/^picture: base64.*, \d+ chars, omitted$/m);
    });

    it("[TOOL-11] says whether a page is the last one", async () => {
      const { client } = on();
      expect((await client.call("query_records", { stream: "channels" })).text).toMatch(/^channels: .*; last page\.\n/);
      expect((await client.call("query_records", { stream: "messages", limit: 1 })).text).toMatch(
        /^messages: .*; next page:\n-> query_records /,
      );
    });
  });
});
