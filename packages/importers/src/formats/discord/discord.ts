import { Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { readCsvRows } from "../../core/parsing/csv.ts";
import { readJsonObject } from "../../core/parsing/json.ts";
import { type JsonElement, readFileElements } from "../../core/parsing/json-elements.ts";
import { readFiles, rejectElement } from "../../core/reading.ts";
import { Chat, type ChatFile, defineChatFormat } from "../../core/records/chat.ts";
import { isObject, toId, toList, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInstant, formatLocalTime, parseLocalTime } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Discord: a folder for each channel, with only the owner's messages. */
export const discord: Importer = {
  ...defineChatFormat("discord", "Discord"),
  version: "1",
  testedWith: "unproven",
  sniff: (path, { text }) =>
    isTable(path)
      ? /^\ufeff?ID,Timestamp,Contents,Attachments\s/.test(text)
      : /\.json$/i.test(path) &&
        /^\s*\[\s*\{/.test(text) &&
        /"ID"\s*:\s*"?\d{15,20}\b/.test(text) &&
        /"Timestamp"\s*:/.test(text) &&
        /"Contents"\s*:/.test(text),
  async createClaims(found, tree) {
    const roots = new Set(found.map(({ path }) => getParentFolder(getFolder(path))));
    // Channels without messages have an empty list.
    const isBeside = ({ path }: Entry): boolean =>
      (/^(channel|messages)\.(json|csv)$/.test(getFileName(path)) && roots.has(getParentFolder(getFolder(path)))) ||
      (getFileName(path) === "index.json" && roots.has(getFolder(path)));
    return [
      createClaim("discord", "Discord", found, {
        companions: findCompanions(tree, found, isBeside),
        questions: [
          { key: "me", text: "What is your name? Discord exports only your own messages.", defaultAnswer: "" },
        ],
      }),
    ];
  },
  read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readChannel(claim, answers, entry, index)),
};

const isTable = (path: string): boolean => /\.csv$/i.test(path);
const getParentFolder = (folder: string): string => getFolder(folder.slice(0, -1));

async function* readChannel(claim: Claim, answers: Answers, entry: Entry, index: number): AsyncGenerator<Item> {
  const folder = getFolder(entry.path);
  const about = await readJsonObject(claim.companions.find(({ path }) => path === `${folder}channel.json`));
  const names = await readJsonObject(
    claim.companions.find(({ path }) => path === `${getParentFolder(folder)}index.json`),
  );
  const channel = new Channel(about, names, answers, entry);
  if (isTable(entry.path)) {
    for await (const row of readCsvRows(entry)) {
      const { offset, end, raw } = row;
      const [id = "", time = "", contents = "", files = ""] = row.fields;
      if (row.failure !== undefined) yield rejectElement(entry, row);
      else if (id !== "ID") yield* channel.addMessage({ id, time, contents, files, offset, raw });
      yield mark(index, end);
    }
  } else {
    for await (const element of readFileElements(entry, 0)) {
      yield* channel.addElement(element);
      yield mark(index, element.end);
    }
  }
  yield* channel.chat.buildConversation();
}

interface WrittenMessage {
  readonly id: string;
  readonly time: string;
  readonly contents: string;
  readonly files: string;
  readonly offset: number;
  readonly raw: Uint8Array;
}

/** Other types are channels of a server. */
const kinds: Readonly<Record<string, string>> = { "1": "direct", DM: "direct", "3": "group", GROUP_DM: "group" };

class Channel {
  readonly chat: Chat;
  readonly #me: string;
  readonly #entry: Entry;
  readonly #occurrences = new Occurrences();

  constructor(about: Record<string, unknown>, names: Record<string, unknown>, answers: Answers, entry: Entry) {
    const id = toId(about.id) ?? getFileName(getFolder(entry.path).slice(0, -1)).replace(/^c(?=\d)/, "");
    const guild = isObject(about.guild) ? toText(about.guild.name) : null;
    const name = toText(names[id]) ?? toText(about.name);
    const title = name === null || guild === null || name.includes(guild) ? name : `${name} in ${guild}`;
    const members = toList(about.recipients).length;
    const kind = kinds[String(about.type)] ?? "channel";
    this.chat = new Chat({ id, title, kind, extra: members > 0 ? { members } : {} }, answers);
    this.#me = answers.me || "Me";
    this.#entry = entry;
  }

  *addElement(element: JsonElement): Generator<Item> {
    const { value, offset, raw } = element;
    if (element.failure !== undefined) return yield rejectElement(this.#entry, element);
    if (!isObject(value)) return yield reject(this.#entry.path, offset, "not_a_message", "not a JSON object", raw);
    // Ids exceed the safe integers, so they are taken from the raw JSON.
    const id = /"ID"\s*:\s*"?(\d+)/.exec(Buffer.from(raw).toString("utf8"))?.[1] ?? "";
    const toTextOrEmpty = (field: unknown): string => toText(field) ?? "";
    const { Timestamp, Contents, Attachments } = value;
    yield* this.addMessage({
      id,
      time: toTextOrEmpty(Timestamp),
      contents: toTextOrEmpty(Contents),
      files: toTextOrEmpty(Attachments),
      offset,
      raw,
    });
  }

  *addMessage({ id, time, contents, files, offset, raw }: WrittenMessage): Generator<Item> {
    const sentAt = parseTime(time);
    if (!/^\d{5,20}$/.test(id)) return yield reject(this.#entry.path, offset, "no_id", "no id", raw);
    if (sentAt === null) return yield reject(this.#entry.path, offset, "no_such_time", "no time", raw);
    yield* this.chat.addMessage({
      id: this.#occurrences.number(id),
      sender: this.#me,
      isFromMe: true,
      text: contents,
      sentAt,
      files: files
        .split(/\s+/)
        .filter((link) => link !== "")
        .map(toFile),
    });
  }
}

/** Times are in UTC, whether or not they say so. */
function parseTime(written: string): string | null {
  const local = parseLocalTime(written);
  return local === null ? null : formatInstant(Date.parse(`${formatLocalTime(local)}Z`));
}

/** Only expiring links are exported; the query string grants access, so it is dropped. */
const toFile = (link: string): ChatFile => ({
  name: getFileName(link.replace(/[?#].*$/, "")),
  note: "the export has only a link to it, which expires",
});
