import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { readJsonObject } from "../../core/parsing/json.ts";
import { type JsonElement, readListElements } from "../../core/parsing/json-elements.ts";
import { readFiles, rejectElement } from "../../core/reading.ts";
import { Chat, type ChatFile, defineChatFormat } from "../../core/records/chat.ts";
import { dropNulls, isObject, toList, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { parseWrittenTime } from "../../core/time/european-time.ts";
import { resolveTime } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Google Chat from Takeout: a folder for each space, with its messages and files. */
export const googleChat: Importer = {
  ...defineChatFormat("google-chat", "Google Chat"),
  version: "2",
  testedWith: "real files",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /^\s*\{\s*"messages"\s*:\s*\[/.test(text) &&
    /"message_id"\s*:/.test(text) &&
    /"(created_date|creator|topic_id)"\s*:/.test(text),
  async createClaims(found, tree) {
    const folders = new Set(found.map(({ path }) => getFolder(path)));
    const companions = findCompanions(tree, found, (entry) => folders.has(getFolder(entry.path)) || isUserInfo(entry));
    const me = await findOwnName(companions.filter(isUserInfo));
    return [
      createClaim("google-chat", "Google Chat", found, {
        companions,
        questions: me === null ? [{ key: "me", text: "Which name in Google Chat is you?", defaultAnswer: "" }] : [],
        ...(me === null ? {} : { known: { me } }),
      }),
    ];
  },
  read,
};

const isUserInfo = ({ path }: Entry): boolean => /(^|\/)user_info\.json$/.test(path);

async function findOwnName(files: readonly Entry[]): Promise<string | null> {
  for (const file of files) {
    const { user } = await readJsonObject(file);
    const name = isObject(user) ? toText(user.name) : null;
    if (name !== null) return name;
  }
  return null;
}

function read(claim: Claim, answers: Answers, from?: Mark): AsyncIterable<Item> {
  const answersWithName = { ...answers, me: claim.known?.me ?? answers.me };
  return readFiles(claim, from, async function* (entry, index) {
    const folder = getFolder(entry.path);
    const files = new Map(
      claim.companions.filter(({ path }) => getFolder(path) === folder).map((file) => [getFileName(file.path), file]),
    );
    const space = new Space(await readJsonObject(files.get("group_info.json")), answersWithName, entry, files);
    for await (const element of readListElements(entry, "messages")) {
      yield* space.read(element);
      yield mark(index, element.end);
    }
    yield* space.buildConversation();
  });
}

/** Takeout truncates file names at about fifty characters. */
const minTruncatedChars = 40;

class Space {
  readonly #info: Record<string, unknown>;
  readonly #answers: Answers;
  readonly #entry: Entry;
  readonly #files: ReadonlyMap<string, Entry>;
  readonly #occurrences = new Occurrences();
  readonly #named = new Map<string, number>();
  #chat: Chat | undefined;

  constructor(info: Record<string, unknown>, answers: Answers, entry: Entry, files: ReadonlyMap<string, Entry>) {
    this.#info = info;
    this.#answers = answers;
    this.#entry = entry;
    this.#files = files;
  }

  /** Message ids begin with the id of their space. */
  #getChat(messageId: string | null): Chat {
    if (this.#chat !== undefined) return this.#chat;
    const members = toList(this.#info.members).flatMap((each) => (isObject(each) ? (toText(each.name) ?? []) : []));
    const others = members.filter((name) => name !== this.#answers.me);
    const title = toText(this.#info.name) ?? (others.join(", ") || null);
    const space = messageId?.includes("/") ? messageId.slice(0, messageId.indexOf("/")) : null;
    const kind = members.length === 2 && toText(this.#info.name) === null ? "direct" : "group";
    this.#chat = new Chat(
      { id: space ?? deriveId("google-chat", title), title, kind, participants: members },
      this.#answers,
    );
    return this.#chat;
  }

  *read(element: JsonElement): Generator<Item> {
    const { value, offset, raw } = element;
    if (element.failure !== undefined) return yield rejectElement(this.#entry, element);
    if (!isObject(value)) return yield reject(this.#entry.path, offset, "not_a_message", "not a JSON object", raw);
    const time = this.#parseTime(toText(value.created_date));
    if (time === null)
      return yield reject(
        this.#entry.path,
        offset,
        "no_such_time",
        "missing time, or in an unsupported language; set the account's language to English and export again",
        raw,
      );
    const own = toText(value.message_id);
    const chat = this.#getChat(own);
    const creator = toObject(value.creator);
    const sender = toText(creator.name) ?? toText(creator.email);
    const text = toText(value.text);
    const topic = toText(value.topic_id);
    const thread = topic === null ? null : `${chat.id}/${topic}/${topic}`;
    const isDeleted = value.message_state === "DELETED" || value.deletion_metadata !== undefined;
    const updated = this.#parseTime(toText(value.updated_date));
    yield* chat.addMessage({
      id: this.#occurrences.number(own ?? deriveId(chat.id, time.sentAt, sender, text)),
      sender,
      kind: isDeleted ? "deleted" : "message",
      text,
      ...time,
      replyTo: thread === own ? null : thread,
      isEdited: updated !== null,
      ...(updated === null ? {} : { changedAt: Date.parse(updated.sentAt) }),
      reactions: toObjects(value.reactions).map(({ emoji, reactor_emails: from }) =>
        dropNulls({ emoji: isObject(emoji) ? emoji.unicode : emoji, count: toList(from).length, from }),
      ),
      files: toObjects(value.attached_files).map((file) => this.#findFile(file)),
    });
  }

  #parseTime(text: string | null): ReturnType<typeof resolveTime> {
    return resolveTime(text === null ? null : parseWrittenTime(text), this.#answers.time_zone);
  }

  /** On disk, names lose `?` and `=`, are truncated, and get a number if repeated: `File-image(1).png`. */
  #findFile(file: Record<string, unknown>): ChatFile {
    const exported = toText(file.export_name) ?? "";
    const before = this.#named.get(exported) ?? 0;
    this.#named.set(exported, before + 1);
    const [, stem = "", ending = ""] = /^(.*?)(\.[^.]*)?$/s.exec(exported) ?? [];
    const tail = before === 0 ? ending : `(${before})${ending}`;
    const stems = [stem, stem.replace(/[?:"<>|*\\=&]/g, "_")];
    const entry = stems.map((each) => this.#files.get(`${each}${tail}`)).find((found) => found !== undefined);
    return { name: toText(file.original_name) ?? exported, entry: entry ?? this.#findTruncatedFile(stems, tail) };
  }

  #findTruncatedFile(stems: readonly string[], tail: string): Entry | undefined {
    for (const [name, entry] of this.#files) {
      const begins = name.slice(0, name.length - tail.length);
      if (begins.length >= minTruncatedChars && name.endsWith(tail) && stems.some((stem) => stem.startsWith(begins)))
        return entry;
    }
    return undefined;
  }

  *buildConversation(): Generator<Item> {
    if (this.#chat !== undefined) yield* this.#chat.buildConversation();
  }
}
