import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Question } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { type JsonElement, walkJson } from "../../core/parsing/json-elements.ts";
import { readFiles, rejectElement } from "../../core/reading.ts";
import { Chat, type ChatFile, defineChatFormat } from "../../core/records/chat.ts";
import { dropNulls, isObject, toId, toList, toNumber, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInstant, formatInZone, formatLocalTime, parseLocalTime } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Telegram's JSON export: one chat, or the whole account. */
export const telegram: Importer = {
  ...defineChatFormat("telegram", "Telegram"),
  version: "2",
  testedWith: "files of that shape",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /^\s*\{/.test(text) &&
    (/"about"\s*:\s*"Here is the data you requested/.test(text) ||
      (/"messages"\s*:\s*\[/.test(text) && /"(date_unixtime|from_id|actor_id)"\s*:/.test(text)) ||
      /"type"\s*:\s*"(personal_chat|saved_messages|bot_chat|(private|public)_\w+)"/.test(text)),
  createClaims: (found, tree) => Promise.all(found.map((entry) => claimExport(entry, tree.entries))),
  read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readFile(claim, answers, entry, index)),
};

/** Paths at which a chat may be. */
const places = ["", "chats/list/*", "left_chats/list/*"];
const openedPaths = new Set([
  ...places.flatMap((place) => [place, joinPath(place, "messages")]),
  ...["chats", "left_chats"].flatMap((name) => [name, `${name}/list`]),
]);

function joinPath(place: string, name: string): string {
  return place === "" ? name : `${place}/${name}`;
}

const walkExport = (entry: Entry) => walkJson((at) => entry.bytes(at), { shouldOpen: (path) => openedPaths.has(path) });

async function claimExport(entry: Entry, all: readonly Entry[]): Promise<Claim> {
  const folder = getFolder(entry.path);
  const isCompanion = (path: string): boolean =>
    path !== entry.path && path.startsWith(folder) && mediaFolder.test(path.slice(folder.length));
  let me: string | null = null;
  let isZoned = true;
  for await (const step of walkExport(entry)) {
    if (step.kind !== "value") continue;
    const { path, element } = step;
    if (path === "personal_information" && isObject(element.value)) me = toId(element.value.user_id);
    if (!path.endsWith("messages/*") || !isObject(element.value)) continue;
    isZoned = toNumber(element.value.date_unixtime) !== null;
    break;
  }
  const questions: Question[] = [
    ...(isZoned
      ? []
      : [{ key: "time_zone" as const, text: "Which time zone was Telegram's export made in? It does not say." }]),
    ...(me === null ? [{ key: "me" as const, text: "Which name in Telegram is you?", defaultAnswer: "" }] : []),
  ];
  return createClaim("telegram", "Telegram", [entry], {
    companions: all.filter(({ path }) => isCompanion(path)),
    questions,
    ...(me === null ? {} : { known: { me } }),
  });
}

const mediaFolder =
  /^(chats|photos|video_files|voice_messages|round_video_messages|stickers|files|contacts|profile_pictures|stories)\//;

interface ChatFields {
  readonly [name: string]: unknown;
}

async function* readFile(claim: Claim, answers: Answers, entry: Entry, first: number): AsyncGenerator<Item> {
  const folder = getFolder(entry.path);
  const files = new Map(claim.companions.map((file) => [file.path.slice(folder.length), file]));
  let fields: Record<string, unknown> = {};
  let reader: MessageReader | undefined;
  for await (const step of walkExport(entry)) {
    if (step.kind === "enter") {
      if (places.includes(step.path)) fields = {};
      const place = places.find((each) => joinPath(each, "messages") === step.path);
      if (place !== undefined) reader = new MessageReader(fields, answers, entry, files, claim.known?.me);
    } else if (step.kind === "leave") {
      if (places.includes(step.path) && reader !== undefined) {
        yield* reader.chat.buildConversation();
        reader = undefined;
      }
    } else if (reader !== undefined && step.path.endsWith("messages/*")) {
      yield* reader.read(step.element);
      yield mark(first, step.element.end);
    } else fields[getFileName(step.path)] = step.element.value;
  }
}

const kinds: Readonly<Record<string, string>> = {
  personal_chat: "direct",
  bot_chat: "direct",
  saved_messages: "direct",
  private_channel: "channel",
  public_channel: "channel",
};

class MessageReader {
  readonly chat: Chat;
  readonly #occurrences = new Occurrences();
  readonly #answers: Answers;
  readonly #entry: Entry;
  readonly #files: ReadonlyMap<string, Entry>;
  readonly #me: string | undefined;

  constructor(
    fields: ChatFields,
    answers: Answers,
    entry: Entry,
    files: ReadonlyMap<string, Entry>,
    me: string | undefined,
  ) {
    const type = toText(fields.type);
    const title = toText(fields.name) ?? (type === "saved_messages" ? "Saved Messages" : null);
    const kind = type === null ? undefined : (kinds[type] ?? "group");
    const id = toId(fields.id) ?? deriveId("telegram", title);
    this.chat = new Chat({ id, title, ...(kind === undefined ? {} : { kind }) }, answers);
    this.#answers = answers;
    this.#entry = entry;
    this.#files = files;
    this.#me = me;
  }

  *read(element: JsonElement): Generator<Item> {
    const { value, offset, raw } = element;
    if (element.failure !== undefined) return yield rejectElement(this.#entry, element);
    if (!isObject(value)) return yield reject(this.#entry.path, offset, "not_a_message", "not a JSON object", raw);
    const time = this.#parseTime(value);
    if (time === null) return yield reject(this.#entry.path, offset, "no_such_time", "no time sent", raw);
    const isService = value.type === "service";
    const sender = toText(value.from) ?? toText(value.actor);
    const bare = isService ? describeServiceMessage(value) : toPlainText(value.text ?? value.text_entities);
    const text = isService ? bare : toLinkedText(value.text ?? value.text_entities) || describeContent(value);
    const own = toId(value.id);
    const edited = toNumber(value.edited_unixtime);
    const answered = toId(value.reply_to_message_id);
    const from = toText(value.from_id) ?? toText(value.actor_id);
    yield* this.chat.addMessage({
      id: this.#occurrences.number(
        own === null ? deriveId(this.chat.id, time.sentAt, sender, bare) : `${this.chat.id}/${own}`,
      ),
      sender,
      ...(this.#me === undefined || from === null ? {} : { isFromMe: from === `user${this.#me}` }),
      kind: !isService ? "message" : value.action === "phone_call" ? "call" : "system",
      text,
      ...time,
      replyTo: answered === null || value.reply_to_peer_id !== undefined ? null : `${this.chat.id}/${answered}`,
      isEdited: edited !== null || typeof value.edited === "string",
      ...(edited === null ? {} : { changedAt: edited * 1000 }),
      reactions: toObjects(value.reactions).map(toReaction),
      files: this.#listFiles(value),
      extra: dropNulls({
        forwarded_from: value.forwarded_from,
        media_type: value.media_type,
        sticker_emoji: value.sticker_emoji,
        duration_seconds: value.duration_seconds,
        via_bot: value.via_bot,
        poll: value.poll,
        location: value.location_information,
        contact: value.contact_information,
      }),
    });
  }

  /** Older exports only have the local time where they were made. */
  #parseTime(value: Record<string, unknown>): { sentAt: string; localTime?: string; zone?: string } | null {
    const sentAt = formatInstant(toNumber(value.date_unixtime), 1000);
    if (sentAt !== null) return { sentAt };
    const local = parseLocalTime(toText(value.date) ?? "");
    if (local === null) return null;
    const zone = this.#answers.time_zone ?? "UTC";
    return { sentAt: formatInZone(local, zone), localTime: formatLocalTime(local), zone };
  }

  #listFiles(value: Record<string, unknown>): ChatFile[] {
    const paths = [toText(value.photo), toText(value.file)].filter((path) => path !== null);
    return paths.map((path): ChatFile => {
      // Telegram writes "(File not included. Change data exporting settings to download.)".
      const isLeftOut = path.startsWith("(");
      const name = toText(value.file_name) ?? (isLeftOut ? null : getFileName(path));
      const about = { name, mimeType: toText(value.mime_type), sizeBytes: toNumber(value.file_size) };
      return { ...about, entry: isLeftOut ? undefined : this.#files.get(path) };
    });
  }
}

/** A string, or a list of strings and of parts with a text. */
function toPlainText(value: unknown): string {
  if (typeof value === "string") return value;
  return toList(value)
    .map((part) => (typeof part === "string" ? part : isObject(part) ? (toText(part.text) ?? "") : ""))
    .join("");
}

/** Like `plainText`, and adds link targets that the text does not show. */
const toLinkedText = (value: unknown): string =>
  toPlainText(
    typeof value === "string"
      ? value
      : toList(value).map((part) => {
          const [text, href] = isObject(part) ? [toText(part.text), toText(part.href)] : [null, null];
          return text === null || !href || href === text ? part : `${text} (${href})`;
        }),
  );

/** The content of a message without text: a poll, a list, a place, a contact. */
function describeContent(value: Record<string, unknown>): string {
  const getTexts = (from: unknown, ...names: string[]): string[] =>
    isObject(from) ? names.flatMap((name) => toText(from[name]) || []) : [];
  const listTexts = (from: unknown, name: string): string[] =>
    isObject(from) ? toList(from[name]).flatMap((each) => getTexts(each, "text").map((text) => `- ${text}`)) : [];
  return [
    ...getTexts(value.poll, "question"),
    ...listTexts(value.poll, "answers"),
    ...getTexts(value.todo_list, "title"),
    ...listTexts(value.todo_list, "items"),
    ...getTexts(value, "place_name", "address"),
    getTexts(value.contact_information, "first_name", "last_name", "phone_number").join(" "),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function describeServiceMessage(value: Record<string, unknown>): string {
  const words = [toText(value.action)?.replaceAll("_", " ") ?? "", toText(value.title) ?? ""];
  const members = toList(value.members).flatMap((name) => toText(name) ?? []);
  return [...words, members.join(", "), toPlainText(value.text)].filter((word) => word !== "").join(" ");
}

const toReaction = (value: Record<string, unknown>) =>
  dropNulls({
    emoji: value.emoji ?? value.type,
    count: value.count,
    from: toList(value.recent).flatMap((each) => (isObject(each) ? (toText(each.from) ?? []) : [])),
  });
