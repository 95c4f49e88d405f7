import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark, Question } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { Chat, defineChatFormat } from "../../core/records/chat.ts";
import { cleanText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { type DateOrder, DateOrderDetector, dateOrders, parseDateOrder } from "../../core/time/date-order.ts";
import { formatInZone, formatLocalTime, isValidTime } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { createHeaderParser, type Header, parseHeader, stripMarks, toLocalTime } from "./header.ts";
import { isDeleted, isEdited } from "./words.ts";

/** WhatsApp: a chat exported by a phone as text, with or without media. */
export const whatsapp: Importer = {
  ...defineChatFormat("whatsapp", "WhatsApp"),
  version: "2",
  testedWith: "files of that shape",
  sniff(path, { text }) {
    if (!/\.txt$/i.test(path)) return false;
    const opening = text.split("\n", 40).filter((line) => line.trim() !== "");
    const headers = opening.flatMap((line) => parseHeader(line.replace(/\r$/, "")) ?? []);
    if (opening[0] === undefined || parseHeader(opening[0].replace(/\r$/, "")) === null) return false;
    // Log files also begin lines with times, followed by a level.
    const isLog = ({ sender }: Header): boolean =>
      sender !== null && /^(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b/.test(sender);
    // A chat may begin with a long message, and a group with many join messages.
    if (/whatsapp|(^|\/)_chat\.txt$/i.test(path)) return !headers.every(isLog);
    const people = headers.filter((each) => each.sender !== null && !isLog(each));
    return headers.length * 4 >= opening.length && people.length * 2 >= headers.length;
  },
  createClaims: async (found, tree) => Promise.all(found.map((entry) => claimChat(entry, tree.entries))),
  read,
  canContinueAt: beginsMessage,
};

async function claimChat(entry: Entry, all: readonly Entry[]): Promise<Claim> {
  const finder = new DateOrderDetector("forwards");
  const senders = new Set<string>();
  const voices = new Set<string>();
  const folder = getFolder(entry.path);
  const near = new Map(
    all.filter(({ path }) => getFolder(path) === folder).map((each) => [getFileName(each.path), each]),
  );
  const companions = new Set<Entry>();
  const parseNextHeader = createHeaderParser();
  for await (const { bytes } of readLines(entry.bytes())) {
    const header = parseNextHeader(Buffer.from(bytes).toString("utf8"));
    if (header === null) continue;
    finder.add(header.date);
    for (const name of findFileNames(header.text, near)) {
      const file = near.get(name);
      if (file !== undefined) companions.add(file);
    }
    if (header.sender === null || senders.size >= 1000) continue;
    senders.add(header.sender);
    if (!isMarked(header.text)) voices.add(header.sender);
  }
  const title = findTitle(entry, [...senders]);
  // On an iPhone, system messages of a group have the group's name as sender.
  const isGroup = voices.size > 1 && !voices.has(title) && senders.delete(title);
  const order = finder.detect();
  const questions: Question[] = [
    { key: "time_zone", text: `Which time zone was the phone of "${title}" in? The export does not say.` },
    ...(order === undefined
      ? [{ key: "date_order" as const, text: `How does "${title}" write its dates?`, choices: dateOrders }]
      : []),
    ...(senders.size === 0
      ? []
      : [
          {
            key: "me" as const,
            text: `Which name in "${title}" is you?`,
            choices: [...senders].slice(0, 20),
            defaultAnswer: "",
          },
        ]),
  ];
  return createClaim("whatsapp", `WhatsApp chat ${title}`, [entry], {
    companions: [...companions],
    questions,
    known: { ...(order === undefined ? {} : { date_order: order }), ...(isGroup ? { group: title } : {}) },
  });
}

/** iPhones start system messages with an invisible mark. */
const isMarked = (text: string): boolean => text.startsWith("\u200e");

/** The file name says with whom, in the phone's language; on an iPhone the archive's name does. */
function findTitle(entry: Entry, senders: readonly string[]): string {
  const own = getFileName(entry.path);
  const named = /^_?chat\.txt$/i.test(own) ? entry.source : own;
  const bare = stripMarks(named)
    .replace(/\.(txt|zip)$/i, "")
    .replace(/ ?\(\d+\)$/, "");
  const found = /whatsapp\b.*?(?: (?:with|mit|con|com|avec|met|med|z|s|с)|\s+[-–])\s+(.+)$/iu.exec(bare)?.[1];
  if (found !== undefined) return cleanText(found);
  if (/^_?chat$/i.test(bare)) return [...senders].sort().slice(0, 4).join(", ") || "WhatsApp";
  return cleanText(bare);
}

interface Draft {
  readonly offset: number;
  readonly header: Header;
  /** As in the file, so that two exports give the same id. */
  text: string;
}

/** "image omitted" is shorter in every language, and the encryption notice is longer. */
const maxOmissionChars = 60;

/** Longer than any message can be. */
const maxMessageChars = 1_000_000;

/** Whether a message begins at `offset`, so that no earlier message became longer. */
async function beginsMessage(entry: Entry, at: number): Promise<boolean> {
  const parseNextHeader = createHeaderParser();
  for await (const { offset, bytes } of readLines(entry.bytes())) {
    const header = parseNextHeader(Buffer.from(bytes).toString("utf8"));
    if (offset >= at) return offset === at && header !== null;
  }
  return false;
}

/** The people of a chat and repeated messages are known only from its beginning, so it is read in any case. */
async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    const chat = new WhatsappChat(claim, entry, answers, getDateOrder(claim, answers));
    const parseNextHeader = createHeaderParser();
    let draft: Draft | undefined;
    const takeMessage = (message: Draft): Item[] => {
      const items = [...chat.addMessage(message)];
      return message.offset < start ? [] : items;
    };
    for await (const { offset, bytes } of readLines(entry.bytes())) {
      const line = Buffer.from(bytes)
        .toString("utf8")
        .replace(/^\ufeff/, "");
      const header = parseNextHeader(line);
      if (header !== null) {
        if (draft !== undefined) yield* takeMessage(draft);
        draft = { offset, header, text: header.text };
      } else if (draft === undefined) {
        if (line.trim() !== "" && offset >= start)
          yield reject(entry.path, offset, "no_message", "text before the first message", bytes);
      } else if (draft.text.length < maxMessageChars) {
        draft.text += `\n${line}`;
      }
    }
    if (draft !== undefined) yield* takeMessage(draft);
    yield* chat.buildConversation();
    yield mark(index + 1, 0);
  }
}

const getDateOrder = (claim: Claim, answers: Answers): DateOrder =>
  parseDateOrder(claim.known?.date_order ?? answers.date_order) ?? "dmy";

class WhatsappChat {
  readonly #chat: Chat;
  readonly #occurrences = new Occurrences();
  readonly #files: ReadonlyMap<string, Entry>;
  readonly #entry: Entry;
  readonly #zone: string;
  readonly #order: DateOrder;
  readonly #title: string;
  readonly #isGroup: boolean;
  #isFirst = true;

  constructor(claim: Claim, entry: Entry, answers: Answers, order: DateOrder) {
    const title = claim.label.replace(/^WhatsApp chat /, "");
    this.#chat = new Chat({ id: deriveId("whatsapp", title), title }, answers);
    this.#title = title;
    this.#isGroup = claim.known?.group === title;
    this.#entry = entry;
    this.#zone = answers.time_zone ?? "UTC";
    this.#order = order;
    this.#files = new Map(claim.companions.map((file) => [getFileName(file.path), file]));
  }

  *addMessage({ offset, header, text }: Draft): Generator<Item> {
    const local = toLocalTime(header, this.#order);
    const localTime = formatLocalTime(local);
    if (!isValidTime(local))
      return yield reject(this.#entry.path, offset, "no_such_time", `invalid time: ${localTime}`, text);
    const sender = this.#isFromApp(header) ? null : header.sender;
    this.#isFirst = false;
    yield* this.#chat.addMessage({
      id: this.#occurrences.number(deriveId(this.#chat.id, localTime, header.sender, text)),
      sender,
      kind: sender === null ? "system" : isDeleted(text) ? "deleted" : "message",
      text: stripMarks(text),
      sentAt: formatInZone(local, this.#zone),
      localTime,
      zone: this.#zone,
      isEdited: isEdited(text),
      files: findFileNames(text, this.#files).map((name) => ({ name, entry: this.#files.get(name) })),
    });
  }

  /**
   * On an iPhone, system messages have the group's name as sender, or in a chat of two, for the first line, the other person's.
   */
  #isFromApp({ sender, text }: Header): boolean {
    if (sender !== this.#title || !isMarked(text)) return false;
    return this.#isGroup || (this.#isFirst && text.length > maxOmissionChars && !/[<>]/.test(text));
  }

  buildConversation(): Generator<Item> {
    return this.#chat.buildConversation();
  }
}

/** Finds `<attached: NAME>` (iPhone) or `NAME (file attached)` (elsewhere), in any language. */
function findFileNames(text: string, files: ReadonlyMap<string, Entry>): string[] {
  const shown = stripMarks(text);
  const marked = [...shown.matchAll(/<[^<>:]{2,30}: ([^<>\n]+\.[A-Za-z0-9]{1,5})>/g)].map(([, name = ""]) => name);
  if (marked.length > 0) return marked.map(cleanText);
  const alone = /^([^\n]+\.[A-Za-z0-9]{1,5}) \([^()\n]+\)(\n|$)/.exec(shown)?.[1];
  return alone === undefined || !(files.has(alone) || /^[A-Z]{3}-\d{8}-WA\d+\./.test(alone)) ? [] : [cleanText(alone)];
}
