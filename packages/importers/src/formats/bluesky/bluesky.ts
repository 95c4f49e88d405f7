import { parseInstant } from "@pdpp/contract/instant";
import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readFiles } from "../../core/reading.ts";
import { createPostRecords, definePostFormat } from "../../core/records/post.ts";
import { cleanValue, dropNulls, isObject, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import type { Entry } from "../../tree/tree.ts";
import { readBlocks } from "./car.ts";
import { Cid, decodeCbor } from "./cbor.ts";

/** Bluesky: a repository with a person's posts, likes and reposts. It contains no images. */
export const bluesky: Importer = {
  ...definePostFormat("bluesky", "Bluesky"),
  version: "2",
  testedWith: "unproven",
  sniff: (_path, { bytes }) => {
    const head = Buffer.from(bytes.subarray(1, 80)).toString("latin1");
    return head.includes("eroots") && head.includes("gversion\u0001");
  },
  async createClaims(found, tree) {
    return found.map((entry): Claim => {
      const companions = tree.entries.filter(({ path }) => path.startsWith(`${getFolder(entry.path)}blobs/`));
      return createClaim("bluesky", "Bluesky", [entry], { companions });
    });
  },
  read: (claim, answers, from) =>
    readFiles(claim, from, (entry, index) => readRepository(claim, entry, index, answers)),
};

/** Record names, from the Merkle search tree that lists records by digest. */
interface Names {
  owner: string;
  author: string | null;
  readonly paths: Map<string, string>;
}

const wanted = /^app\.bsky\.feed\.(post|repost|like)\//;

async function readNames(entry: Entry): Promise<Names> {
  const names: Names = { owner: "", author: null, paths: new Map() };
  for await (const { bytes } of readBlocks(entry)) {
    let value: unknown;
    try {
      value = decodeCbor(bytes);
    } catch {
      continue;
    }
    if (!isObject(value)) continue;
    if (typeof value.did === "string" && value.data instanceof Cid) names.owner = value.did;
    if (value.$type === "app.bsky.actor.profile") names.author = toText(value.displayName);
    if (Array.isArray(value.e)) addNode(value.e, names.paths);
  }
  return names;
}

/** Names in a node are prefix-compressed against the previous one. */
function addNode(entries: readonly unknown[], paths: Map<string, string>): void {
  let name = "";
  for (const entry of entries) {
    if (!isObject(entry) || !Buffer.isBuffer(entry.k) || !(entry.v instanceof Cid)) continue;
    const same = typeof entry.p === "number" ? entry.p : 0;
    name = name.slice(0, same) + entry.k.toString("latin1");
    if (wanted.test(name)) paths.set(entry.v.text, name);
  }
}

const maxRepositoryBytes = 512 * 1024 * 1024;

async function* readRepository(claim: Claim, entry: Entry, index: number, answers: Answers): AsyncGenerator<Item> {
  if (entry.size > maxRepositoryBytes)
    return yield reject(entry.path, 0, "too_large", `larger than ${maxRepositoryBytes} bytes`);
  const files = new Map(claim.companions.map((each) => [getFileName(each.path), each]));
  let names: Names = { owner: "", author: null, paths: new Map() };
  try {
    names = await readNames(entry);
    for await (const { cid, bytes, offset, end } of readBlocks(entry)) {
      const path = names.paths.get(cid);
      if (path === undefined) continue;
      try {
        const value = decodeCbor(bytes);
        const post = isObject(value) ? buildPost(value, path, names, files) : undefined;
        if (post === undefined) yield reject(entry.path, offset, "not_a_post", "no time", bytes);
        else yield* createPostRecords(post, answers);
      } catch (error) {
        yield reject(entry.path, offset, "malformed", `cannot read the record: ${describeError(error)}`, bytes);
      }
      yield mark(index, end);
    }
  } catch (error) {
    yield reject(entry.path, 0, "malformed", `cannot read the repository: ${describeError(error)}`);
  }
}

type Post = Parameters<typeof createPostRecords>[0];

function buildPost(
  value: Record<string, unknown>,
  path: string,
  { owner, author }: Names,
  files: ReadonlyMap<string, Entry>,
): Post | undefined {
  const [collection = "", key = ""] = path.split("/");
  const at = toText(value.createdAt);
  if (at === null || parseInstant(at) === null) return undefined;
  const id = `at://${owner}/${path}`;
  const kind = collection.slice("app.bsky.feed.".length);
  const subject = isObject(value.subject) ? toText(value.subject.uri) : null;
  if (kind !== "post") return { id, author, text: null, at, kind, url: subject };
  const parent = isObject(value.reply) && isObject(value.reply.parent) ? toText(value.reply.parent.uri) : null;
  const embed = toObject(value.embed);
  // In a quote post, images, a video or a link are nested one level deeper.
  const shown = isObject(embed.media) ? embed.media : embed;
  const external = toObject(shown.external);
  return {
    id,
    author,
    text: toText(value.text),
    at,
    kind: parent === null ? "post" : "reply",
    title: toText(external.title),
    url: `https://bsky.app/profile/${owner}/post/${key}`,
    replyTo: parent,
    media: listMedia(shown, files),
    extra: dropNulls({
      languages: Array.isArray(value.langs) ? cleanValue(value.langs) : null,
      link: toText(external.uri),
      links: listLinks(value),
      quotes: findQuote(embed),
    }),
  };
}

function listMedia(shown: Record<string, unknown>, files: ReadonlyMap<string, Entry>): NonNullable<Post["media"]> {
  const pictures = toObjects(shown.images).map(({ image, alt }) => ({ blob: image, alt, name: "picture" }));
  const films = isObject(shown.video) ? [{ blob: shown.video, alt: shown.alt, name: "film" }] : [];
  return [...pictures, ...films].map(({ blob, alt, name: unnamed }) => {
    const { ref, mimeType } = toObject(blob);
    const name = ref instanceof Cid ? ref.name : unnamed;
    return { name, description: toText(alt), mimeType: toText(mimeType), entry: files.get(name) };
  });
}

/** The quoted post; nested one level deeper if there are images too. */
function findQuote({ record }: Record<string, unknown>): string | null {
  if (!isObject(record)) return null;
  return toText(record.uri) ?? (isObject(record.record) ? toText(record.record.uri) : null);
}

/** Full URLs; the text only has shortened ones. */
function listLinks(value: Record<string, unknown>): string[] | null {
  const links = toObjects(value.facets)
    .flatMap(({ features }) => toObjects(features))
    .flatMap(({ uri }) => toText(uri) ?? []);
  return links.length === 0 ? null : [...new Set(links)];
}
