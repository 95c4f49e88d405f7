import type { JsonObject } from "@pdpp/contract/declaration";
import type { Row } from "../../core/database/database-messages.ts";
import {
  type Database,
  DatabaseError,
  findWriteAheadLog,
  isSqlite,
  readFromDatabase,
} from "../../core/database/sqlite-file.ts";
import { Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { parseJson } from "../../core/parsing/json.ts";
import { readFiles } from "../../core/reading.ts";
import { type Chat, type ChatFile, Chats, defineChatFormat } from "../../core/records/chat.ts";
import { dropNulls, isObject, toList, toNumber, toText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { Tables } from "./rows.ts";
import { extractStreamText } from "./typedstream.ts";

/** iMessage: the database of the Messages app on a Mac or an iPhone. */
export const imessage: Importer = {
  ...defineChatFormat("imessage", "iMessage"),
  version: "1",
  testedWith: "unproven",
  sniff: (path, { bytes }) =>
    isSqlite(bytes) && (/^(chat|sms)\.db$/.test(getFileName(path)) || Buffer.from(bytes).includes("chat_message_join")),
  createClaims: async (found, tree) =>
    found.map((entry): Claim => {
      const attachments = `${getFolder(entry.path)}Attachments/`;
      const isBeside = ({ path }: Entry): boolean =>
        path.startsWith(attachments) ||
        /^-(wal|shm)$/.test(path.startsWith(entry.path) ? path.slice(entry.path.length) : "");
      return createClaim("imessage", "iMessage", [entry], {
        companions: findCompanions(tree, [entry], isBeside),
        questions: [{ key: "me", text: "What is your name? Messages you sent have none.", defaultAnswer: "" }],
      });
    }),
  read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readDatabase(claim, answers, entry, index)),
};

async function* readDatabase(claim: Claim, answers: Answers, entry: Entry, index: number): AsyncGenerator<Item> {
  try {
    yield* readFromDatabase(entry, findWriteAheadLog(entry, claim.companions), (database) =>
      new Reader(claim, answers, entry, database).readItems(index),
    );
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    yield reject(entry.path, 0, error.code, describeError(error));
  }
}

interface ChatSummary {
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
  #handles: ReadonlyMap<string, string> = new Map();
  #about: ReadonlyMap<string, ChatSummary> = new Map();
  readonly #occurrences = new Occurrences();

  constructor(claim: Claim, answers: Answers, entry: Entry, database: Database) {
    this.#entry = entry;
    this.#tables = new Tables(database);
    this.#chats = new Chats(answers);
    this.#me = answers.me || "Me";
    for (const file of claim.companions) this.#files.set(toAttachmentPath(file.path), file);
  }

  async *readItems(index: number): AsyncGenerator<Item> {
    if (!this.#tables.areComplete)
      return yield reject(this.#entry.path, 0, "no_messages", "the database has no message tables");
    this.#handles = await this.#tables.listHandles();
    this.#about = await this.#readChats();
    for await (const row of this.#tables.listMessages()) {
      yield* this.#readMessage(row);
      yield mark(index, Number(row.ROWID));
    }
    yield* this.#chats.buildConversations();
  }

  async #readChats(): Promise<Map<string, ChatSummary>> {
    const members = new Map<string, string[]>();
    for await (const { chat_id, handle_id } of this.#tables.listMembers()) {
      const name = this.#handles.get(String(handle_id));
      if (name === undefined) continue;
      const inChat = members.get(String(chat_id)) ?? [];
      members.set(String(chat_id), inChat);
      inChat.push(name);
    }
    const chats = new Map<string, ChatSummary>();
    for await (const { ROWID, guid, chat_identifier: identifier, display_name: name } of this.#tables.listChats()) {
      const participants = (members.get(String(ROWID)) ?? []).sort();
      const id = toText(guid) ?? toText(identifier) ?? `chat ${ROWID}`;
      const title = toText(name) || participants.join(", ") || toText(identifier) || id;
      chats.set(String(ROWID), { id, title, kind: participants.length > 1 ? "group" : "direct", participants });
    }
    return chats;
  }

  #getChat(row: Row): Chat {
    const about = this.#about.get(String(row.chat_id));
    const handle = this.#handles.get(String(row.handle_id)) ?? "unknown";
    return this.#chats.findOrCreate(about ?? { id: `handle;${handle}`, title: handle, kind: "direct" });
  }

  *#readMessage(row: Row): Generator<Item> {
    const place = Number(row.ROWID);
    const guid = toText(row.guid);
    const refuse = (code: string, reason: string): Item =>
      reject(this.#entry.path, place, code, reason, toText(row.text) ?? "");
    if (guid === null || guid === "") return yield refuse("no_id", "no id");
    const sentAt = parseTime(row.date);
    if (sentAt === null) return yield refuse("no_such_time", "no time sent");
    const isFromMe = Number(row.is_from_me ?? 0) === 1;
    const isSystem = Number(row.item_type ?? 0) !== 0;
    const retracted = parseTime(row.date_retracted);
    const edited = parseTime(row.date_edited) ?? retracted;
    const answered = toText(row.thread_originator_guid);
    yield* this.#getChat(row).addMessage({
      id: this.#occurrences.number(guid),
      sender: isFromMe ? this.#me : (this.#handles.get(String(row.handle_id)) ?? null),
      isFromMe,
      kind: isSystem ? "system" : retracted === null ? "message" : "deleted",
      text: isSystem ? describeSystemEvent(row) : extractText(row),
      sentAt,
      replyTo: answered === "" ? null : answered,
      isEdited: parseTime(row.date_edited) !== null,
      ...(edited === null ? {} : { changedAt: Date.parse(edited) }),
      reactions: this.#parseReactions(row.taps),
      files: this.#parseFiles(row.files),
      extra: dropNulls({ service: row.service }),
    });
  }

  /** Skips reactions that were removed again. */
  #parseReactions(taps: unknown): JsonObject[] {
    const held = new Map<string, JsonObject>();
    for (const tap of toList(parseJson(toText(taps) ?? "[]").value).filter(isObject)) {
      const type = toNumber(tap.type) ?? 0;
      const from = Number(tap.me) === 1 ? this.#me : (this.#handles.get(String(tap.handle)) ?? "?");
      const emoji = toText(tap.emoji) ?? tapbacks[type % 1000] ?? "?";
      if (type < 3000) held.set(`${from} ${emoji}`, { emoji, count: 1, from: [from] });
      else held.delete(`${from} ${emoji}`);
    }
    return [...held.values()];
  }

  #parseFiles(files: unknown): ChatFile[] {
    return toList(parseJson(toText(files) ?? "[]").value)
      .filter(isObject)
      .map((file): ChatFile => {
        const path = toText(file.path);
        return {
          name: toText(file.name) ?? (path === null ? null : getFileName(path)),
          mimeType: toText(file.type),
          sizeBytes: toNumber(file.size),
          entry: path === null ? undefined : this.#files.get(toAttachmentPath(path)),
        };
      });
  }
}

const tapbacks = ["❤️", "👍", "👎", "😂", "‼️", "❓"];

/** The part of the path that the database and a copied folder share. */
const toAttachmentPath = (path: string): string => path.replace(/^.*?Attachments\//, "");

const since2001 = 978_307_200_000;

/** Seconds since 2001, or nanoseconds since macOS 10.13. Zero means no time. */
function parseTime(value: unknown): string | null {
  if (typeof value !== "bigint" && typeof value !== "number") return null;
  const written = BigInt(Math.trunc(Number(value)));
  if (written <= 0n) return null;
  const milliseconds = written > 1_000_000_000_000n ? Number(BigInt(value) / 1_000_000n) : Number(written) * 1000;
  return formatInstant(since2001 + milliseconds);
}

/** Attachments appear as U+FFFC in the text. */
function extractText(row: Row): string {
  const plain =
    toText(row.text) || (row.attributedBody instanceof Uint8Array ? extractStreamText(row.attributedBody) : null);
  const subject = toText(row.subject);
  return [subject, plain?.replaceAll("\ufffc", "").trim()].filter((part) => part !== null && part !== "").join("\n");
}

function describeSystemEvent(row: Row): string {
  const title = toText(row.group_title);
  return title === null || title === "" ? "The group was changed" : `The group was named ${title}`;
}
