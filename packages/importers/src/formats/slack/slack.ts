import type { JsonObject } from "@pdpp/contract/declaration";
import { Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { type JsonElement, readFileElements } from "../../core/parsing/json-elements.ts";
import { readParts, rejectElement } from "../../core/reading.ts";
import { Chat, type ChatFile, defineChatFormat } from "../../core/records/chat.ts";
import { dropNulls, isObject, toList, toNumber, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { renderBlocks, renderSlackText } from "./text.ts";

/** Slack: a folder per channel, a file per day. */
export const slack: Importer = {
  ...defineChatFormat("slack", "Slack"),
  version: "2",
  testedWith: "real files",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) && /^\s*\[\s*\{/.test(text) && /"ts"\s*:\s*"\d{9,11}\.\d{3,9}"/.test(text) && !isList(path),
  async createClaims(found, tree) {
    const roots = Map.groupBy(found, ({ path }) => getWorkspaceFolder(path));
    return [...roots].map(([root, entries]): Claim => {
      const folders = new Set(entries.map(({ path }) => getFolder(path)));
      const isBeside = ({ path }: Entry): boolean =>
        (isList(path) && (getFolder(path) === root || folders.has(getFolder(path)))) ||
        (folders.has(getFolder(path)) && /\d{4}-\d\d-\d\d\.json$/.test(path));
      return createClaim("slack", "Slack", entries, {
        companions: findCompanions(tree, entries, isBeside),
        questions: [{ key: "me", text: "Which name in Slack is you?", defaultAnswer: "" }],
      });
    });
  },
  read,
};

/** Day files are in channel folders, which are in the workspace folder. */
const getWorkspaceFolder = (path: string): string => getFolder(getFolder(path).slice(0, -1));

const isList = (path: string): boolean =>
  /^(channels|groups|dms|mpims|users|integration_logs|canvases|lists|file_conversations|org_users)\.json$/.test(
    getFileName(path),
  );

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const names = await Workspace.load(claim.companions);
  yield* readParts(
    claim,
    from,
    async function* (days, first) {
      const channel = new Channel(names, getFileName(getFolder(days[0]?.path ?? "").slice(0, -1)), answers);
      for (const [n, day] of days.entries()) {
        for await (const element of readFileElements(day, 0)) {
          yield* channel.read(day, element);
          yield mark(first + n, element.end);
        }
      }
      yield* channel.chat.buildConversation();
    },
    ({ path }) => getFolder(path),
  );
}

interface ChannelDetails {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly members: readonly string[];
  readonly extra: JsonObject;
}

/** Names of the people and channels of a workspace, by id. */
class Workspace {
  readonly people = new Map<string, string>();
  readonly channels = new Map<string, ChannelDetails>();
  readonly #channelNames = new Map<string, string>();

  static async load(lists: readonly Entry[]): Promise<Workspace> {
    const workspace = new Workspace();
    for (const list of lists) {
      const kind = getFileName(list.path);
      if (kind !== "users.json" && kinds[kind] === undefined) continue;
      for await (const { value } of readFileElements(list, 0)) {
        if (!isObject(value)) continue;
        if (kind === "users.json") workspace.#addPerson(value);
        else workspace.#addChannel(value, kinds[kind] ?? "channel");
      }
    }
    return workspace;
  }

  #addPerson(value: Record<string, unknown>): void {
    const profile = toObject(value.profile);
    const names = [profile.real_name, value.real_name, profile.display_name, value.name].map(toText);
    const id = toText(value.id);
    const name = names.find((each) => each !== null && each !== "");
    if (id !== null && name) this.people.set(id, name);
  }

  #addChannel(value: Record<string, unknown>, kind: string): void {
    const id = toText(value.id);
    if (id === null) return;
    const getValue = (field: unknown): string | null => (isObject(field) ? toText(field.value) || null : null);
    const name = toText(value.name) ?? id;
    this.#channelNames.set(id, name);
    this.channels.set(name, {
      id,
      name,
      kind,
      members: toList(value.members).flatMap((member) => toText(member) ?? []),
      extra: dropNulls({
        topic: getValue(value.topic),
        purpose: getValue(value.purpose),
        is_archived: value.is_archived,
      }),
    });
  }

  getName(id: string): string | undefined {
    return this.people.get(id) ?? this.#channelNames.get(id);
  }
}

const kinds: Readonly<Record<string, string>> = {
  "channels.json": "channel",
  "groups.json": "group",
  "mpims.json": "group",
  "dms.json": "direct",
};

/** System messages that Slack attributes to a person. */
const isSystem = (subtype: string | null): boolean =>
  subtype !== null && /_(join|leave|topic|purpose|name|archive|unarchive|add|remove|convert_to_private)$/.test(subtype);

class Channel {
  readonly chat: Chat;
  readonly #names: Workspace;
  readonly #occurrences = new Occurrences();

  constructor(names: Workspace, folder: string, answers: Answers) {
    const about = names.channels.get(folder);
    const participants = (about?.members ?? []).flatMap((id) => names.getName(id) ?? []);
    const title = about?.kind === "direct" ? [...new Set(participants)].sort().join(", ") || folder : folder;
    this.chat = new Chat(
      { id: about?.id ?? folder, title, kind: about?.kind ?? "channel", participants, extra: about?.extra ?? {} },
      answers,
    );
    this.#names = names;
  }

  *read(day: Entry, element: JsonElement): Generator<Item> {
    const { value, offset, raw } = element;
    if (element.failure !== undefined) return yield rejectElement(day, element);
    if (!isObject(value)) return yield reject(day.path, offset, "not_a_message", "not a JSON object", raw);
    const ts = toText(value.ts);
    const sentAt = formatInstant(toNumber(ts), 1000);
    if (ts === null || sentAt === null) return yield reject(day.path, offset, "no_such_time", "no time sent (ts)", raw);
    const subtype = toText(value.subtype);
    const thread = toText(value.thread_ts);
    const edited = isObject(value.edited) ? toNumber(value.edited.ts) : null;
    yield* this.chat.addMessage({
      id: this.#occurrences.number(`${this.chat.id}/${ts}`),
      sender: this.#getSender(value),
      kind: subtype === "tombstone" ? "deleted" : isSystem(subtype) ? "system" : "message",
      text: this.#getText(value),
      sentAt,
      replyTo: thread === null || thread === ts ? null : `${this.chat.id}/${thread}`,
      isEdited: edited !== null,
      ...(edited === null ? {} : { changedAt: edited * 1000 }),
      reactions: toObjects(value.reactions).map(({ name, users, count }) =>
        dropNulls({ emoji: name, count, from: toList(users).map((id) => this.#names.getName(String(id)) ?? id) }),
      ),
      files: listFiles(value),
      extra: dropNulls({ subtype, bot_id: value.bot_id }),
    });
  }

  /** Bots have no user id; their names are in other fields. */
  #getSender(value: Record<string, unknown>): string | null {
    const comment = isObject(value.comment) ? toText(value.comment.user) : null;
    const id = toText(value.user) ?? comment;
    if (id !== null) return this.#names.getName(id) ?? getProfileName(value.user_profile) ?? id;
    return toText(value.username) || getProfileName(value.bot_profile) || toText(value.bot_id);
  }

  #getText(value: Record<string, unknown>): string {
    const own = toText(value.text) || renderBlocks(value.blocks);
    // Posts of integrations are in `attachments`.
    const posted = toObjects(value.attachments).map(formatPost);
    const all = [own, ...posted].filter((part) => part !== "").join("\n");
    return renderSlackText(all, (id) => this.#names.getName(id));
  }
}

function formatPost(post: Record<string, unknown>): string {
  const texts = [post.pretext, post.title, post.text].flatMap((part) => toText(part) || []);
  const fields = toObjects(post.fields).map(({ title, value }) =>
    [title, value].flatMap((part) => toText(part) || []).join(": "),
  );
  const all = [...texts, ...fields, ...(texts.length > 0 ? [] : [renderBlocks(post.blocks)])].filter(
    (part) => part !== "",
  );
  return all.length > 0 ? all.join("\n") : (toText(post.fallback) ?? "");
}

const getProfileName = (profile: unknown): string | null =>
  isObject(profile) ? toText(profile.real_name) || toText(profile.name) || null : null;

/** The export only has links to files, with tokens that grant access; neither is kept. */
function listFiles(value: Record<string, unknown>): ChatFile[] {
  const all = [...toList(value.files), value.file].filter(isObject);
  return all.map((file) => ({
    name: toText(file.name) ?? toText(file.title),
    mimeType: toText(file.mimetype),
    sizeBytes: toNumber(file.size),
    note: "the export has only a link to it, which expires",
  }));
}
