import { parseInstant } from "@pdpp/contract/instant";
import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readJsonObject } from "../../core/parsing/json.ts";
import { readListElements } from "../../core/parsing/json-elements.ts";
import { readFiles, rejectElement } from "../../core/reading.ts";
import { createPostRecords, definePostFormat } from "../../core/records/post.ts";
import { dropNulls, isObject, toList, toNumber, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import type { Entry } from "../../tree/tree.ts";

/** Mastodon: the outbox with its media files. */
export const mastodon: Importer = {
  ...definePostFormat("mastodon", "Mastodon"),
  version: "2",
  testedWith: "unproven",
  // The lists of likes and bookmarks look similar but only contain addresses.
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /"orderedItems"\s*:\s*\[\s*\{/.test(text) &&
    /www\.w3\.org\/ns\/activitystreams/.test(text),
  async createClaims(found, tree) {
    const all: Claim[] = [];
    for (const entry of found) {
      const folder = getFolder(entry.path);
      const companions = tree.entries.filter(
        ({ path }) =>
          path !== entry.path &&
          path.startsWith(folder) &&
          /media_attachments\/|(actor|likes|bookmarks)\.json$|(avatar|header)\.\w+$/.test(path),
      );
      const actor = companions.find(({ path }) => getFileName(path) === "actor.json");
      const name = actor === undefined ? undefined : await readUserName(actor);
      all.push(
        createClaim("mastodon", name === undefined ? "Mastodon" : `Mastodon of ${name}`, [entry], {
          companions,
          ...(name === undefined ? {} : { known: { name } }),
        }),
      );
    }
    return all;
  },
  read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readOutbox(claim, entry, index, answers)),
};

async function readUserName(actor: Entry): Promise<string | undefined> {
  const { preferredUsername } = await readJsonObject(actor);
  return toText(preferredUsername) ?? undefined;
}

async function* readOutbox(claim: Claim, entry: Entry, index: number, answers: Answers): AsyncGenerator<Item> {
  const folder = getFolder(entry.path);
  const files = new Map(claim.companions.map((each) => [each.path.slice(folder.length), each]));
  for await (const element of readListElements(entry, "orderedItems")) {
    const { value, offset, raw } = element;
    if (element.failure !== undefined) yield rejectElement(entry, element);
    else {
      const post = isObject(value) ? await createPost(value, claim.known?.name ?? null, files) : undefined;
      if (post === undefined) yield reject(entry.path, offset, "not_a_post", "no address or no time", raw);
      else yield* createPostRecords(post, answers);
    }
    yield mark(index, element.end);
  }
}

type Post = Parameters<typeof createPostRecords>[0];

async function createPost(
  activity: Record<string, unknown>,
  owner: string | null,
  files: ReadonlyMap<string, Entry>,
): Promise<Post | undefined> {
  const object = toObject(activity.object);
  const at =
    [activity.published, object.published].map(toText).find((time) => time !== null && parseInstant(time) !== null) ??
    null;
  const author = owner ?? toText(activity.actor);
  // A boost is only an address.
  if (activity.type === "Announce") {
    const [id, url] = [toText(activity.id), toText(activity.object)];
    return id === null || at === null ? undefined : { id, author, text: null, at, kind: "repost", url };
  }
  const id = toText(object.id) ?? toText(activity.id);
  if (id === null || at === null) return undefined;
  const reply = toText(object.inReplyTo);
  return {
    id,
    author,
    text: (await extractHtmlText(toText(object.content) ?? "", false)).trim(),
    at,
    kind: reply === null ? "post" : "reply",
    title: toText(object.summary),
    url: toText(object.url) ?? id,
    replyTo: reply,
    media: toObjects(object.attachment).map((each) => {
      const path = (toText(each.url) ?? "").replace(/^\/+/, "");
      // Older servers prefix the path with a folder.
      const entry = files.get(path) ?? files.get(path.replace(/^.*?(?=media_attachments\/)/, ""));
      return { name: getFileName(path), description: toText(each.name), entry };
    }),
    extra: dropNulls({
      visibility: getVisibility(activity),
      tags: listTags(object),
      sensitive: object.sensitive === true ? true : null,
      poll: readPoll(object),
    }),
  };
}

const everyone = "https://www.w3.org/ns/activitystreams#Public";

function getVisibility({ to, cc }: Record<string, unknown>): string {
  if (toList(to).includes(everyone) || to === everyone) return "public";
  if (toList(cc).includes(everyone)) return "unlisted";
  return toList(to).some((address) => /\/followers$/.test(toText(address) ?? "")) ? "followers" : "direct";
}

function listTags(object: Record<string, unknown>): string[] | null {
  const tags = toObjects(object.tag)
    .filter(({ type }) => type === "Hashtag")
    .map(({ name }) => toText(name) ?? "");
  return tags.length === 0 ? null : tags;
}

/** The choices and their votes when the archive was made. */
function readPoll({ oneOf, anyOf }: Record<string, unknown>): object[] | null {
  const choices = [...toList(oneOf), ...toList(anyOf)].filter(isObject).map(({ name, replies }) => ({
    name: toText(name),
    votes: isObject(replies) ? toNumber(replies.totalItems) : null,
  }));
  return choices.length === 0 ? null : choices;
}
