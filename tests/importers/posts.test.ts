import { describe, expect, it } from "vitest";
import { asideOf, itemsIn, recordsOf } from "./fixture-files.ts";

const listOf = (id: string, items: readonly unknown[]): string =>
  JSON.stringify({
    "@context": "https://www.w3.org/ns/activitystreams",
    id,
    type: "OrderedCollection",
    orderedItems: items,
  });

describe("[IMP-11] Mastodon", () => {
  const published = "2024-01-01T10:00:00Z";
  const create = (object: object): object => ({ type: "Create", published, to: [], object: { published, ...object } });

  it("lists of addresses, which every archive has, are no posts that could not be read", async () => {
    const items = await itemsIn(
      {
        "outbox.json": listOf("outbox.json", [create({ id: "https://m.example/1", type: "Note", content: "hello" })]),
        "likes.json": listOf("likes.json", ["https://o.example/1", "https://o.example/2"]),
        "bookmarks.json": listOf("bookmarks.json", ["https://o.example/1"]),
      },
      "mastodon",
    );
    expect(asideOf(items)).toEqual([]);
    expect(recordsOf(items, "posts").map(({ text }) => text)).toEqual(["hello"]);
  });
  it("a poll has what could be chosen, and how often it was", async () => {
    const choice = (name: string, totalItems: number) => ({ type: "Note", name, replies: { totalItems } });
    const poll = { id: "https://m.example/2", type: "Question", content: "Tea or coffee?" };
    const outbox = listOf("outbox.json", [create({ ...poll, oneOf: [choice("Tea", 3), choice("Coffee", 5)] })]);
    expect(recordsOf(await itemsIn({ "outbox.json": outbox }, "mastodon"), "posts")).toMatchObject([
      {
        extra: {
          poll: [
            { name: "Tea", votes: 3 },
            { name: "Coffee", votes: 5 },
          ],
        },
      },
    ]);
  });
});
