import { parseInstant } from "@pdpp/contract/instant";
import { deriveId } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, createDatedRecord, reject } from "../../core/items.ts";
import { readElements } from "../../core/reading.ts";
import { createAttachmentRecord } from "../../core/records/attachment.ts";
import { defineAssistantFormat } from "../../core/records/schema.ts";
import { wrapInArray } from "../../core/retry.ts";
import { cleanText, cleanValue, isObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFolder } from "../../core/text/paths.ts";

/** Claude: an array of conversations, each a list of messages made of blocks. */
export const claude: Importer = {
  ...defineAssistantFormat("claude", "Claude"),
  version: "1",
  testedWith: "files of that shape",
  toStandaloneFile: wrapInArray,
  sniff: (path, { text }) => /\.json$/i.test(path) && /^\s*[[{]/.test(text) && /"chat_messages"\s*:\s*\[/.test(text),
  async createClaims(found) {
    // Several archives in one folder belong to one account; other folders are other accounts.
    const folders = Map.groupBy(found, ({ path }) => getFolder(path));
    return [...folders.values()].map((entries) => createClaim("claude", "Claude", entries));
  },
  read,
};

function read(claim: Claim, _answers: Answers, from?: Mark): AsyncIterable<Item> {
  return readElements(claim, from, function* ({ value, offset, raw }, { path }) {
    if (!isObject(value) || !Array.isArray(value.chat_messages))
      return yield reject(path, offset, "not_a_conversation", "no list of messages", raw);
    const refuse = (reason: string, message: unknown): Item =>
      reject(path, offset, "not_a_message", reason, JSON.stringify(message ?? null));
    yield* readConversation(value, value.chat_messages, refuse);
  });
}

/** Unchanged, if it is a valid time. */
const toTime = (value: unknown): string | null =>
  typeof value === "string" && parseInstant(value) !== null ? value : null;

function* readConversation(
  raw: Record<string, unknown>,
  list: readonly unknown[],
  refuse: (reason: string, raw: unknown) => Item,
): Generator<Item> {
  const created = toTime(raw.created_at);
  const updated = toTime(raw.updated_at);
  const title = toText(raw.name);
  const id = toText(raw.uuid) ?? deriveId("claude", title, created);
  const changedAt = (updated === null ? null : parseInstant(updated)) ?? undefined;
  const messages = list.filter(isObject);
  yield createDatedRecord("conversations", changedAt, {
    id,
    title,
    created_at: created ?? toTime(messages[0]?.created_at),
    updated_at: updated,
    model: toText(raw.model),
    summary: toText(raw.summary),
    project: isObject(raw.project) ? toText(raw.project.name) : null,
    is_archived: false,
    message_count: messages.length,
    extra: {},
  });
  const shown = findShownPath(messages);
  let before: string | null = null;
  let time = created;
  for (const [position, message] of list.entries()) {
    if (!isObject(message)) {
      yield refuse("not a JSON object", message);
      continue;
    }
    const own = toTime(message.created_at);
    time = own ?? time;
    const sender = toText(message.sender);
    const ownId = toText(message.uuid) ?? deriveId(sender, own, toText(message.text), position);
    const key = `${id}/${ownId}`;
    const content = extractContent(message);
    const parent = toText(message.parent_message_uuid);
    const parentId: string | null = parent === null ? before : isRoot(parent) ? null : `${id}/${parent}`;
    yield createDatedRecord("messages", changedAt, {
      id: key,
      conversation_id: id,
      conversation_title: title,
      parent_id: parentId,
      author: sender,
      author_name: content.tools.length === 0 ? null : content.tools.join(", "),
      content_type: content.kinds,
      content: content.text,
      thinking: content.thinking,
      created_at: time,
      time_source: own === null ? "conversation" : "message",
      model: toText(message.model),
      is_shown: shown === null || shown.has(ownId),
      is_hidden: false,
      position: position + 1,
      attachments: listFiles(message).map((each) => ({
        name: toText(each.file_name) ?? "",
        size_bytes: getSize(each),
      })),
      extra: {},
    });
    yield* createAttachments(key, time, message, changedAt);
    before = key;
  }
}

/** The first message has no parent, or one made of zeros. */
const isRoot = (id: string): boolean => /^[0-]+$/.test(id) || id === "00000000-0000-4000-8000-000000000000";

/** Edited messages are kept next to their replacements: the app shows the last message and its ancestors. */
function findShownPath(messages: readonly Record<string, unknown>[]): Set<string> | null {
  if (!messages.some((message) => toText(message.parent_message_uuid) !== null)) return null;
  const parents = new Map(messages.map((each) => [toText(each.uuid) ?? "", toText(each.parent_message_uuid)]));
  const shown = new Set<string>();
  for (let at: string | null | undefined = toText(messages.at(-1)?.uuid); at && !shown.has(at); at = parents.get(at))
    shown.add(at);
  return shown;
}

interface MessageContent {
  readonly text: string;
  readonly thinking: string | null;
  readonly kinds: string | null;
  readonly tools: readonly string[];
}

/** Blocks may contain more than `text`; older exports only have `text`. */
function extractContent(message: Record<string, unknown>): MessageContent {
  const blocks = toObjects(message.content);
  const texts: string[] = [];
  const thinking: string[] = [];
  const kinds = new Set<string>();
  const tools = new Set<string>();
  for (const block of blocks) {
    const type = toText(block.type) ?? "text";
    kinds.add(type);
    if (type === "thinking") thinking.push(toText(block.thinking) ?? toText(block.text) ?? "");
    else if (type === "tool_use") {
      const name = toText(block.name) ?? "tool";
      tools.add(name);
      texts.push(formatToolCall(name, block.input));
    } else if (type === "tool_result") {
      tools.add(toText(block.name) ?? "tool");
      texts.push(formatToolResult(block.content));
    } else texts.push(toText(block.text) ?? "");
  }
  const text = texts.filter((each) => each !== "").join("\n\n");
  return {
    text: text === "" ? (toText(message.text) ?? "") : text,
    thinking: thinking.length === 0 ? null : thinking.join("\n\n"),
    kinds: kinds.size === 0 ? "text" : [...kinds].join(", "),
    tools: [...tools],
  };
}

/** Tool input (an artifact, a file, a query) is searchable text. */
function formatToolCall(name: string, input: unknown): string {
  if (!isObject(input)) return `[${name}]`;
  const lines = Object.entries(input).map(([key, value]) =>
    typeof value === "string"
      ? `${cleanText(key)}: ${cleanText(value)}`
      : `${cleanText(key)}: ${JSON.stringify(cleanValue(value))}`,
  );
  return `[${name}]\n${lines.join("\n")}`;
}

function formatToolResult(content: unknown): string {
  if (typeof content === "string") return cleanText(content);
  return toObjects(content)
    .map((each) => toText(each.text) ?? toText(each.title) ?? "")
    .filter((each) => each !== "")
    .join("\n");
}

const listFiles = (message: Record<string, unknown>) => [
  ...toObjects(message.attachments),
  ...toObjects(message.files),
];

const getSize = ({ file_size: size }: Record<string, unknown>): number | null =>
  typeof size === "number" ? size : null;

/** The text of pasted content and uploads; the files themselves are not in the export. */
function* createAttachments(
  messageId: string,
  sent: string | null,
  message: Record<string, unknown>,
  changedAt: number | undefined,
): Generator<Item> {
  for (const [n, each] of listFiles(message).entries()) {
    yield createAttachmentRecord({
      id: `${messageId}/${toText(each.file_uuid) ?? toText(each.id) ?? n + 1}`,
      parent: ["message_id", messageId],
      time: ["created_at", sent],
      name: toText(each.file_name),
      mimeType: toText(each.file_type),
      sizeBytes: getSize(each),
      text: toText(each.extracted_content),
      note: "the export has no files, only the text of some",
      changedAt,
    });
  }
}
