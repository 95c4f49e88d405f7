import type { Answers, Claim, Head, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readArrayElements } from "../../core/parsing/json-elements.ts";
import { listRemainingEntries, rejectElement } from "../../core/reading.ts";
import { createPostRecords, definePostFormat } from "../../core/records/post.ts";
import {
  cleanText,
  dropNulls,
  isObject,
  toId,
  toList,
  toNumber,
  toObject,
  toObjects,
  toText,
} from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import { type Entry, readHead, type Tree } from "../../tree/tree.ts";
import { findFullPost, type LongPost, parseLongPost } from "./long-posts.ts";

/** X, formerly Twitter: posts and likes of the archive, and saved API responses with posts. */
export const x: Importer = {
  ...definePostFormat("x", "X (Twitter)", "X"),
  version: "2",
  testedWith: "files of that shape",
  sniff: (path, { text }) => isPosts(text) || (/\.json$/i.test(path) && isApiResponse(text)),
  advise: (_path, head) =>
    getScriptName(head) === undefined
      ? undefined
      : "this part of X's archive has neither posts nor likes and is not imported",
  createClaims,
  read,
};

const script = /^\s*window\.YTD\.(\w+)\.part\d+\s*=/;
const getScriptName = ({ text }: Pick<Head, "text">): string | undefined => script.exec(text)?.[1];
const isPosts = (text: string): boolean => /^(tweets?|like|note_tweet)$/.test(getScriptName({ text }) ?? "");
/** A saved API response. */
const isApiResponse = (text: string): boolean =>
  /^\s*\[\s*\{/.test(text) &&
  /"full_text"\s*:/.test(text) &&
  /"id_str"\s*:/.test(text) &&
  /"created_at"\s*:/.test(text);

async function createClaims(found: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const all: Claim[] = [];
  for (const [folder, entries] of Map.groupBy(found, ({ path }) => getFolder(path))) {
    const account = tree.entries.find(({ path }) => path === `${folder}account.js`);
    const companions = tree.entries.filter(
      ({ path }) => path.startsWith(`${folder}tweets_media/`) || path.startsWith(`${folder}tweet_media/`),
    );
    const name = account === undefined ? undefined : await readUserName(account);
    all.push(
      createClaim("x", name === undefined ? "X" : `X of ${name}`, entries, {
        companions: account === undefined ? companions : [...companions, account],
        ...(name === undefined ? {} : { known: { name } }),
      }),
    );
  }
  return all;
}

async function readUserName(account: Entry): Promise<string | undefined> {
  const text = Buffer.from(await readHead(account, 65_536)).toString("utf8");
  return /"username"\s*:\s*"(\w{1,50})"/.exec(text)?.[1];
}

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const media = Map.groupBy(claim.companions, ({ path }) => /^(\d+)-/.exec(getFileName(path))?.[1] ?? "");
  const long = await collectLongPosts(claim.entries);
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    for await (const element of readArrayElements(skipAssignment(entry), start)) {
      const { value, offset, raw } = element;
      const whole = isObject(value) ? parseLongPost(value) : undefined;
      if (element.failure !== undefined) yield rejectElement(entry, element);
      else if (whole !== undefined && long.shown.has(whole.id))
        yield { kind: "skipped", path: entry.path, reason: "its text is in the post that it completes" };
      else {
        const known = { owner: claim.known?.name ?? null, media, long: long.all };
        const post =
          whole !== undefined
            ? createLongPost(whole, known.owner)
            : isObject(value)
              ? createPost(value, known)
              : undefined;
        if (post === undefined) yield reject(entry.path, offset, "not_a_post", "not a post, or without an id", raw);
        else yield* createPostRecords(post, answers);
      }
      yield mark(index, element.end);
    }
  }
}

/** Characters of long posts kept in memory; further ones become separate records. */
const maxHeldChars = 16 * 1024 * 1024;

/** The long posts of an archive, and the ids of those whose truncated post is in the list. */
async function collectLongPosts(entries: readonly Entry[]): Promise<{ all: LongPost[]; shown: Set<string> }> {
  const all: LongPost[] = [];
  const shown = new Set<string>();
  const lists = await Array.fromAsync(entries, async (entry) => ({
    entry,
    isLong: getScriptName({ text: Buffer.from(await readHead(entry, 256)).toString("utf8") }) === "note_tweet",
  }));
  let held = 0;
  for (const { entry } of lists.filter(({ isLong }) => isLong))
    for await (const { value } of readArrayElements(skipAssignment(entry), 0)) {
      const long = isObject(value) ? parseLongPost(value) : undefined;
      if (long === undefined || held + long.text.length > maxHeldChars) continue;
      held += long.text.length;
      all.push(long);
    }
  // Most archives have none.
  if (all.length === 0) return { all, shown };
  for (const { entry } of lists.filter(({ isLong }) => !isLong))
    for await (const { value } of readArrayElements(skipAssignment(entry), 0)) {
      const whole = isObject(value) ? findFullText(isObject(value.tweet) ? value.tweet : value, all) : undefined;
      if (whole !== undefined) shown.add(whole.id);
    }
  return { all, shown };
}

const getText = (tweet: Record<string, unknown>): string => toText(tweet.full_text) ?? toText(tweet.text) ?? "";

const findFullText = (tweet: Record<string, unknown>, long: readonly LongPost[]): LongPost | undefined =>
  findFullPost(unescapeEntities(getText(tweet)), Date.parse(toText(tweet.created_at) ?? ""), long);

/** For a long post without an entry in the list. */
const createLongPost = ({ id, at, text }: LongPost, author: string | null): Post => ({
  id: `note:${id}`,
  author,
  text: unescapeEntities(text),
  at: formatInstant(at),
});

/** The file is a script that assigns the list; blanks out everything before the list. */
const skipAssignment = (entry: Entry) =>
  async function* (from: number): AsyncGenerator<Uint8Array> {
    let isNamed = from === 0 && /\.js$/i.test(entry.path);
    for await (const chunk of entry.bytes(from)) {
      if (!isNamed) yield chunk;
      else {
        const equals = chunk.indexOf(0x3d);
        isNamed = equals < 0;
        const bytes = Uint8Array.from(chunk);
        bytes.fill(0x20, 0, equals < 0 ? bytes.length : equals + 1);
        yield bytes;
      }
    }
  };

const unescapeEntities = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

type Post = Parameters<typeof createPostRecords>[0];

interface Known {
  readonly owner: string | null;
  readonly media: ReadonlyMap<string, Entry[]>;
  readonly long: readonly LongPost[];
}

function createPost(value: Record<string, unknown>, { owner, media, long }: Known): Post | undefined {
  if (isObject(value.like)) return createLike(value.like);
  const tweet = isObject(value.tweet) ? value.tweet : value;
  // The numeric id was already rounded.
  const id = toId(tweet.id_str) ?? (typeof tweet.id === "string" ? toText(tweet.id) : null);
  const at = formatInstant(Date.parse(toText(tweet.created_at) ?? ""));
  if (id === null || at === null) return undefined;
  const written = getText(tweet);
  const user = isObject(tweet.user) ? toText(tweet.user.screen_name) : null;
  const author = user ?? owner;
  const reply = toId(tweet.in_reply_to_status_id_str);
  return {
    id,
    author,
    text: unescapeEntities(findFullText(tweet, long)?.text ?? expandUrls(written, tweet)),
    at,
    kind: /^RT @\w+: /.test(written) ? "repost" : reply === null ? "post" : "reply",
    url: author === null ? null : `https://x.com/${author}/status/${id}`,
    replyTo: reply,
    media: listMedia(tweet, media.get(id) ?? []),
    extra: dropNulls({
      likes: toNumber(tweet.favorite_count),
      reposts: toNumber(tweet.retweet_count),
      language: toText(tweet.lang),
      reply_to_name: toText(tweet.in_reply_to_screen_name),
    }),
  };
}

/** Likes have no date. */
function createLike(like: Record<string, unknown>): Post | undefined {
  const id = toId(like.tweetId);
  if (id === null) return undefined;
  return {
    id: `like:${id}`,
    text: unescapeEntities(toText(like.fullText) ?? ""),
    at: null,
    kind: "like",
    url: toText(like.expandedUrl),
  };
}

/** Replaces shortened URLs by the full ones. */
function expandUrls(text: string, tweet: Record<string, unknown>): string {
  const entities = toObject(tweet.entities);
  let long = text;
  for (const url of toObjects(entities.urls)) {
    const [short, whole] = [toText(url.url), toText(url.expanded_url)];
    if (short !== null && whole !== null && short !== "") long = long.replaceAll(short, whole);
  }
  return cleanText(long);
}

function listMedia(tweet: Record<string, unknown>, files: readonly Entry[]): NonNullable<Post["media"]> {
  const entities = [tweet.extended_entities, tweet.entities]
    .filter(isObject)
    .find(({ media }) => toList(media).length > 0);
  return toObjects(entities?.media).map((each) => {
    const name = getFileName(toText(each.media_url_https) ?? toText(each.media_url) ?? "picture");
    const stems = [name, ...listVideoFiles(each)].map((file) => file.replace(/\.\w+$/, ""));
    const entry =
      files.find(({ path }) => stems.some((stem) => getFileName(path).includes(stem))) ??
      (files.length === 1 ? files[0] : undefined);
    return {
      name: entry === undefined ? name : getFileName(entry.path),
      description: toText(each.ext_alt_text),
      entry,
    };
  });
}

/** A video's URL is that of a still; its file is named like one of its variants. */
const listVideoFiles = ({ video_info: film }: Record<string, unknown>): string[] =>
  toObjects(isObject(film) ? film.variants : [])
    .map(({ url }) => getFileName((toText(url) ?? "").replace(/[?#].*$/, "")))
    .filter((name) => name !== "");
