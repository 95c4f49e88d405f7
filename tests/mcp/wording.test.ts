import { describe, expect, it } from "vitest";
import { onEverySurface } from "./every-surface.ts";

describe("what tools say", () => {
  onEverySurface((on) => {
    it("[TOOL-11] names a stream that was skipped, and why", async () => {
      const { text } = await on().client.call("search", { query: "plain", since: "2020-01-01" });
      expect(text).toContain("`plain` skipped: this grant exposes no date field to filter on");
    });

    it("[TOOL-11] says which fields are in a card shows above its values", async () => {
      const { text } = await on().client.call("query_records", { stream: "channels" });
      expect(text).toMatch(/^shown above: title, id$/m);
    });

    it("[TOOL-11] says what encoded bytes are, and that they were left out", async () => {
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
