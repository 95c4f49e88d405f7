import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@pdpp/contract/declaration";
import { wordsOf } from "../../core/files.ts";
import { Occurrences } from "../../core/identity.ts";
import {
  type Answers,
  aside,
  besideOf,
  type Claim,
  type Importer,
  type Item,
  mark,
  newestOf,
} from "../../core/importer.ts";
import { DatabaseFault, fromDatabase, isSqlite, logOf } from "../../core/parsing/sqlite-file.ts";
import { eachFile } from "../../core/reading.ts";
import { type Chat, type ChatFile, Chats, chatManifest, chatMerge } from "../../core/records/chat.ts";
import { isObject, listIn, numberIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import { folderOf, nameOf } from "../../core/text/paths.ts";
import { instantText } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { type Row, Tables } from "./rows.ts";
import { textInStream } from "./typedstream.ts";

/** Messages of a Mac or an iPhone: the database that the app keeps. */
export const imessage: Importer = {
  key: "imessage",
  title: "iMessage",
  version: "1",
  proof: "unproven",
  manifest: chatManifest("imessage", "iMessage"),
  merge: chatMerge,
  about: "messages",
  sniff: (path, { bytes }) =>
    isSqlite(bytes) && (/^(chat|sms)\.db$/.test(nameOf(path)) || Buffer.from(bytes).includes("chat_message_join")),
  claims: async (found, tree) =>
    found.map((entry): Claim => {
      const attachments = `${folderOf(entry.path)}Attachments/`;
      const isBeside = ({ path }: Entry): boolean =>
        path.startsWith(attachments) ||
        /^-(wal|shm)$/.test(path.startsWith(entry.path) ? path.slice(entry.path.length) : "");
      return {
        format: "imessage",
        label: "iMessage",
        entries: [entry],
        beside: besideOf(tree, [entry], isBeside),
        exportedAt: newestOf([entry]),
        questions: [{ key: "me", text: "What is your name? Messages you sent have none.", usual: "" }],
      };
    }),
  read: (claim, answers, from) => eachFile(claim, from, (entry, index) => readDatabase(claim, answers, entry, index)),
};

async function* readDatabase(claim: Claim, answers: Answers, entry: Entry, index: number): AsyncGenerator<Item> {
  try {
    yield* fromDatabase(entry, logOf(entry, claim.beside), (database) =>
      new Reader(claim, answers, entry, database).items(index),
    );
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error;
    yield aside(entry.path, 0, "malformed", wordsOf(error));
  }
}

interface About {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly participants: readonly string[];
}

class Reader {
  readonly #entry: Entry;
  readonly #tables: Tables;
  readonly #chats: Chats;
  readonly #me: string;
  readonly #files = new Map<string, Entry>();
  readonly #handles: ReadonlyMap<string, string>;
  readonly #about: ReadonlyMap<string, About>;
  readonly #occurrences = new Occurrences();

  constructor(claim: Claim, answers: Answers, entry: Entry, database: DatabaseSync) {
    this.#entry = entry;
    this.#tables = new Tables(database);
    this.#chats = new Chats(answers);
    this.#me = answers.me || "Me";
    for (const file of claim.beside) this.#files.set(behindAttachments(file.path), file);
    const isKnown = this.#tables.areThere;
    this.#handles = isKnown ? this.#tables.handles() : new Map();
    this.#about = isKnown ? this.#chatsIn() : new Map();
  }

  *items(index: number): Generator<Item> {
    if (!this.#tables.areThere)
      return yield aside(this.#entry.path, 0, "no_messages", "the database has no tables of messages");
    for (const row of this.#tables.messages()) {
      yield* this.#message(row);
      yield mark(index, Number(row.ROWID));
    }
    yield* this.#chats.conversations();
  }

  #chatsIn(): Map<string, About> {
    const members = new Map<string, string[]>();
    for (const { chat_id, handle_id } of this.#tables.members()) {
      const name = this.#handles.get(String(handle_id));
      if (name !== undefined) members.set(String(chat_id), [...(members.get(String(chat_id)) ?? []), name]);
    }
    const chats = new Map<string, About>();
    for (const { ROWID, guid, chat_identifier: identifier, display_name: name } of this.#tables.chats()) {
      const participants = (members.get(String(ROWID)) ?? []).sort();
      const id = textIn(guid) ?? textIn(identifier) ?? `chat ${ROWID}`;
      const title = textIn(name) || participants.join(", ") || textIn(identifier) || id;
      chats.set(String(ROWID), { id, title, kind: participants.length > 1 ? "group" : "direct", participants });
    }
    return chats;
  }

  #chatOf(row: Row): Chat {
    const about = this.#about.get(String(row.chat_id));
    const handle = this.#handles.get(String(row.handle_id)) ?? "unknown";
    return this.#chats.of(about ?? { id: `handle;${handle}`, title: handle, kind: "direct" });
  }

  *#message(row: Row): Generator<Item> {
    const place = Number(row.ROWID);
    const guid = textIn(row.guid);
    const refuse = (code: string, reason: string): Item =>
      aside(this.#entry.path, place, code, reason, textIn(row.text) ?? "");
    if (guid === null || guid === "") return yield refuse("no_id", "it has no id");
    const sentAt = timeText(row.date);
    if (sentAt === null) return yield refuse("no_such_time", "it does not say when it was sent");
    const isFromMe = Number(row.is_from_me ?? 0) === 1;
    const isSystem = Number(row.item_type ?? 0) !== 0;
    const retracted = timeText(row.date_retracted);
    const edited = timeText(row.date_edited) ?? retracted;
    const answered = textIn(row.thread_originator_guid);
    yield* this.#chatOf(row).message({
      id: this.#occurrences.of(guid),
      sender: isFromMe ? this.#me : (this.#handles.get(String(row.handle_id)) ?? null),
      isFromMe,
      kind: isSystem ? "system" : retracted === null ? "message" : "deleted",
      text: isSystem ? systemText(row) : textOf(row),
      sentAt,
      replyTo: answered === "" ? null : answered,
      isEdited: timeText(row.date_edited) !== null,
      ...(edited === null ? {} : { changedAt: Date.parse(edited) }),
      reactions: this.#reactions(row.taps),
      files: this.#filesOf(row.files),
      extra: withoutNulls({ service: row.service }),
    });
  }

  /** What was taken back again is none. */
  #reactions(taps: unknown): JsonObject[] {
    const held = new Map<string, JsonObject>();
    for (const tap of listIn(parsed(taps)).filter(isObject)) {
      const type = numberIn(tap.type) ?? 0;
      const from = Number(tap.me) === 1 ? this.#me : (this.#handles.get(String(tap.handle)) ?? "?");
      const emoji = textIn(tap.emoji) ?? tapbacks[type % 1000] ?? "?";
      if (type < 3000) held.set(`${from} ${emoji}`, { emoji, count: 1, from: [from] });
      else held.delete(`${from} ${emoji}`);
    }
    return [...held.values()];
  }

  #filesOf(files: unknown): ChatFile[] {
    return listIn(parsed(files))
      .filter(isObject)
      .map((file): ChatFile => {
        const path = textIn(file.path);
        return {
          name: textIn(file.name) ?? (path === null ? null : nameOf(path)),
          mimeType: textIn(file.type),
          sizeBytes: numberIn(file.size),
          entry: path === null ? undefined : this.#files.get(behindAttachments(path)),
        };
      });
  }
}

const tapbacks = ["❤️", "👍", "👎", "😂", "‼️", "❓"];

/** The same file in the database and in a copy of the folder. */
const behindAttachments = (path: string): string => path.replace(/^.*?Attachments\//, "");

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const since2001 = 978_307_200_000;

/** Seconds since 2001, or since 2017 billionths of them. Nothing was sent in its first second. */
function timeText(value: unknown): string | null {
  if (typeof value !== "bigint" && typeof value !== "number") return null;
  const written = BigInt(Math.trunc(Number(value)));
  if (written <= 0n) return null;
  const milliseconds = written > 1_000_000_000_000n ? Number(BigInt(value) / 1_000_000n) : Number(written) * 1000;
  return instantText(since2001 + milliseconds);
}

/** A file stands as a character of its own in the text. */
function textOf(row: Row): string {
  const plain =
    textIn(row.text) || (row.attributedBody instanceof Uint8Array ? textInStream(row.attributedBody) : null);
  const subject = textIn(row.subject);
  return [subject, plain?.replaceAll("\ufffc", "").trim()].filter((part) => part !== null && part !== "").join("\n");
}

function systemText(row: Row): string {
  const title = textIn(row.group_title);
  return title === null || title === "" ? "The group was changed" : `The group was named ${title}`;
}
