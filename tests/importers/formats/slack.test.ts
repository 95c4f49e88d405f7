import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { slack } from "#importers/formats/slack/slack";
import { answers, createMemoryTree } from "../support.ts";

async function readTexts(...messages: object[]): Promise<unknown[]> {
  const day = messages.map((message, n) => ({ type: "message", ts: `170531280${n}.000100`, ...message }));
  const files = {
    "users.json": JSON.stringify([{ id: "U1", name: "ada", profile: { real_name: "Ada" } }]),
    "channels.json": JSON.stringify(["general", "random"].map((name, n) => ({ id: `C${n}`, name, members: [] }))),
    "general/2024-01-15.json": JSON.stringify(day),
  };
  const { claims } = await detect(createMemoryTree(files, 0), [slack]);
  const texts: unknown[] = [];
  for (const { claim } of claims)
    for await (const item of slack.read(claim, answers))
      if (item.kind === "record" && item.stream === "messages") texts.push(item.data.text);
  return texts;
}

describe("[IMP-11] Slack", () => {
  it("includes what apps post in blocks and fields", async () => {
    const section = {
      type: "section",
      text: { type: "mrkdwn", text: "Build *42* passed" },
      fields: [{ text: "main" }],
    };
    const pieces = [
      { type: "text", text: "hello " },
      { type: "user", user_id: "U1" },
      { type: "text", text: ", see " },
      { type: "link", url: "https://x.example", text: "this" },
    ];
    const rich = { type: "rich_text", elements: [{ type: "rich_text_section", elements: pieces }] };
    expect(
      await readTexts(
        { bot_id: "B1", text: "", attachments: [{ fallback: "[no preview available]", blocks: [section] }] },
        { bot_id: "B1", text: "", blocks: [{ type: "header", text: { text: "Deploy" } }, rich] },
        { bot_id: "B1", text: "Alert", attachments: [{ title: "Disk", fields: [{ title: "Host", value: "db1" }] }] },
        // Where both are there, they say the same.
        { user: "U1", text: "hello", blocks: [rich] },
      ),
    ).toEqual([
      "Build *42* passed\nmain",
      "Deploy\nhello @Ada, see this (https://x.example)",
      "Alert\nDisk\nHost: db1",
      "hello",
    ]);
  });

  it("names channels that are only mentioned by their id", async () => {
    expect(await readTexts({ user: "U1", text: "see <#C1|>, <#C1> and <#C9>" })).toEqual([
      "see #random, #random and #C9",
    ]);
  });
});
