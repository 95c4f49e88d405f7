import type { Item } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { expect, it } from "vitest";
import { imessage } from "#importers/formats/imessage/imessage";
import { selectRecords } from "../fixtures/fixture-files.ts";
import { imessageGenerator } from "../generators/messages/imessage.ts";
import { answers, createMemoryTree } from "../support.ts";

async function readItems(files: Parameters<typeof createMemoryTree>[0]): Promise<Item[]> {
  const { claims } = await detect(createMemoryTree(files, 0), [imessage]);
  const items: Item[] = [];
  for (const { claim } of claims) for await (const item of imessage.read(claim, answers)) items.push(item);
  return items;
}

it("[IMP-11] iMessage: reads styled texts, reactions with their targets, files and edits", async () => {
  const { older, newer } = imessageGenerator.pair(createRandom(3), 8);
  const items = await readItems(older);
  const messages = selectRecords(items, "messages");
  expect(messages.filter(({ text }) => text === "")).toEqual([]);
  // A reaction is not a message.
  expect(messages.some(({ id }) => id === "guid-4")).toBe(false);
  expect(messages.find(({ id }) => id === "guid-3")?.reactions).toEqual([{ emoji: "👍", count: 1, from: ["+491701"] }]);
  expect(messages.find(({ id }) => id === "guid-7")).toMatchObject({ reply_to_id: "guid-0" });
  expect(messages.find(({ id }) => id === "guid-0")).toMatchObject({
    sent_at: "2024-01-01T00:00:00.000Z",
    is_from_me: true,
    sender_name: "Ada",
  });
  expect(selectRecords(items, "attachments")[0]).toMatchObject({ name: "IMG.jpg", note: null, size_bytes: 4 });
  expect(selectRecords(items, "conversations").map(({ title, kind }) => [title, kind])).toEqual([
    ["+491701", "direct"],
    ["Haus", "group"],
  ]);
  const edited = selectRecords(await readItems(newer), "messages").find(({ id }) => id === "guid-6");
  expect(edited).toMatchObject({ text: "as it was meant", is_edited: true });
});
