import { parseInstant } from "@pdpp/contract/instant";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { NestingError } from "../../core/parsing/html-steps.ts";
import { readTogether } from "../../core/reading.ts";
import { type Chat, Chats, defineChatFormat } from "../../core/records/chat.ts";
import { dropNulls } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import type { Entry } from "../../tree/tree.ts";
import { parseVoicePage, type VoiceMessage, type VoicePage, type VoicePerson } from "./page.ts";

/** Google Voice from Takeout: a page for each part of a chat and each call. */
export const googleVoice: Importer = {
  ...defineChatFormat("google-voice", "Google Voice"),
  version: "1",
  testedWith: "real files",
  sniff: (path, { text }) => /\.html?$/i.test(path) && /class="(hChatLog|haudio)\b/.test(text),
  async createClaims(found, tree) {
    const stems = new Set(found.map(({ path }) => path.replace(/\.html?$/i, "")));
    const isBeside = ({ path }: Entry): boolean => stems.has(path.replace(/(-\d+-\d+)?(\.\w+)?$/, ""));
    return [
      createClaim("google-voice", "Google Voice", found, {
        companions: findCompanions(tree, found, isBeside),
        questions: [{ key: "me", text: "What is your name? Google Voice calls you Me.", defaultAnswer: "" }],
      }),
    ];
  },
  // A chat is spread over many pages.
  read: (claim, answers, from) =>
    readTogether(claim, from, (entries, first) => readPages(claim, answers, entries, first)),
};

/** Pages with only the owner's messages name the other person without a number; other pages have it. */
async function collectNumbers(entries: readonly Entry[]): Promise<Map<string, string>> {
  const numbers = new Map<string, string>();
  for (const entry of entries) {
    const page = await readPage(entry);
    if (page instanceof NestingError) continue;
    for (const { tel, name, isMe } of [...page.participants, ...page.messages.flatMap(({ sender }) => sender ?? [])])
      if (!isMe && tel !== "" && name !== "" && !numbers.has(name)) numbers.set(name, tel);
  }
  return numbers;
}

async function readPage(entry: Entry): Promise<VoicePage | NestingError> {
  try {
    return await parseVoicePage(entry.bytes());
  } catch (error) {
    if (error instanceof NestingError) return error;
    throw error;
  }
}

async function* readPages(
  claim: Claim,
  answers: Answers,
  entries: readonly Entry[],
  first: number,
): AsyncGenerator<Item> {
  const reader = new Reader(claim, answers, await collectNumbers(entries));
  for (const [n, entry] of entries.entries()) {
    const page = await readPage(entry);
    if (page instanceof NestingError) yield reject(entry.path, 0, "too_deep", page.message);
    else yield* reader.addPage(page, entry);
    yield mark(first + n, 1);
  }
  yield* reader.finish();
}

class Reader {
  readonly #chats: Chats;
  readonly #me: string;
  readonly #numbers: ReadonlyMap<string, string>;
  readonly #files = new Map<string, Entry>();
  readonly #occurrences = new Occurrences();

  constructor(claim: Claim, answers: Answers, numbers: ReadonlyMap<string, string>) {
    this.#chats = new Chats(answers);
    this.#me = answers.me || "Me";
    this.#numbers = numbers;
    // Pages refer to files without their extension.
    for (const file of claim.companions) {
      this.#files.set(file.path, file);
      this.#files.set(file.path.replace(/\.\w+$/, ""), file);
    }
  }

  finish(): Iterable<Item> {
    return this.#chats.buildConversations();
  }

  *addPage(page: VoicePage, entry: Entry): Generator<Item> {
    if (page.messages.length === 0)
      return yield reject(entry.path, 0, "no_message", "the page contains no message or call", page.title);
    const chat = this.#getChat(page);
    for (const message of page.messages) yield* this.#addMessage(message, page, chat, entry);
  }

  #getChat(page: VoicePage): Chat {
    const writers = page.messages.flatMap(({ sender }) => (sender === null || sender.isMe ? [] : [sender]));
    const named = /^Me to (.+)$/.exec(page.title)?.[1] ?? "";
    const alone: VoicePerson = { tel: this.#numbers.get(named) ?? "", name: named, isMe: false };
    const others = page.participants.length > 0 ? page.participants : writers.length > 0 ? writers : [alone];
    const people = new Map(others.map((person) => [person.tel || person.name, person]));
    const names = [...people.values()].map(({ name, tel }) => name || tel).filter((name) => name !== "");
    return this.#chats.findOrCreate({
      id: deriveId("voice", ...[...people.keys()].sort()),
      title: names.length === 0 ? "Unknown caller" : names.join(", "),
      kind: people.size > 1 ? "group" : "direct",
    });
  }

  *#addMessage(message: VoiceMessage, page: VoicePage, chat: Chat, entry: Entry): Generator<Item> {
    const { at, sender, call, text, offset } = message;
    if (parseInstant(at) === null)
      return yield reject(entry.path, offset, "no_such_time", `invalid time: ${at.slice(0, 60)}`, text);
    const isPlaced = call !== null && page.labels.some((label) => /placed/i.test(label));
    const isFromMe = sender?.isMe === true || isPlaced;
    const folder = getFolder(entry.path);
    yield* chat.addMessage({
      id: this.#occurrences.number(deriveId(chat.id, at, isFromMe ? "me" : sender?.tel, call?.title, text)),
      sender: isFromMe ? this.#me : sender?.name || sender?.tel || "Unknown caller",
      isFromMe,
      kind: call === null ? "message" : "call",
      text: call === null ? text : [describeCall(call.title, sender), text].filter((part) => part !== "").join("\n"),
      sentAt: at,
      files: message.files.map((name) => {
        const file = this.#files.get(`${folder}${name}`);
        return { name: file === undefined ? name : getFileName(file.path), entry: file };
      }),
      extra: dropNulls({ duration: call?.duration, is_deleted: page.isDeleted ? true : null, labels: page.labels }),
    });
  }
}

/** "Placed call to" is followed by the name, or else by the number. */
const describeCall = (title: string, sender: VoicePerson | null): string =>
  sender !== null && sender.name === "" && sender.tel !== "" ? `${title} ${sender.tel}` : title;
