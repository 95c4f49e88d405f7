import type { RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { chatgpt } from "#importers/formats/chatgpt/chatgpt";
import { answers, createMemoryTree } from "../support.ts";

async function readMessages(conversations: readonly unknown[]): Promise<RecordItem["data"][]> {
  const { claims } = await detect(createMemoryTree({ "conversations.json": JSON.stringify(conversations) }, 0), [
    chatgpt,
  ]);
  const found: RecordItem["data"][] = [];
  for (const { importer, claim } of claims)
    for await (const item of importer.read(claim, answers))
      if (item.kind === "record" && item.stream === "messages") found.push(item.data);
  return found;
}

describe("[IMP-11] ChatGPT", () => {
  it("shows the sources of an answer as the app does", async () => {
    const cited = "\ue200cite\ue202turn0search0\ue202turn0search1\ue201";
    const message = {
      author: { role: "assistant" },
      create_time: 1_700_000_000,
      content: {
        content_type: "text",
        parts: [
          `In \ue200entity\ue202["city","Paris","capital of France"]\ue201 ${cited}. Later \ue200cite\ue202turn1view0\ue201.`,
        ],
      },
      metadata: { content_references: [{ matched_text: cited, alt: "([Louvre](https://louvre.example/))" }] },
    };
    const mapping = { a: { id: "a", parent: null, children: [], message } };
    expect(
      await readMessages([{ id: "c", title: "x", create_time: 1_700_000_000, mapping, current_node: "a" }]),
    ).toMatchObject([{ content: "In Paris ([Louvre](https://louvre.example/)). Later." }]);
  });
});
