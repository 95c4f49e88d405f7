import type { JsonObject } from "@pdpp/contract/declaration";
import type { MergeRules } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import type { Entry } from "../../tree/tree.ts";
import type { Answers, Item } from "../importer.ts";
import { createDatedRecord, createRecord, yieldBytes } from "../items.ts";
import { cleanText } from "../text/clean.ts";
import { guessMimeType } from "../text/paths.ts";
import { createAttachmentRecord, missingFileNote } from "./attachment.ts";
import { createFormatDefiner, defineChatStreams } from "./schema.ts";

/** Every chat app uses this manifest and these records. */

/** An export may contain only part of a chat: keep what earlier exports contained. */
export const chatMergeRules: Readonly<Record<string, MergeRules>> = {
  conversations: {
    union: ["participants"],
    least: ["first_message_at"],
    greatest: ["last_message_at"],
    is_shared: true,
  },
  messages: { owns: { stream: "attachments", field: "message_id" } },
  attachments: { fill: ["blob_ref"] },
};

export const defineChatFormat = createFormatDefiner(defineChatStreams(), "messages", chatMergeRules);

export interface ChatFile {
  readonly name: string | null;
  readonly mimeType?: string | null;
  readonly sizeBytes?: number | null;
  readonly entry?: Entry | undefined;
  /** The bytes, if the message itself contains them. */
  readonly bytes?: Uint8Array;
  readonly note?: string | null;
}

export interface ChatMessage {
  readonly id: string;
  /** Null for messages of the app itself. */
  readonly sender: string | null;
  /** Undefined if the export does not say; then the owner's answer decides. */
  readonly isFromMe?: boolean | null;
  readonly kind?: "message" | "system" | "deleted" | "call";
  readonly text: string | null;
  readonly sentAt: string;
  readonly localTime?: string;
  readonly zone?: string;
  readonly replyTo?: string | null;
  readonly isEdited?: boolean;
  readonly reactions?: readonly JsonObject[];
  readonly files?: readonly ChatFile[];
  readonly extra?: JsonObject;
  readonly changedAt?: number | undefined;
}

interface ChatDetails {
  readonly id: string;
  readonly title: string | null;
  readonly kind?: string | null;
  readonly participants?: readonly string[];
  readonly extra?: JsonObject;
}

/** Limits what a malformed file can make us collect. */
const maxParticipants = 5000;

/** Collects one chat while it is read: yields its messages, then its conversation record. */
export class Chat {
  readonly id: string;
  readonly #answers: Answers;
  readonly #people = new Set<string>();
  #details: ChatDetails;
  #first: { readonly at: number; readonly written: string } | null = null;
  #last: { readonly at: number; readonly written: string } | null = null;

  constructor(about: ChatDetails, answers: Answers) {
    this.id = about.id;
    this.#details = about;
    this.#answers = answers;
    for (const name of about.participants ?? []) this.#addParticipant(name);
  }

  /** Adds details that the file gives after the messages. */
  update(about: Partial<Omit<ChatDetails, "id">>): void {
    this.#details = { ...this.#details, ...about };
    for (const name of about.participants ?? []) this.#addParticipant(name);
  }

  #addParticipant(name: string): void {
    if (name !== "" && this.#people.size < maxParticipants) this.#people.add(cleanText(name));
  }

  *addMessage(message: ChatMessage): Generator<Item> {
    const { id, sender, text, sentAt, localTime, changedAt, files = [] } = message;
    if (sender !== null) this.#addParticipant(sender);
    const at = (localTime === undefined ? parseInstant(sentAt) : parseInstant(`${localTime}Z`)) ?? 0;
    if (this.#first === null || at < this.#first.at) this.#first = { at, written: sentAt };
    if (this.#last === null || at > this.#last.at) this.#last = { at, written: sentAt };
    yield createDatedRecord("messages", changedAt, {
      id,
      conversation_id: this.id,
      conversation_title: this.#details.title,
      sender_name: sender === null ? null : cleanText(sender),
      is_from_me: this.#isFromMe(message),
      kind: message.kind ?? (sender === null ? "system" : "message"),
      text: text === null ? null : cleanText(text),
      sent_at: sentAt,
      local_time: localTime ?? null,
      time_zone_assumed: message.zone ?? null,
      reply_to_id: message.replyTo ?? null,
      is_edited: message.isEdited ?? false,
      reactions: [...(message.reactions ?? [])],
      attachments: files.map(({ name }) => cleanText(name ?? "")),
      extra: message.extra ?? {},
    });
    for (const [n, file] of files.entries()) yield this.#buildAttachment(id, n, file, sentAt, changedAt);
  }

  #isFromMe({ sender, isFromMe }: ChatMessage): boolean | null {
    if (isFromMe !== undefined) return isFromMe;
    const { me } = this.#answers;
    return me === undefined || me === "" || sender === null ? null : sender === me;
  }

  #buildAttachment(messageId: string, n: number, file: ChatFile, sentAt: string, changedAt: number | undefined): Item {
    const { entry, bytes } = file;
    const name = file.name === null ? null : cleanText(file.name);
    const source =
      bytes !== undefined ? () => yieldBytes(bytes) : entry === undefined ? undefined : () => entry.bytes();
    return createAttachmentRecord({
      id: `${messageId}/${n + 1}`,
      parent: ["message_id", messageId],
      time: ["sent_at", sentAt],
      name,
      mimeType: cleanText(file.mimeType ?? guessMimeType(name ?? entry?.path ?? "")),
      sizeBytes: bytes?.length ?? entry?.size ?? file.sizeBytes ?? null,
      note: file.note ?? (source === undefined ? missingFileNote : null),
      changedAt,
      bytes: this.#answers.attachments ? source : undefined,
    });
  }

  /** Yields nothing if the chat has no messages. */
  *buildConversation(): Generator<Item> {
    if (this.#first === null || this.#last === null) return;
    const people = [...this.#people].sort();
    const { title, kind, extra } = this.#details;
    yield createRecord("conversations", {
      id: this.id,
      title,
      kind: kind === undefined ? (people.length > 2 ? "group" : null) : kind,
      participants: people,
      first_message_at: this.#first.written,
      last_message_at: this.#last.written,
      extra: extra ?? {},
    });
  }
}

/** Chats whose messages are interleaved in one file. */
export class Chats {
  readonly #answers: Answers;
  readonly #chats = new Map<string, Chat>();

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  findOrCreate(about: ChatDetails): Chat {
    const known = this.#chats.get(about.id);
    if (known !== undefined) return known;
    const chat = new Chat(about, this.#answers);
    this.#chats.set(about.id, chat);
    return chat;
  }

  *buildConversations(): Generator<Item> {
    for (const chat of this.#chats.values()) yield* chat.buildConversation();
  }
}
