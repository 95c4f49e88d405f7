import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Importer, Item } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readXmlElements, type XmlElement } from "../../core/parsing/xml-elements.ts";
import { findChild, findChildren, parseXml, type XmlNode } from "../../core/parsing/xml-tree.ts";
import { readTogether, rejectElement } from "../../core/reading.ts";
import { type Chat, type ChatFile, Chats, defineChatFormat } from "../../core/records/chat.ts";
import { toNumber } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** SMS Backup & Restore for Android: messages with pictures, and calls. */
export const smsBackup: Importer = {
  ...defineChatFormat("sms-backup", "SMS Backup & Restore", "SMS"),
  version: "1",
  testedWith: "unproven",
  sniff: (path, { text }) =>
    /\.xml$/i.test(path) && /<(smses|calls)\b[^<>]*>/.test(text) && /<(sms|mms|call) /.test(text),
  createClaims: async (found) => [
    createClaim("sms-backup", "SMS", found, {
      questions: [{ key: "me", text: "What is your name? The messages you sent have none.", defaultAnswer: "" }],
    }),
  ],
  read: (claim, answers, from) => readTogether(claim, from, (entries, first) => readFiles(answers, entries, first)),
};

/** Calls and messages with one person are one chat, but in two files. */
async function* readFiles(answers: Answers, entries: readonly Entry[], first: number): AsyncGenerator<Item> {
  const people = new People(answers);
  for (const [n, entry] of entries.entries()) {
    const reader = new Reader(people, entry);
    for await (const element of readXmlElements(entry, { childNames: ["sms", "mms", "call"] })) {
      yield* reader.read(element);
      yield mark(first + n, element.end);
    }
  }
  yield* people.buildConversations();
}

class People {
  readonly me: string;
  readonly #chats: Chats;
  readonly #named = new Map<Chat, string>();

  constructor(answers: Answers) {
    this.me = answers.me || "Me";
    this.#chats = new Chats(answers);
  }

  /** Uses the name that the message itself has, so that the record is the same whichever file it is read from. */
  getChat(addresses: readonly string[], name: string | null): Chat {
    const id = deriveId("sms", ...addresses.map(normalizeNumber).sort());
    const title = name ?? (addresses.join(", ") || null);
    const chat = this.#chats.findOrCreate({ id, title, kind: addresses.length > 1 ? "group" : "direct" });
    chat.update({ title });
    if (name !== null) this.#named.set(chat, name);
    return chat;
  }

  *buildConversations(): Generator<Item> {
    for (const [chat, title] of this.#named) chat.update({ title });
    yield* this.#chats.buildConversations();
  }
}

class Reader {
  readonly #entry: Entry;
  readonly #people: People;
  readonly #occurrences = new Occurrences();

  constructor(people: People, entry: Entry) {
    this.#people = people;
    this.#entry = entry;
  }

  *read(element: XmlElement): Generator<Item> {
    const { offset, raw } = element;
    if (element.failure !== undefined) return yield rejectElement(this.#entry, element);
    let node: XmlNode;
    try {
      node = parseXml(repairReferences(raw.toString("utf8")));
    } catch (error) {
      return yield reject(this.#entry.path, offset, "malformed", `not valid XML: ${describeError(error)}`, raw);
    }
    const sentAt = formatInstant(toNumber(node.attributes.date));
    if (sentAt === null) return yield reject(this.#entry.path, offset, "no_such_time", "no time", raw);
    if (node.name === "call") yield* this.#readCall(node, sentAt);
    else yield* this.#readMessage(node, sentAt);
  }

  *#readMessage(node: XmlNode, sentAt: string): Generator<Item> {
    const getAttribute = (name: string): string | null => toValue(node.attributes[name]);
    const isMms = node.name === "mms";
    const parts = findChildren(findChild(node, "parts"), "part");
    const box = getAttribute(isMms ? "msg_box" : "type");
    const isFromMe = box !== "1";
    const addresses = (getAttribute("address") ?? "").split("~").filter((each) => each !== "");
    const texts = parts.filter(({ attributes }) => attributes.ct === "text/plain");
    const body = isMms
      ? texts.flatMap(({ attributes }) => toValue(attributes.text) ?? []).join("\n")
      : getAttribute("body");
    const subject = getAttribute(isMms ? "sub" : "subject");
    const name = toKnownName(getAttribute("contact_name"));
    const chat = this.#people.getChat(addresses, name);
    // In a group the sender is only identified by number.
    const from = findChildren(findChild(node, "addrs"), "addr").find(({ attributes }) => attributes.type === "137");
    const sender = addresses.length > 1 ? toValue(from?.attributes.address) : (name ?? addresses[0] ?? null);
    yield* chat.addMessage({
      id: this.#occurrences.number(
        deriveId("sms", sentAt, box, getAttribute("address"), body ?? "", getAttribute("m_id")),
      ),
      sender: isFromMe ? this.#people.me : (sender ?? "?"),
      isFromMe,
      kind: "message",
      text: [subject, body].filter((part) => part !== null && part !== "").join("\n"),
      sentAt,
      files: parts
        .filter(({ attributes }) => !/^(text\/plain|application\/smil)$/.test(attributes.ct ?? ""))
        .map(toFile),
      extra: box === "3" ? { is_draft: true } : {},
    });
  }

  *#readCall(node: XmlNode, sentAt: string): Generator<Item> {
    const number = toValue(node.attributes.number) ?? "";
    const name = toKnownName(toValue(node.attributes.contact_name));
    const kind = calls[node.attributes.type ?? ""] ?? "Call";
    const seconds = toNumber(node.attributes.duration) ?? 0;
    const chat = this.#people.getChat([number], name);
    const isFromMe = node.attributes.type === "2";
    yield* chat.addMessage({
      id: this.#occurrences.number(deriveId("call", sentAt, node.attributes.type, number)),
      sender: isFromMe ? this.#people.me : (name ?? (number || "?")),
      isFromMe,
      kind: "call",
      text: seconds > 0 ? `${kind}, ${seconds} s` : kind,
      sentAt,
      extra: { duration_seconds: seconds },
    });
  }
}

const toKnownName = (name: string | null): string | null =>
  name === null || /^\(Unknown\)$/i.test(name) ? null : name;

const calls: Readonly<Record<string, string>> = {
  "1": "Incoming call",
  "2": "Outgoing call",
  "3": "Missed call",
  "4": "Voicemail",
  "5": "Rejected call",
};

/** The app writes the word `null` for missing values. */
const toValue = (value: string | undefined): string | null =>
  value === undefined || value === "null" || value === "" ? null : value;

/** Normalizes phone numbers. */
const normalizeNumber = (address: string): string =>
  /^[+\d\s()./-]+$/.test(address) ? address.replace(/[^+\d]/g, "") : address;

function toFile({ attributes }: XmlNode): ChatFile {
  const name = toValue(attributes.cl) ?? toValue(attributes.name) ?? toValue(attributes.fn);
  const data = toValue(attributes.data);
  return {
    name,
    mimeType: toValue(attributes.ct),
    ...(data === null ? {} : { bytes: Buffer.from(data, "base64") }),
  };
}

/** The app writes astral characters as two surrogate references, which XML forbids, along with other forbidden references. */
const repairReferences = (xml: string): string =>
  xml
    .replace(/&#(5[5-6]\d{3});&#(5[6-7]\d{3});/g, (whole, high: string, low: string) => {
      const text = String.fromCharCode(Number(high), Number(low));
      return text.isWellFormed() ? text : whole;
    })
    .replace(/&#(\d{1,7});/g, (whole, code: string) => (isAllowed(Number(code)) ? whole : ""));

const isAllowed = (code: number): boolean =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 32 && code < 0xd800) ||
  (code >= 0xe000 && code < 0xfffe) ||
  (code > 0xffff && code < 0x110000);
