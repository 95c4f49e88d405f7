import { objectOf } from "../../core/files.ts";
import { h1, Occurrences } from "../../core/identity.ts";
import {
  type Answers,
  aside,
  besideOf,
  type Claim,
  type Importer,
  type Item,
  type Mark,
  mark,
  newestOf,
} from "../../core/importer.ts";
import { type Element, walk } from "../../core/parsing/json-elements.ts";
import { eachFile, faulty } from "../../core/reading.ts";
import { Chat, type ChatFile, chatManifest, chatMerge } from "../../core/records/chat.ts";
import { isObject, listIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import { folderOf, nameOf } from "../../core/text/paths.ts";
import { writtenTime } from "../../core/time/european-time.ts";
import { withOffset } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Google Chat in Takeout: a folder for each space, with its messages and its files. */
export const googleChat: Importer = {
  key: "google-chat",
  title: "Google Chat",
  version: "2",
  proof: "real files",
  manifest: chatManifest("google-chat", "Google Chat"),
  merge: chatMerge,
  about: "messages",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /^\s*\{\s*"messages"\s*:\s*\[/.test(text) &&
    /"message_id"\s*:/.test(text) &&
    /"(created_date|creator|topic_id)"\s*:/.test(text),
  async claims(found, tree) {
    const folders = new Set(found.map(({ path }) => folderOf(path)));
    const beside = besideOf(tree, found, (entry) => folders.has(folderOf(entry.path)) || isUserInfo(entry));
    const me = await ownName(beside.filter(isUserInfo));
    return [
      {
        format: "google-chat",
        label: "Google Chat",
        entries: found,
        beside,
        exportedAt: newestOf(found),
        questions: me === null ? [{ key: "me", text: "Which name in Google Chat is you?", usual: "" }] : [],
        ...(me === null ? {} : { known: { me } }),
      },
    ];
  },
  read,
};

const isUserInfo = ({ path }: Entry): boolean => /(^|\/)user_info\.json$/.test(path);

async function ownName(files: readonly Entry[]): Promise<string | null> {
  for (const file of files) {
    const { user } = await objectOf(file);
    const name = isObject(user) ? textIn(user.name) : null;
    if (name !== null) return name;
  }
  return null;
}

function read(claim: Claim, answers: Answers, from?: Mark): AsyncIterable<Item> {
  const said = { ...answers, me: claim.known?.me ?? answers.me };
  return eachFile(claim, from, async function* (entry, index) {
    const folder = folderOf(entry.path);
    const files = new Map(
      claim.beside.filter(({ path }) => folderOf(path) === folder).map((file) => [nameOf(file.path), file]),
    );
    const space = new Space(await objectOf(files.get("group_info.json")), said, entry, files);
    const opens = (path: string): boolean => path === "" || path === "messages";
    for await (const step of walk((at) => entry.bytes(at), { opens })) {
      if (step.kind !== "value" || step.path !== "messages/*") continue;
      yield* space.read(step.element);
      yield mark(index, step.element.end);
    }
    yield* space.conversation();
  });
}

/** Takeout cuts names of files at about fifty characters. */
const shortestCut = 40;

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

  /** The ids of messages begin with that of their space. */
  #chatOf(messageId: string | null): Chat {
    if (this.#chat !== undefined) return this.#chat;
    const members = listIn(this.#info.members).flatMap((each) => (isObject(each) ? (textIn(each.name) ?? []) : []));
    const others = members.filter((name) => name !== this.#answers.me);
    const title = textIn(this.#info.name) ?? (others.join(", ") || null);
    const space = messageId?.includes("/") ? messageId.slice(0, messageId.indexOf("/")) : null;
    const kind = members.length === 2 && textIn(this.#info.name) === null ? "direct" : "group";
    this.#chat = new Chat({ id: space ?? h1("google-chat", title), title, kind, participants: members }, this.#answers);
    return this.#chat;
  }

  *read(element: Element): Generator<Item> {
    const { value, offset, raw } = element;
    if (element.fault !== undefined) return yield faulty(this.#entry, element);
    if (!isObject(value)) return yield aside(this.#entry.path, offset, "not_a_message", "it is not an object", raw);
    const time = this.#timeOf(textIn(value.created_date));
    if (time === null)
      return yield aside(
        this.#entry.path,
        offset,
        "no_such_time",
        "its time is missing or in a language that is not known; set the account's language to English and export again",
        raw,
      );
    const own = textIn(value.message_id);
    const chat = this.#chatOf(own);
    const creator = isObject(value.creator) ? value.creator : {};
    const sender = textIn(creator.name) ?? textIn(creator.email);
    const text = textIn(value.text);
    const topic = textIn(value.topic_id);
    const thread = topic === null ? null : `${chat.id}/${topic}/${topic}`;
    const isDeleted = value.message_state === "DELETED" || value.deletion_metadata !== undefined;
    const updated = this.#timeOf(textIn(value.updated_date));
    yield* chat.message({
      id: this.#occurrences.of(own ?? h1(chat.id, time.sentAt, sender, text)),
      sender,
      kind: isDeleted ? "deleted" : "message",
      text,
      ...time,
      replyTo: thread === own ? null : thread,
      isEdited: updated !== null,
      ...(updated === null ? {} : { changedAt: Date.parse(updated.sentAt) }),
      reactions: listIn(value.reactions)
        .filter(isObject)
        .map(({ emoji, reactor_emails: from }) =>
          withoutNulls({ emoji: isObject(emoji) ? emoji.unicode : emoji, count: listIn(from).length, from }),
        ),
      files: listIn(value.attached_files)
        .filter(isObject)
        .map((file) => this.#fileOf(file)),
    });
  }

  #timeOf(text: string | null): ReturnType<typeof withOffset> {
    return withOffset(text === null ? null : writtenTime(text), this.#answers.time_zone);
  }

  /** On disk a name has no `?` and `=`, is cut off, and counts those that have it: `File-image(1).png`. */
  #fileOf(file: Record<string, unknown>): ChatFile {
    const exported = textIn(file.export_name) ?? "";
    const before = this.#named.get(exported) ?? 0;
    this.#named.set(exported, before + 1);
    const [, stem = "", ending = ""] = /^(.*?)(\.[^.]*)?$/s.exec(exported) ?? [];
    const tail = before === 0 ? ending : `(${before})${ending}`;
    const stems = [stem, stem.replace(/[?:"<>|*\\=&]/g, "_")];
    const entry = stems.map((each) => this.#files.get(`${each}${tail}`)).find((found) => found !== undefined);
    return { name: textIn(file.original_name) ?? exported, entry: entry ?? this.#cutFile(stems, tail) };
  }

  #cutFile(stems: readonly string[], tail: string): Entry | undefined {
    for (const [name, entry] of this.#files) {
      const begins = name.slice(0, name.length - tail.length);
      if (begins.length >= shortestCut && name.endsWith(tail) && stems.some((stem) => stem.startsWith(begins)))
        return entry;
    }
    return undefined;
  }

  *conversation(): Generator<Item> {
    if (this.#chat !== undefined) yield* this.#chat.conversation();
  }
}
