import { parseInstant } from "@pdpp/contract/instant";
import { htmlText } from "@pdpp/evidence/text/html-text";
import { type Answers, aside, type Claim, type Importer, type Item, mark, newestOf } from "../../core/importer.ts";
import { walk } from "../../core/parsing/json-elements.ts";
import { eachFile, faulty } from "../../core/reading.ts";
import { postRecords, postStreams } from "../../core/records/post.ts";
import { manifest } from "../../core/records/schema.ts";
import { isObject, listIn, numberIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import { folderOf, nameOf } from "../../core/text/paths.ts";
import { type Entry, headOf } from "../../tree/tree.ts";

/** Mastodon's archive: everything somebody sent out, with the files that came with it. */
export const mastodon: Importer = {
  key: "mastodon",
  title: "Mastodon",
  version: "2",
  proof: "unproven",
  manifest: manifest("mastodon", "Mastodon", "1.0.0", postStreams()),
  about: "posts",
  merge: { media: { fill: ["blob_ref"] } },
  // The lists of likes and bookmarks look the same, and hold only addresses.
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /"orderedItems"\s*:\s*\[\s*\{/.test(text) &&
    /www\.w3\.org\/ns\/activitystreams/.test(text),
  async claims(found, tree) {
    const all: Claim[] = [];
    for (const entry of found) {
      const folder = folderOf(entry.path);
      const beside = tree.entries.filter(
        ({ path }) =>
          path !== entry.path &&
          path.startsWith(folder) &&
          /media_attachments\/|(actor|likes|bookmarks)\.json$|(avatar|header)\.\w+$/.test(path),
      );
      const actor = beside.find(({ path }) => nameOf(path) === "actor.json");
      const name = actor === undefined ? undefined : await nameIn(actor);
      all.push({
        format: "mastodon",
        label: name === undefined ? "Mastodon" : `Mastodon of ${name}`,
        entries: [entry],
        beside,
        exportedAt: newestOf([entry]),
        questions: [],
        ...(name === undefined ? {} : { known: { name } }),
      });
    }
    return all;
  },
  read: (claim, answers, from) => eachFile(claim, from, (entry, index) => outbox(claim, entry, index, answers)),
};

async function nameIn(actor: Entry): Promise<string | undefined> {
  try {
    const value: unknown = JSON.parse(Buffer.from(await headOf(actor, 1_000_000)).toString("utf8"));
    return isObject(value) ? (textIn(value.preferredUsername) ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

async function* outbox(claim: Claim, entry: Entry, index: number, answers: Answers): AsyncGenerator<Item> {
  const folder = folderOf(entry.path);
  const files = new Map(claim.beside.map((each) => [each.path.slice(folder.length), each]));
  const opens = (path: string): boolean => path === "" || path === "orderedItems";
  for await (const step of walk((from) => entry.bytes(from), { opens })) {
    if (step.kind !== "value" || step.path !== "orderedItems/*") continue;
    const { value, offset, raw, end } = step.element;
    if (step.element.fault !== undefined) yield faulty(entry, step.element);
    else {
      const post = isObject(value) ? await postOf(value, claim.known?.name ?? null, files) : undefined;
      if (post === undefined) yield aside(entry.path, offset, "not_a_post", "it has no address or no time", raw);
      else yield* postRecords(post, answers);
    }
    yield mark(index, end);
  }
}

type Post = Parameters<typeof postRecords>[0];

async function postOf(
  activity: Record<string, unknown>,
  owner: string | null,
  files: ReadonlyMap<string, Entry>,
): Promise<Post | undefined> {
  const object = isObject(activity.object) ? activity.object : {};
  const at =
    [activity.published, object.published].map(textIn).find((time) => time !== null && parseInstant(time) !== null) ??
    null;
  const author = owner ?? textIn(activity.actor);
  // What somebody passed on is only an address.
  if (activity.type === "Announce") {
    const [id, url] = [textIn(activity.id), textIn(activity.object)];
    return id === null || at === null ? undefined : { id, author, text: null, at, kind: "repost", url };
  }
  const id = textIn(object.id) ?? textIn(activity.id);
  if (id === null || at === null) return undefined;
  const reply = textIn(object.inReplyTo);
  return {
    id,
    author,
    text: (await htmlText(textIn(object.content) ?? "", false)).trim(),
    at,
    kind: reply === null ? "post" : "reply",
    title: textIn(object.summary),
    url: textIn(object.url) ?? id,
    replyTo: reply,
    media: listIn(object.attachment)
      .filter(isObject)
      .map((each) => {
        const path = (textIn(each.url) ?? "").replace(/^\/+/, "");
        // Older servers write the path with a folder of their own before it.
        const entry = files.get(path) ?? files.get(path.replace(/^.*?(?=media_attachments\/)/, ""));
        return { name: nameOf(path), description: textIn(each.name), entry };
      }),
    extra: withoutNulls({
      visibility: visibilityOf(activity),
      tags: tagsOf(object),
      sensitive: object.sensitive === true ? true : null,
      poll: pollOf(object),
    }),
  };
}

const everyone = "https://www.w3.org/ns/activitystreams#Public";

function visibilityOf({ to, cc }: Record<string, unknown>): string {
  if (listIn(to).includes(everyone) || to === everyone) return "public";
  if (listIn(cc).includes(everyone)) return "unlisted";
  return listIn(to).some((address) => /\/followers$/.test(textIn(address) ?? "")) ? "followers" : "direct";
}

function tagsOf(object: Record<string, unknown>): string[] | null {
  const tags = listIn(object.tag)
    .filter(isObject)
    .filter(({ type }) => type === "Hashtag")
    .map(({ name }) => textIn(name) ?? "");
  return tags.length === 0 ? null : tags;
}

/** What could be chosen, and how often it was when the archive was made. */
function pollOf({ oneOf, anyOf }: Record<string, unknown>): object[] | null {
  const choices = [...listIn(oneOf), ...listIn(anyOf)].filter(isObject).map(({ name, replies }) => ({
    name: textIn(name),
    votes: isObject(replies) ? numberIn(replies.totalItems) : null,
  }));
  return choices.length === 0 ? null : choices;
}
