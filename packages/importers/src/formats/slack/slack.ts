import type { JsonObject } from "@pdpp/contract/declaration";
import { Occurrences } from "../../core/identity.ts";
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
import { type Element, elementsOf } from "../../core/parsing/json-elements.ts";
import { eachPart, faulty } from "../../core/reading.ts";
import { Chat, type ChatFile, chatManifest, chatMerge } from "../../core/records/chat.ts";
import { isObject, listIn, numberIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import { folderOf, nameOf } from "../../core/text/paths.ts";
import { instantText } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { blocksText, slackText } from "./text.ts";

/** Slack's export of a workspace: a folder for each channel, a file for each day. */
export const slack: Importer = {
  key: "slack",
  title: "Slack",
  version: "2",
  proof: "real files",
  manifest: chatManifest("slack", "Slack"),
  merge: chatMerge,
  about: "messages",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) && /^\s*\[\s*\{/.test(text) && /"ts"\s*:\s*"\d{9,11}\.\d{3,9}"/.test(text) && !isList(path),
  async claims(found, tree) {
    const roots = Map.groupBy(found, ({ path }) => rootOf(path));
    return [...roots].map(([root, entries]): Claim => {
      const folders = new Set(entries.map(({ path }) => folderOf(path)));
      const isBeside = ({ path }: Entry): boolean =>
        (isList(path) && (folderOf(path) === root || folders.has(folderOf(path)))) ||
        (folders.has(folderOf(path)) && /\d{4}-\d\d-\d\d\.json$/.test(path));
      return {
        format: "slack",
        label: "Slack",
        entries,
        beside: besideOf(tree, entries, isBeside),
        exportedAt: newestOf(entries),
        questions: [{ key: "me", text: "Which name in Slack is you?", usual: "" }],
      };
    });
  },
  read,
};

/** A day's file stands in the folder of its channel, and that in the workspace's. */
const rootOf = (path: string): string => folderOf(folderOf(path).slice(0, -1));

const isList = (path: string): boolean =>
  /^(channels|groups|dms|mpims|users|integration_logs|canvases|lists|file_conversations|org_users)\.json$/.test(
    nameOf(path),
  );

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const names = await Workspace.of(claim.beside);
  yield* eachPart(
    claim,
    from,
    async function* (days, first) {
      const channel = new Channel(names, nameOf(folderOf(days[0]?.path ?? "").slice(0, -1)), answers);
      for (const [n, day] of days.entries()) {
        for await (const element of elementsOf(day, 0)) {
          yield* channel.read(day, element);
          yield mark(first + n, element.end);
        }
      }
      yield* channel.chat.conversation();
    },
    ({ path }) => folderOf(path),
  );
}

interface ChannelAbout {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly members: readonly string[];
  readonly extra: JsonObject;
}

/** Who and what the ids of a workspace are. */
class Workspace {
  readonly people = new Map<string, string>();
  readonly channels = new Map<string, ChannelAbout>();
  readonly #channelNames = new Map<string, string>();

  static async of(lists: readonly Entry[]): Promise<Workspace> {
    const workspace = new Workspace();
    for (const list of lists) {
      const kind = nameOf(list.path);
      if (kind !== "users.json" && kinds[kind] === undefined) continue;
      for await (const { value } of elementsOf(list, 0)) {
        if (!isObject(value)) continue;
        if (kind === "users.json") workspace.#person(value);
        else workspace.#channel(value, kinds[kind] ?? "channel");
      }
    }
    return workspace;
  }

  #person(value: Record<string, unknown>): void {
    const profile = isObject(value.profile) ? value.profile : {};
    const names = [profile.real_name, value.real_name, profile.display_name, value.name].map(textIn);
    const id = textIn(value.id);
    const name = names.find((each) => each !== null && each !== "");
    if (id !== null && name) this.people.set(id, name);
  }

  #channel(value: Record<string, unknown>, kind: string): void {
    const id = textIn(value.id);
    if (id === null) return;
    const told = (field: unknown): string | null => (isObject(field) ? textIn(field.value) || null : null);
    const name = textIn(value.name) ?? id;
    this.#channelNames.set(id, name);
    this.channels.set(name, {
      id,
      name,
      kind,
      members: listIn(value.members).flatMap((member) => textIn(member) ?? []),
      extra: withoutNulls({ topic: told(value.topic), purpose: told(value.purpose), is_archived: value.is_archived }),
    });
  }

  /** Of a person or a channel. */
  nameOf(id: string): string | undefined {
    return this.people.get(id) ?? this.#channelNames.get(id);
  }
}

const kinds: Readonly<Record<string, string>> = {
  "channels.json": "channel",
  "groups.json": "group",
  "mpims.json": "group",
  "dms.json": "direct",
};

/** What the app says itself, in a person's name. */
const isSystem = (subtype: string | null): boolean =>
  subtype !== null && /_(join|leave|topic|purpose|name|archive|unarchive|add|remove|convert_to_private)$/.test(subtype);

class Channel {
  readonly chat: Chat;
  readonly #names: Workspace;
  readonly #occurrences = new Occurrences();

  constructor(names: Workspace, folder: string, answers: Answers) {
    const about = names.channels.get(folder);
    const participants = (about?.members ?? []).flatMap((id) => names.nameOf(id) ?? []);
    const title = about?.kind === "direct" ? [...new Set(participants)].sort().join(", ") || folder : folder;
    this.chat = new Chat(
      { id: about?.id ?? folder, title, kind: about?.kind ?? "channel", participants, extra: about?.extra ?? {} },
      answers,
    );
    this.#names = names;
  }

  *read(day: Entry, element: Element): Generator<Item> {
    const { value, offset, raw } = element;
    if (element.fault !== undefined) return yield faulty(day, element);
    if (!isObject(value)) return yield aside(day.path, offset, "not_a_message", "it is not an object", raw);
    const ts = textIn(value.ts);
    const sentAt = timeOf(ts);
    if (ts === null || sentAt === null)
      return yield aside(day.path, offset, "no_such_time", "it does not say when it was sent (ts)", raw);
    const subtype = textIn(value.subtype);
    const thread = textIn(value.thread_ts);
    const edited = isObject(value.edited) ? numberIn(value.edited.ts) : null;
    yield* this.chat.message({
      id: this.#occurrences.of(`${this.chat.id}/${ts}`),
      sender: this.#senderOf(value),
      kind: subtype === "tombstone" ? "deleted" : isSystem(subtype) ? "system" : "message",
      text: this.#textOf(value),
      sentAt,
      replyTo: thread === null || thread === ts ? null : `${this.chat.id}/${thread}`,
      isEdited: edited !== null,
      ...(edited === null ? {} : { changedAt: edited * 1000 }),
      reactions: listIn(value.reactions)
        .filter(isObject)
        .map(({ name, users, count }) =>
          withoutNulls({ emoji: name, count, from: listIn(users).map((id) => this.#names.nameOf(String(id)) ?? id) }),
        ),
      files: filesOf(value),
      extra: withoutNulls({ subtype, bot_id: value.bot_id }),
    });
  }

  /** Bots have no user; what they call themselves stands elsewhere. */
  #senderOf(value: Record<string, unknown>): string | null {
    const comment = isObject(value.comment) ? textIn(value.comment.user) : null;
    const id = textIn(value.user) ?? comment;
    if (id !== null) return this.#names.nameOf(id) ?? nameIn(value.user_profile) ?? id;
    return textIn(value.username) || nameIn(value.bot_profile) || textIn(value.bot_id);
  }

  #textOf(value: Record<string, unknown>): string {
    const own = textIn(value.text) || blocksText(value.blocks);
    // What an integration posts stands beside the text.
    const posted = listIn(value.attachments).filter(isObject).map(postedText);
    const all = [own, ...posted].filter((part) => part !== "").join("\n");
    return slackText(all, (id) => this.#names.nameOf(id));
  }
}

function postedText(post: Record<string, unknown>): string {
  const said = [post.pretext, post.title, post.text].flatMap((part) => textIn(part) || []);
  const fields = listIn(post.fields)
    .filter(isObject)
    .map(({ title, value }) => [title, value].flatMap((part) => textIn(part) || []).join(": "));
  const all = [...said, ...fields, ...(said.length > 0 ? [] : [blocksText(post.blocks)])].filter((part) => part !== "");
  return all.length > 0 ? all.join("\n") : (textIn(post.fallback) ?? "");
}

const timeOf = (ts: string | null): string | null => {
  const seconds = numberIn(ts);
  return seconds === null ? null : instantText(seconds * 1000);
};

const nameIn = (profile: unknown): string | null =>
  isObject(profile) ? textIn(profile.real_name) || textIn(profile.name) || null : null;

/** The export has links to files, with a token that opens them to anybody; neither is kept. */
function filesOf(value: Record<string, unknown>): ChatFile[] {
  const all = [...listIn(value.files), value.file].filter(isObject);
  return all.map((file) => ({
    name: textIn(file.name) ?? textIn(file.title),
    mimeType: textIn(file.mimetype),
    sizeBytes: numberIn(file.size),
    note: "the export has only a link to it, which expires",
  }));
}
