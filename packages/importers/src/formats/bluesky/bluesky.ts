import { parseInstant } from "@pdpp/contract/instant";
import { wordsOf } from "../../core/files.ts";
import { type Answers, aside, type Claim, type Importer, type Item, mark, newestOf } from "../../core/importer.ts";
import { eachFile } from "../../core/reading.ts";
import { postRecords, postStreams } from "../../core/records/post.ts";
import { manifest } from "../../core/records/schema.ts";
import { clean, isObject, listIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import { folderOf, nameOf } from "../../core/text/paths.ts";
import type { Entry } from "../../tree/tree.ts";
import { blocksOf } from "./car.ts";
import { Cid, decodeCbor } from "./cbor.ts";

/** Bluesky: a repository with everything somebody wrote, liked and passed on. Pictures are not in it. */
export const bluesky: Importer = {
  key: "bluesky",
  title: "Bluesky",
  version: "2",
  proof: "unproven",
  manifest: manifest("bluesky", "Bluesky", "1.0.0", postStreams()),
  about: "posts",
  merge: { media: { fill: ["blob_ref"] } },
  sniff: (_path, { bytes }) => {
    const head = Buffer.from(bytes.subarray(1, 80)).toString("latin1");
    return head.includes("eroots") && head.includes("gversion\u0001");
  },
  async claims(found, tree) {
    return found.map((entry): Claim => {
      const beside = tree.entries.filter(({ path }) => path.startsWith(`${folderOf(entry.path)}blobs/`));
      return {
        format: "bluesky",
        label: "Bluesky",
        entries: [entry],
        beside,
        exportedAt: newestOf([entry]),
        questions: [],
      };
    });
  },
  read: (claim, answers, from) => eachFile(claim, from, (entry, index) => repository(claim, entry, index, answers)),
};

/** Where each record has its name: a tree of nodes lists them by their digests. */
interface Names {
  owner: string;
  author: string | null;
  readonly paths: Map<string, string>;
}

const wanted = /^app\.bsky\.feed\.(post|repost|like)\//;

async function namesIn(entry: Entry): Promise<Names> {
  const names: Names = { owner: "", author: null, paths: new Map() };
  for await (const { bytes } of blocksOf(entry)) {
    let value: unknown;
    try {
      value = decodeCbor(bytes);
    } catch {
      continue;
    }
    if (!isObject(value)) continue;
    if (typeof value.did === "string" && value.data instanceof Cid) names.owner = value.did;
    if (value.$type === "app.bsky.actor.profile") names.author = textIn(value.displayName);
    if (Array.isArray(value.e)) addNode(value.e, names.paths);
  }
  return names;
}

/** Names in a node are written as far as they differ from the one before. */
function addNode(entries: readonly unknown[], paths: Map<string, string>): void {
  let name = "";
  for (const entry of entries) {
    if (!isObject(entry) || !Buffer.isBuffer(entry.k) || !(entry.v instanceof Cid)) continue;
    const same = typeof entry.p === "number" ? entry.p : 0;
    name = name.slice(0, same) + entry.k.toString("latin1");
    if (wanted.test(name)) paths.set(entry.v.text, name);
  }
}

const largest = 512 * 1024 * 1024;

async function* repository(claim: Claim, entry: Entry, index: number, answers: Answers): AsyncGenerator<Item> {
  if (entry.size > largest) {
    yield aside(entry.path, 0, "too_large", `the repository is larger than ${largest} bytes`);
    return;
  }
  const files = new Map(claim.beside.map((each) => [nameOf(each.path), each]));
  let names: Names = { owner: "", author: null, paths: new Map() };
  try {
    names = await namesIn(entry);
    for await (const { cid, bytes, offset, end } of blocksOf(entry)) {
      const path = names.paths.get(cid);
      if (path === undefined) continue;
      try {
        const value = decodeCbor(bytes);
        const post = isObject(value) ? postOf(value, path, names, files) : undefined;
        if (post === undefined) yield aside(entry.path, offset, "not_a_post", "it has no time", bytes);
        else yield* postRecords(post, answers);
      } catch (error) {
        yield aside(entry.path, offset, "malformed", `the record cannot be read: ${wordsOf(error)}`, bytes);
      }
      yield mark(index, end);
    }
  } catch (error) {
    yield aside(entry.path, 0, "malformed", `the repository cannot be read: ${wordsOf(error)}`);
  }
}

type Post = Parameters<typeof postRecords>[0];

function postOf(
  value: Record<string, unknown>,
  path: string,
  { owner, author }: Names,
  files: ReadonlyMap<string, Entry>,
): Post | undefined {
  const [collection = "", key = ""] = path.split("/");
  const at = textIn(value.createdAt);
  if (at === null || parseInstant(at) === null) return undefined;
  const id = `at://${owner}/${path}`;
  const kind = collection.slice("app.bsky.feed.".length);
  const subject = isObject(value.subject) ? textIn(value.subject.uri) : null;
  if (kind !== "post") return { id, author, text: null, at, kind, url: subject };
  const parent = isObject(value.reply) && isObject(value.reply.parent) ? textIn(value.reply.parent.uri) : null;
  const embed = isObject(value.embed) ? value.embed : {};
  // With a quote there may be pictures, a film or a link, one level deeper.
  const shown = isObject(embed.media) ? embed.media : embed;
  const external = isObject(shown.external) ? shown.external : {};
  return {
    id,
    author,
    text: textIn(value.text),
    at,
    kind: parent === null ? "post" : "reply",
    title: textIn(external.title),
    url: `https://bsky.app/profile/${owner}/post/${key}`,
    replyTo: parent,
    media: mediaOf(shown, files),
    extra: withoutNulls({
      languages: Array.isArray(value.langs) ? clean(value.langs) : null,
      link: textIn(external.uri),
      links: linksOf(value),
      quotes: quoteOf(embed),
    }),
  };
}

function mediaOf(shown: Record<string, unknown>, files: ReadonlyMap<string, Entry>): NonNullable<Post["media"]> {
  const pictures = listIn(shown.images)
    .filter(isObject)
    .map(({ image, alt }) => ({ blob: image, alt, name: "picture" }));
  const films = isObject(shown.video) ? [{ blob: shown.video, alt: shown.alt, name: "film" }] : [];
  return [...pictures, ...films].map(({ blob, alt, name: unnamed }) => {
    const { ref, mimeType } = isObject(blob) ? blob : {};
    const name = ref instanceof Cid ? ref.name : unnamed;
    return { name, description: textIn(alt), mimeType: textIn(mimeType), entry: files.get(name) };
  });
}

/** The post that is quoted; beside pictures it stands one level deeper. */
function quoteOf({ record }: Record<string, unknown>): string | null {
  if (!isObject(record)) return null;
  return textIn(record.uri) ?? (isObject(record.record) ? textIn(record.record.uri) : null);
}

/** Addresses in full: the text shows them shortened. */
function linksOf(value: Record<string, unknown>): string[] | null {
  const links = listIn(value.facets)
    .filter(isObject)
    .flatMap(({ features }) => listIn(features).filter(isObject))
    .flatMap(({ uri }) => textIn(uri) ?? []);
  return links.length === 0 ? null : [...new Set(links)];
}
