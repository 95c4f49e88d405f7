import { deriveId } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, createDatedRecord, reject } from "../../core/items.ts";
import { readElements } from "../../core/reading.ts";
import { createAttachmentRecord, missingFileNote } from "../../core/records/attachment.ts";
import { defineAssistantFormat } from "../../core/records/schema.ts";
import { wrapInArray } from "../../core/retry.ts";
import { cleanText, dropNulls, isObject, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder, guessMimeType } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { extractContent, parseAssetId, replaceCitations } from "./content.ts";

/** ChatGPT: an array of conversations, each a tree of messages, in one or several files. */
export const chatgpt: Importer = {
  ...defineAssistantFormat("chatgpt", "ChatGPT"),
  version: "2",
  testedWith: "real files",
  toStandaloneFile: wrapInArray,
  sniff: (path, { text }) => /\.json$/i.test(path) && /^\s*[[{]/.test(text) && /"mapping"\s*:\s*\{/.test(text),
  async createClaims(found, tree) {
    const folders = Map.groupBy(found, ({ path }) => getFolder(path));
    return [...folders].map(([folder, entries]): Claim => {
      const companions = tree.entries.filter(
        ({ path }) => path.startsWith(folder) && isCompanion(path.slice(folder.length)),
      );
      return createClaim("chatgpt", "ChatGPT", entries, { companions });
    });
  },
  read,
};

/** Files that messages refer to, and other lists of the export. */
const isCompanion = (path: string): boolean =>
  /(^|\/)file[-_]|^(user|user_settings|message_feedback|model_comparisons|shared_conversations|group_chats|shopping)\.json$|^chat\.html$|^[^/]+\/(audio|video)\/|^dalle-generations\//.test(
    path,
  );

function read(claim: Claim, answers: Answers, from?: Mark): AsyncIterable<Item> {
  const files = new Map(claim.companions.map((entry) => [entry, getFileName(entry.path)]));
  return readElements(claim, from, function* ({ value, offset, raw }, { path }) {
    if (!isObject(value) || !isObject(value.mapping))
      yield reject(path, offset, "not_a_conversation", "no messages (mapping)", raw);
    else yield* readConversation(value, value.mapping, files, answers);
  });
}

interface Node {
  readonly id: string;
  readonly parent: string | null;
  readonly message: Record<string, unknown> | null;
}

const formatSeconds = (value: unknown): string | null => formatInstant(typeof value === "number" ? value : null, 1000);

function* readConversation(
  raw: Record<string, unknown>,
  mapping: Record<string, unknown>,
  files: ReadonlyMap<Entry, string>,
  answers: Answers,
): Generator<Item> {
  const nodes = parseNodes(mapping);
  const created = formatSeconds(raw.create_time) ?? findFirstTime(nodes);
  const title = toText(raw.title);
  const id = toText(raw.conversation_id) ?? toText(raw.id) ?? deriveId("chatgpt", title, created);
  const changedAt =
    typeof raw.update_time === "number" && Number.isFinite(raw.update_time) ? raw.update_time * 1000 : undefined;
  const messages = [...nodes.values()].filter(({ message }) => message !== null);
  yield createDatedRecord("conversations", changedAt, {
    id,
    title,
    created_at: created,
    updated_at: formatSeconds(raw.update_time),
    model: toText(raw.default_model_slug),
    summary: null,
    project: toText(raw.gizmo_id),
    is_archived: raw.is_archived === true,
    message_count: messages.length,
    extra: dropNulls({ is_starred: raw.is_starred, origin: raw.conversation_origin, voice: raw.voice }),
  });
  const shown = findShownPath(nodes, toText(raw.current_node));
  const getPlace = indexPlaces(nodes);
  for (const node of messages) {
    const { message } = node;
    if (message === null) continue;
    const own = formatSeconds(message.create_time);
    const author = toObject(message.author);
    const metadata = toObject(message.metadata);
    const content = extractContent(message.content);
    const key = `${id}/${node.id}`;
    const above = getPlace(node.parent);
    const sent = own ?? above.time ?? created;
    const named = toObjects(metadata.attachments);
    yield createDatedRecord("messages", changedAt, {
      id: key,
      conversation_id: id,
      conversation_title: title,
      parent_id: above.message === null ? null : `${id}/${above.message}`,
      author: toText(author.role),
      author_name: toText(author.name),
      content_type: isObject(message.content) ? (toText(message.content.content_type) ?? "text") : null,
      content: replaceCitations(content.text, metadata),
      thinking: content.thinking,
      created_at: sent,
      time_source: own === null ? "conversation" : "message",
      model: toText(metadata.model_slug),
      is_shown: shown.has(node.id),
      is_hidden: metadata.is_visually_hidden_from_conversation === true,
      position: getPlace(node.id).depth,
      attachments: named.map((each) =>
        dropNulls({ name: each.name, mime_type: each.mime_type ?? each.mimeType, size_bytes: each.size }),
      ),
      extra: dropNulls({
        status: message.status,
        recipient: message.recipient === "all" ? null : message.recipient,
        channel: message.channel,
      }),
    });
    yield* createFiles(key, sent, content.assets, named, files, answers, changedAt);
  }
}

function* createFiles(
  messageId: string,
  sent: string | null,
  assets: ReturnType<typeof extractContent>["assets"],
  named: readonly Record<string, unknown>[],
  files: ReadonlyMap<Entry, string>,
  answers: Answers,
  changedAt: number | undefined,
): Generator<Item> {
  const wanted = new Map<string, { name: string | null; size: number | null; mime: string | null }>();
  for (const each of named) {
    const id = toText(each.id);
    const mime = toText(each.mime_type) ?? toText(each.mimeType);
    if (id !== null)
      wanted.set(id, { name: toText(each.name), size: typeof each.size === "number" ? each.size : null, mime });
  }
  for (const { pointer, sizeBytes } of assets) {
    const id = parseAssetId(pointer);
    if (!wanted.has(id)) wanted.set(id, { name: null, size: sizeBytes, mime: null });
  }
  for (const [id, { name, size, mime }] of wanted) {
    const [entry, fileName] = [...files].find(([, each]) => each.startsWith(id)) ?? [];
    const mimeType = mime ?? guessMimeType(fileName ?? name ?? "");
    const bytes = entry !== undefined && answers.attachments ? entry : undefined;
    yield createAttachmentRecord({
      id: `${messageId}/${cleanText(id)}`,
      parent: ["message_id", messageId],
      time: ["created_at", sent],
      name: name ?? fileName ?? id,
      mimeType,
      sizeBytes: entry?.size ?? size,
      note: entry === undefined ? missingFileNote : null,
      changedAt,
      bytes: bytes === undefined ? undefined : () => bytes.bytes(),
    });
  }
}

function parseNodes(mapping: Record<string, unknown>): Map<string, Node> {
  const nodes = new Map<string, Node>();
  for (const [key, node] of Object.entries(mapping)) {
    if (!isObject(node)) continue;
    const id = cleanText(key);
    nodes.set(id, { id, parent: toText(node.parent), message: isObject(node.message) ? node.message : null });
  }
  return nodes;
}

/** Walks up to the root; guards against cycles in malformed exports. */
function* walkUp(nodes: ReadonlyMap<string, Node>, start: string | null): Generator<Node> {
  const seen = new Set<string>();
  for (let nodeId = start; nodeId !== null && !seen.has(nodeId); ) {
    seen.add(nodeId);
    const node = nodes.get(nodeId);
    if (node === undefined) return;
    yield node;
    nodeId = node.parent;
  }
}

/** The path that the app shows. Without a current node, it ends at the last message. */
function findShownPath(nodes: ReadonlyMap<string, Node>, current: string | null): Set<string> {
  const last = current !== null && nodes.has(current) ? current : ([...nodes.keys()].at(-1) ?? null);
  return new Set([...walkUp(nodes, last)].map(({ id }) => id));
}

function findFirstTime(nodes: ReadonlyMap<string, Node>): string | null {
  const times = [...nodes.values()].flatMap(({ message }) => formatSeconds(message?.create_time) ?? []);
  return times.sort()[0] ?? null;
}

/** Values that a node has or inherits from its ancestors. */
interface Place {
  /** Messages from the root to here. */
  readonly depth: number;
  readonly message: string | null;
  readonly time: string | null;
}

const top: Place = { depth: 0, message: null, time: null };

/** Visits each node once, however long the conversation is. */
function indexPlaces(nodes: ReadonlyMap<string, Node>): (id: string | null) => Place {
  const places = new Map<string, Place>();
  const lookUp = (id: string | null): Place => (id === null ? undefined : places.get(id)) ?? top;
  for (const { id } of nodes.values()) {
    const above: Node[] = [];
    for (const node of walkUp(nodes, id)) {
      if (places.has(node.id)) break;
      above.push(node);
    }
    for (const { id, parent, message } of above.reverse()) {
      const before = lookUp(parent);
      const inherited = message === null ? before : { depth: before.depth + 1, message: id };
      // System nodes have no time and inherit their parent's.
      places.set(id, { ...before, ...inherited, time: formatSeconds(message?.create_time) ?? before.time });
    }
  }
  return lookUp;
}
