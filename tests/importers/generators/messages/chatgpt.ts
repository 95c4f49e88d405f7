import { chatgpt } from "#importers/formats/chatgpt/chatgpt";
import { type Dice, endlessFile, type Generator, sentence } from "../generator.ts";

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

function message(id: string, role: string, at: number | null, content: object, metadata: object = {}): object {
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

const said = (text: string): object => ({ content_type: "text", parts: [text] });

/** A conversation with a branch: the first answer was asked for again. */
function conversation(dice: Dice, n: number): Conversation {
  const at = start + n * 10_000;
  const id = `conv-${n}`;
  const node = (name: string, parent: string | null, children: string[], content: object | null) => ({
    id: name,
    parent,
    children,
    message: content,
  });
  const turns = dice.int(1, 4);
  const mapping: Record<string, unknown> = {
    root: node("root", null, ["system"], null),
    system: node(
      "system",
      "root",
      ["ask-0"],
      message("system", "system", null, said(""), { is_visually_hidden_from_conversation: true }),
    ),
  };
  let parent = "system";
  for (let turn = 0; turn < turns; turn += 1) {
    const asset = { content_type: "image_asset_pointer", asset_pointer: "file-service://file-picture", size_bytes: 4 };
    const ask =
      turn === 0 && n % 5 === 0
        ? { content_type: "multimodal_text", parts: [asset, sentence(dice)] }
        : said(sentence(dice));
    mapping[`ask-${turn}`] = node(
      `ask-${turn}`,
      parent,
      [`dropped-${turn}`, `answer-${turn}`],
      message(`ask-${turn}`, "user", at + turn * 60.5, ask),
    );
    mapping[`dropped-${turn}`] = node(
      `dropped-${turn}`,
      `ask-${turn}`,
      [],
      message(`dropped-${turn}`, "assistant", at + turn * 60 + 10, said(sentence(dice))),
    );
    mapping[`answer-${turn}`] = node(
      `answer-${turn}`,
      `ask-${turn}`,
      [`ask-${turn + 1}`],
      message(`answer-${turn}`, "assistant", at + turn * 60 + 20, said(sentence(dice)), { model_slug: "gpt-4o" }),
    );
    parent = `answer-${turn}`;
  }
  return {
    title: sentence(dice, 3),
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
    const all = Array.from({ length: size }, (_, n) => conversation(dice, n));
    // A renamed conversation says nothing of it in its times; one that went on does.
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
          message: message("later", "user", each.update_time + 90_000, said(sentence(dice))),
        },
      },
      current_node: "later",
    }));
    const added = [conversation(dice, size), conversation(dice, size + 1)];
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
    const good = [conversation(dice, 1), conversation(dice, 2), conversation(dice, 3)].map((each) =>
      JSON.stringify(each),
    );
    const circle = {
      ...conversation(dice, 4),
      current_node: "a",
      mapping: {
        a: { parent: "b", message: message("a", "user", start, said("round")) },
        b: { parent: "a", message: null },
      },
    };
    const odd = {
      ...conversation(dice, 5),
      title: "nul \u0000 and half \ud800",
      update_time: 1e300,
      mapping: {
        x: {
          parent: null,
          message: message("x", "user", Number.MAX_VALUE, {
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
    endlessFile("conversations.json", bytes, (n) => JSON.stringify(conversation(dice, n)), ["[", ",", "]"]),
};
