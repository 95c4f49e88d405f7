import { chatgpt } from "#importers/formats/chatgpt/chatgpt";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

interface Conversation {
  title: string;
  create_time: number;
  update_time: number;
  mapping: Record<string, unknown>;
  current_node: string;
  conversation_id: string;
  [more: string]: unknown;
}

const start = 1_700_000_000;

function buildMessage(id: string, role: string, at: number | null, content: object, metadata: object = {}): object {
  return {
    id,
    author: { role, name: null, metadata: {} },
    create_time: at,
    update_time: null,
    content,
    status: "finished_successfully",
    metadata,
    recipient: "all",
  };
}

const buildText = (text: string): object => ({ content_type: "text", parts: [text] });

/** A conversation with a branch: the first answer was regenerated. */
function drawConversation(dice: Dice, n: number): Conversation {
  const at = start + n * 10_000;
  const id = `conv-${n}`;
  const buildNode = (name: string, parent: string | null, children: string[], content: object | null) => ({
    id: name,
    parent,
    children,
    message: content,
  });
  const turns = dice.int(1, 4);
  const mapping: Record<string, unknown> = {
    root: buildNode("root", null, ["system"], null),
    system: buildNode(
      "system",
      "root",
      ["ask-0"],
      buildMessage("system", "system", null, buildText(""), { is_visually_hidden_from_conversation: true }),
    ),
  };
  let parent = "system";
  for (let turn = 0; turn < turns; turn += 1) {
    const asset = { content_type: "image_asset_pointer", asset_pointer: "file-service://file-picture", size_bytes: 4 };
    const ask =
      turn === 0 && n % 5 === 0
        ? { content_type: "multimodal_text", parts: [asset, drawSentence(dice)] }
        : buildText(drawSentence(dice));
    mapping[`ask-${turn}`] = buildNode(
      `ask-${turn}`,
      parent,
      [`dropped-${turn}`, `answer-${turn}`],
      buildMessage(`ask-${turn}`, "user", at + turn * 60.5, ask),
    );
    mapping[`dropped-${turn}`] = buildNode(
      `dropped-${turn}`,
      `ask-${turn}`,
      [],
      buildMessage(`dropped-${turn}`, "assistant", at + turn * 60 + 10, buildText(drawSentence(dice))),
    );
    mapping[`answer-${turn}`] = buildNode(
      `answer-${turn}`,
      `ask-${turn}`,
      [`ask-${turn + 1}`],
      buildMessage(`answer-${turn}`, "assistant", at + turn * 60 + 20, buildText(drawSentence(dice)), {
        model_slug: "gpt-4o",
      }),
    );
    parent = `answer-${turn}`;
  }
  return {
    title: drawSentence(dice, 3),
    create_time: at,
    update_time: at + 500,
    mapping,
    current_node: parent,
    conversation_id: id,
    is_archived: false,
    default_model_slug: "gpt-4o",
  };
}

const picture = Buffer.from("fake");

export const chatgptGenerator: Generator = {
  importer: chatgpt,
  pair(dice, size) {
    const all = Array.from({ length: size }, (_, n) => drawConversation(dice, n));
    // Renaming a conversation does not change its times; continuing it does.
    const renamed = { ...all[0], title: "Renamed" };
    const longer = all.slice(1, 3).map((each) => ({
      ...each,
      update_time: each.update_time + 90_000,
      mapping: {
        ...each.mapping,
        later: {
          id: "later",
          parent: each.current_node,
          children: [],
          message: buildMessage("later", "user", each.update_time + 90_000, buildText(drawSentence(dice))),
        },
      },
      current_node: "later",
    }));
    const added = [drawConversation(dice, size), drawConversation(dice, size + 1)];
    // The last conversations are gone from the newer export.
    const kept = all.slice(3, -2);
    return {
      older: { "conversations.json": JSON.stringify(all), "user.json": "{}", "file-picture-abc.png": picture },
      newer: {
        "conversations-000.json": JSON.stringify([renamed, ...longer]),
        "conversations-001.json": JSON.stringify([...kept, ...added]),
        "file-picture-abc.png": picture,
      },
    };
  },
  hostile(dice) {
    const good = [drawConversation(dice, 1), drawConversation(dice, 2), drawConversation(dice, 3)].map((each) =>
      JSON.stringify(each),
    );
    const circle = {
      ...drawConversation(dice, 4),
      current_node: "a",
      mapping: {
        a: { parent: "b", message: buildMessage("a", "user", start, buildText("round")) },
        b: { parent: "a", message: null },
      },
    };
    const odd = {
      ...drawConversation(dice, 5),
      title: "nul \u0000 and half \ud800",
      update_time: 1e300,
      mapping: {
        x: {
          parent: null,
          message: buildMessage("x", "user", Number.MAX_VALUE, {
            content_type: "text",
            parts: [null, 7, { deep: [[[[]]]] }],
          }),
        },
      },
    };
    const items = [
      good[0],
      "17",
      good[1],
      '{"mapping": "none"}',
      '{"title": "broken", }',
      JSON.stringify(circle),
      JSON.stringify(odd),
      good[2],
    ];
    return {
      files: { "conversations.json": `\ufeff[${items.join(",\n")}, {"mapping": {"cut": {"message": {"author"` },
      good: 3,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("conversations.json", bytes, (n) => JSON.stringify(drawConversation(dice, n)), ["[", ",", "]"]),
};
