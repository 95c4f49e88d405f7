import { createHash } from "node:crypto";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { parseJson } from "../../core/parsing/json.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { readFiles } from "../../core/reading.ts";
import { type Chat, type ChatFile, type ChatMessage, Chats, defineChatFormat } from "../../core/records/chat.ts";
import { dropNulls, isObject, toList, toNumber, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { parseRecipient, type Recipient } from "./people.ts";

/** Signal: one JSON line per person, chat and message, and a folder of files. */
export const signal: Importer = {
  ...defineChatFormat("signal", "Signal"),
  version: "1",
  testedWith: "unproven",
  sniff: (path, { text }) =>
    /\.jsonl$/i.test(path) &&
    (/^[^\n]*"backupTimeMs"/.test(text) || /^\{"(chatItem|recipient|account)"\s*:/m.test(text)),
  advise: (path) =>
    /(^|\/)signal-[\d-]+\.backup$/i.test(path)
      ? "encrypted backup; in Signal choose Settings, Chats, Export chat history, and import that folder"
      : undefined,
  createClaims: async (found, tree) =>
    found.map((entry) => {
      const folder = getFolder(entry.path);
      const isBeside = ({ path }: Entry): boolean =>
        path === `${folder}metadata.json` || path.startsWith(`${folder}files/`);
      return createClaim("signal", "Signal", [entry], { companions: findCompanions(tree, [entry], isBeside) });
    }),
  read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readFile(claim, answers, entry, index)),
};

async function* readFile(claim: Claim, answers: Answers, entry: Entry, index: number): AsyncGenerator<Item> {
  const reader = new Reader(claim, answers, entry);
  for await (const { offset, bytes } of readLines(entry.bytes())) {
    const text = Buffer.from(bytes)
      .toString("utf8")
      .replace(/^\ufeff/, "");
    if (text.trim() === "") continue;
    yield* reader.readLine(text, offset);
    yield mark(index, offset + bytes.length);
  }
  yield* reader.finish();
}

class Reader {
  readonly #entry: Entry;
  readonly #chats: Chats;
  readonly #files = new Map<string, Entry>();
  readonly #people = new Map<string, Recipient>();
  /** Recipient ids by chat id, both local to this export. */
  readonly #recipients = new Map<string, string>();
  readonly #occurrences = new Occurrences();
  #owner: string | null = null;

  constructor(claim: Claim, answers: Answers, entry: Entry) {
    this.#entry = entry;
    this.#chats = new Chats(answers);
    for (const file of claim.companions) this.#files.set(getFileName(file.path).replace(/\.[^.]*$/, ""), file);
  }

  finish(): Iterable<Item> {
    return this.#chats.buildConversations();
  }

  *readLine(text: string, offset: number): Generator<Item> {
    const { value: frame, failure } = parseJson(text);
    if (failure !== undefined)
      return yield reject(this.#entry.path, offset, "malformed", `not valid JSON: ${failure}`, text);
    if (!isObject(frame)) return yield reject(this.#entry.path, offset, "not_a_frame", "not a JSON object", text);
    const { account, recipient, chat, chatItem } = frame;
    if (isObject(account)) {
      const name = [account.givenName, account.familyName].flatMap((part) => toText(part) || []).join(" ");
      this.#owner = name === "" ? null : name;
    } else if (isObject(recipient)) this.#people.set(toKey(recipient.id), parseRecipient(recipient, this.#owner));
    else if (isObject(chat)) this.#recipients.set(toKey(chat.id), toKey(chat.recipientId));
    else if (isObject(chatItem)) yield* this.#readItem(chatItem, offset, text);
  }

  *#readItem(item: Record<string, unknown>, offset: number, text: string): Generator<Item> {
    // An edited message has the time of its last revision; the first revision says when it was sent.
    const [original] = toObjects(item.revisions);
    const edited = original === undefined ? null : toNumber(item.dateSent);
    const sent = toNumber(original?.dateSent ?? item.dateSent);
    const sentAt = formatInstant(sent);
    if (sent === null || sentAt === null)
      return yield reject(this.#entry.path, offset, "no_such_time", "no time sent", text);
    const chat = this.#getChat(toKey(item.chatId));
    const author = this.#people.get(toKey(item.authorId));
    yield* chat.addMessage({
      id: this.#occurrences.number(deriveMessageId(chat, author, sent)),
      sender: author?.name ?? null,
      isFromMe: isObject(item.outgoing) ? true : isObject(item.incoming) ? false : author?.kind === "self",
      sentAt,
      isEdited: edited !== null,
      ...(edited === null ? {} : { changedAt: edited }),
      ...this.#readContent(item, chat),
    });
  }

  #getChat(id: string): Chat {
    const recipient = this.#people.get(this.#recipients.get(id) ?? "");
    const key = recipient?.key ?? deriveId("signal chat", id);
    const kind = recipient?.kind === "group" ? "group" : "direct";
    const title = recipient?.kind === "self" ? "Note to Self" : (recipient?.name ?? null);
    return this.#chats.findOrCreate({ id: key, title, kind });
  }

  #readContent(
    item: Record<string, unknown>,
    chat: Chat,
  ): Pick<ChatMessage, "kind" | "text" | "reactions" | "files" | "replyTo" | "extra"> {
    if (isObject(item.remoteDeletedMessage)) return { kind: "deleted", text: null };
    if (isObject(item.updateMessage)) return describeUpdate(item.updateMessage);
    const body = [
      item.standardMessage,
      item.directStoryReplyMessage,
      item.viewOnceMessage,
      item.stickerMessage,
      item.contactMessage,
    ].find(isObject);
    if (body === undefined) return { kind: "system", text: listKinds(item) };
    const text = isObject(body.text) ? toText(body.text.body) : toText(body.text);
    const sticker = isObject(body.sticker) ? toText(body.sticker.emoji) : null;
    const contact =
      isObject(body.contact) && isObject(body.contact.name)
        ? Object.values(body.contact.name)
            .flatMap((part) => toText(part) ?? [])
            .join(" ")
        : null;
    const pointers = [...toList(body.attachments), body.attachment, body.longText].filter(isObject);
    const quote = isObject(body.quote) ? body.quote : null;
    const target = quote === null ? null : toNumber(quote.targetSentTimestamp);
    return {
      kind: "message",
      text: text ?? sticker ?? contact ?? "",
      replyTo:
        quote === null || target === null
          ? null
          : deriveMessageId(chat, this.#people.get(toKey(quote.authorId)), target),
      reactions: toObjects(body.reactions ?? item.reactions).map(({ emoji, authorId }) =>
        dropNulls({ emoji, count: 1, from: [this.#people.get(toKey(authorId))?.name ?? "?"] }),
      ),
      files: pointers.map((each) => this.#findFile(isObject(each.pointer) ? each.pointer : each)),
      extra: dropNulls({
        links: toList(body.linkPreview).flatMap((each) => (isObject(each) ? (toText(each.url) ?? []) : [])),
      }),
    };
  }

  /** File names are digests of the content, with or without the former key. */
  #findFile(pointer: Record<string, unknown>): ChatFile {
    const locator = toObject(pointer.locatorInfo);
    const [hash, key] = [locator.plaintextHash, locator.localKey].map((each) =>
      Buffer.from(toText(each) ?? "", "base64"),
    );
    const stems = [
      hash?.toString("hex") ?? "",
      createHash("sha256")
        .update(hash ?? "")
        .update(key ?? "")
        .digest("hex"),
    ];
    const entry = stems.map((stem) => this.#files.get(stem)).find((file) => file !== undefined);
    return {
      name: toText(pointer.fileName) ?? (entry === undefined ? null : getFileName(entry.path)),
      mimeType: toText(pointer.contentType),
      sizeBytes: toNumber(locator.size),
      entry,
    };
  }
}

const toKey = (value: unknown): string => (typeof value === "number" ? String(value) : (toText(value) ?? ""));

const deriveMessageId = (chat: Chat, author: Recipient | undefined, sent: number): string =>
  deriveId(chat.id, author?.key ?? null, sent);

/** Messages of the app itself: calls, joins, renames. */
function describeUpdate(update: Record<string, unknown>): Pick<ChatMessage, "kind" | "text"> {
  const isCall = isObject(update.individualCall) || isObject(update.groupCall);
  const simple = isObject(update.simpleUpdate) ? toText(update.simpleUpdate.type) : null;
  const words = simple ?? listKinds(update).replace(/([A-Z])/g, " $1");
  return { kind: isCall ? "call" : "system", text: words.replaceAll("_", " ").trim().toLowerCase() };
}

const listKinds = (value: Record<string, unknown>): string =>
  Object.entries(value)
    .filter(([name, inner]) => isObject(inner) && !/^(incoming|outgoing|directionless)$/.test(name))
    .map(([name]) => name)
    .join(" ");
