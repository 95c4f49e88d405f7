import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Importer, Item } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { parseJson } from "../../core/parsing/json.ts";
import { type JsonElement, walkJson } from "../../core/parsing/json-elements.ts";
import { readParts, rejectElement } from "../../core/reading.ts";
import { Chat, type ChatFile, chatMergeRules } from "../../core/records/chat.ts";
import { createPostRecords, definePostStreams } from "../../core/records/post.ts";
import { defineChatStreams, defineManifest } from "../../core/records/schema.ts";
import { dropNulls, isObject, toList, toNumber, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder, isMedia } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { repairAllTexts, repairText } from "./mojibake.ts";

/** Facebook and Instagram JSON exports, which share a layout: chats in folders, posts in lists. */
export const facebookInstagram: Importer = {
  key: "facebook-instagram",
  title: "Facebook and Instagram",
  version: "2",
  testedWith: "files of that shape",
  manifest: defineManifest("facebook-instagram", "Facebook and Instagram", "1.0.0", [
    ...defineChatStreams(),
    ...definePostStreams(),
  ]),
  mergeRules: { ...chatMergeRules, media: { fill: ["blob_ref"] } },
  mainStream: "messages",
  sniff: (path, { text }) => /\.json$/i.test(path) && (isThread(text) || isPosts(text)),
  advise: (path, { text }) =>
    /\.json$/i.test(path) && /^\s*\{/.test(text) && hasPostMedia(text)
      ? "this is a list of albums; only posts and messages are imported"
      : undefined,
  async createClaims(found, tree) {
    const folders = new Set(found.map(({ path }) => getFolder(path)));
    const isBeside = ({ path }: Entry): boolean =>
      isMedia(path) && (/(^|\/)(media|posts)\//.test(path) || folders.has(getFolder(getFolder(path).slice(0, -1))));
    return [
      createClaim("facebook-instagram", "Facebook and Instagram", found, {
        companions: findCompanions(tree, found, isBeside),
        questions: [{ key: "me", text: "Which name in Facebook or Instagram is you?", defaultAnswer: "" }],
      }),
    ];
  },
  read: (claim, answers, from) => {
    const files = new Map(claim.companions.map((file) => [file.path, file]));
    return readParts(claim, from, (entries, first) => readPart(entries, first, answers, files), getPartName);
  },
};

const isThread = (text: string): boolean => /"sender_name"\s*:/.test(text) && /"timestamp_ms"\s*:/.test(text);
const hasPostMedia = (text: string): boolean =>
  /"uri"\s*:\s*"[^"]*(media\/posts|posts\/media|photos_and_videos)\//.test(text);
const isPosts = (text: string): boolean =>
  /^\s*\[\s*\{/.test(text) &&
  (hasPostMedia(text) ||
    (/"data"\s*:\s*\[\s*\{\s*"(post|update_timestamp)"/.test(text) && /"timestamp"\s*:\s*\d{9}/.test(text)));

/** A chat is split into `message_1.json`, `message_2.json` and so on; every other file is its own part. */
const getPartName = ({ path }: Entry): string =>
  /^message_\d+\.json$/.test(getFileName(path)) ? getFolder(path) : path;

async function* readPart(
  entries: readonly Entry[],
  first: number,
  answers: Answers,
  files: ReadonlyMap<string, Entry>,
): AsyncGenerator<Item> {
  const thread = new Thread(answers, files);
  for (const [n, entry] of entries.entries()) {
    await thread.begin(entry);
    const shouldOpen = (path: string): boolean => path === "" || path === "messages";
    for await (const step of walkJson((at) => entry.bytes(at), { shouldOpen })) {
      if (step.kind !== "value") continue;
      const { path, element } = step;
      if (path === "messages/*") yield* thread.addMessage(entry, element);
      else if (path === "*") yield* createPost(entry, element, answers, files);
      else if (element.failure !== undefined) yield rejectElement(entry, element);
      else continue;
      yield mark(first + n, element.end);
    }
  }
  yield* thread.buildConversation();
}

/** The title, path and participants come after the messages. */
const tailBytes = 65_536;

class Thread {
  readonly #answers: Answers;
  readonly #files: ReadonlyMap<string, Entry>;
  readonly #occurrences = new Occurrences();
  #chat: Chat | undefined;

  constructor(answers: Answers, files: ReadonlyMap<string, Entry>) {
    this.#answers = answers;
    this.#files = files;
  }

  async begin(entry: Entry): Promise<void> {
    if (this.#chat !== undefined) return;
    const [head, tail] = [await readTextAt(entry, 0), await readTextAt(entry, Math.max(0, entry.size - tailBytes))];
    const people = parseNames(
      /"participants"\s*:\s*(\[[^\]]*\])/.exec(head)?.[1] ?? /"participants"\s*:\s*(\[[^\]]*\])/.exec(tail)?.[1],
    );
    const readField = (key: string): string | null => {
      const raw = new RegExp(`"${key}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(tail)?.[1];
      const value = raw === undefined ? null : parseJson(raw).value;
      return typeof value === "string" ? repairText(value) : null;
    };
    const title = readField("title") ?? (people.join(", ") || null);
    const place = readField("thread_path") ?? getFolder(entry.path).slice(0, -1);
    // The part before the underscore changes when a person is renamed; the number after it does not.
    const number = /_([A-Za-z0-9-]{6,})$/.exec(place)?.[1];
    const id = deriveId("meta thread", number ?? (people.length > 0 ? people.sort().join("\n") : getFileName(place)));
    this.#chat = new Chat({ id, title, participants: people }, this.#answers);
  }

  *addMessage(entry: Entry, element: JsonElement): Generator<Item> {
    const { offset, raw } = element;
    const chat = this.#chat;
    if (element.failure !== undefined || chat === undefined) return yield rejectElement(entry, element);
    const value = repairAllTexts(element.value);
    if (!isObject(value)) return yield reject(entry.path, offset, "not_a_message", "not a JSON object", raw);
    const ms = toNumber(value.timestamp_ms);
    const sentAt = formatInstant(ms);
    if (sentAt === null) return yield reject(entry.path, offset, "no_such_time", "no time sent", raw);
    const sender = toText(value.sender_name);
    const content = toText(value.content);
    const share = toObject(value.share);
    const isCall = value.call_duration !== undefined;
    const text = [content, toText(share.share_text), toText(share.link)].filter((part) => part !== null && part !== "");
    yield* chat.addMessage({
      id: this.#occurrences.number(deriveId(chat.id, ms, sender, content)),
      sender,
      kind: value.is_unsent === true ? "deleted" : isCall ? "call" : "message",
      text: text.length === 0 ? null : [...new Set(text)].join("\n"),
      sentAt,
      reactions: toObjects(value.reactions).map(({ reaction, actor }) =>
        dropNulls({ emoji: reaction, count: 1, from: [actor] }),
      ),
      files: listFiles(value, entry, this.#files),
      extra: dropNulls({ call_duration: value.call_duration, missed: value.missed }),
    });
  }

  *buildConversation(): Generator<Item> {
    if (this.#chat !== undefined) yield* this.#chat.buildConversation();
  }
}

async function readTextAt(entry: Entry, from: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of entry.bytes(from)) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= tailBytes) break;
  }
  return Buffer.concat(parts).toString("utf8");
}

const parseNames = (list: string | undefined): string[] =>
  toList(parseJson(list ?? "[]").value).flatMap((each) =>
    isObject(each) ? repairText(toText(each.name) ?? "") || [] : [],
  );

const kinds = ["photos", "videos", "audio_files", "files", "gifs"];

function listFiles(value: Record<string, unknown>, entry: Entry, files: ReadonlyMap<string, Entry>): ChatFile[] {
  const all = [...kinds.flatMap((kind) => toList(value[kind])), value.sticker].filter(isObject);
  return all.flatMap((file): ChatFile[] => {
    const uri = toText(file.uri);
    return uri === null ? [] : [{ name: getFileName(uri), entry: findFile(uri, entry, files) }];
  });
}

/** File paths are relative to the export's root, which may be a subfolder. */
function findFile(uri: string, entry: Entry, files: ReadonlyMap<string, Entry>): Entry | undefined {
  const top = entry.path.search(/(^|\/)(your_\w+_activity|messages|posts|content)\//);
  const root = top < 0 ? "" : entry.path.slice(0, entry.path[top] === "/" ? top + 1 : top);
  return files.get(`${root}${uri}`) ?? files.get(`${getFolder(entry.path)}${uri.split("/").slice(-2).join("/")}`);
}

function* createPost(
  entry: Entry,
  element: JsonElement,
  answers: Answers,
  files: ReadonlyMap<string, Entry>,
): Generator<Item> {
  const { offset, raw } = element;
  if (element.failure !== undefined) return yield rejectElement(entry, element);
  const value = repairAllTexts(element.value);
  if (!isObject(value)) return yield reject(entry.path, offset, "not_a_post", "not a JSON object", raw);
  const attached = toObjects(value.attachments).flatMap((each) => toObjects(each.data));
  const media = [...attached.flatMap((each) => each.media ?? []), ...toList(value.media)].filter(isObject);
  const seconds =
    toNumber(value.timestamp) ?? toNumber(value.creation_timestamp) ?? toNumber(media[0]?.creation_timestamp);
  const at = formatInstant(seconds, 1000);
  if (at === null) return yield reject(entry.path, offset, "no_such_time", "no time posted", raw);
  const data = toObjects(value.data);
  const written = data.flatMap((each) => toText(each.post) ?? []);
  const link = attached.map((each) => each.external_context).find(isObject);
  const place = attached.map((each) => each.place).find(isObject);
  const people = toList(value.tags).flatMap((each) =>
    isObject(each) ? (toText(each.name) ?? []) : (toText(each) ?? []),
  );
  // Instagram puts the text in the title of the post, or of its only picture.
  const isInstagram = data.length === 0 && value.attachments === undefined;
  const caption = isInstagram ? toText(value.title) || toText(media[0]?.title) : null;
  const text = written.join("\n") || caption || null;
  const uris = media.flatMap((each) => toText(each.uri) ?? []);
  yield* createPostRecords(
    {
      id: deriveId("meta post", seconds, text, uris[0]),
      text,
      at,
      title: isInstagram ? null : toText(value.title),
      url: toText(link?.url),
      media: media.flatMap((each) => {
        const uri = toText(each.uri);
        const description = toText(each.description);
        return uri === null ? [] : [{ name: uri, description, entry: findFile(uri, entry, files) }];
      }),
      extra: dropNulls({
        place: place === undefined ? null : toPlace(place),
        people: people.length === 0 ? null : people,
        link_title: toText(link?.name),
      }),
    },
    answers,
  );
}

function toPlace({ name, address, coordinate }: Record<string, unknown>): JsonObject {
  const { latitude, longitude } = toObject(coordinate);
  return dropNulls({
    name: toText(name),
    address: toText(address),
    latitude: toNumber(latitude),
    longitude: toNumber(longitude),
  });
}
