import { createHash, type Hash } from "node:crypto";
import { type Entry, truncateEntry } from "./tree.ts";

/** Digests of the bytes that a reader got, so that a later import recognizes an unchanged file. */

const digests = new WeakMap<Entry, string | undefined>();

/** The beginnings of files that are continued. */
const prefixes = new WeakMap<Entry, { readonly size: number; readonly hash: Hash }>();

/** From now on, an entry that is read from its beginning to its end has a digest; one that is continued needs only its rest. */
export const digestReads = (entries: Iterable<Entry>): void => {
  for (const entry of entries) digests.set(entry, undefined);
};

export const getReadDigest = (entry: Entry): string | undefined => digests.get(entry);

/** Passes the bytes on and notes their digest, if somebody asked for it. */
export async function* noteDigest(
  entry: Entry,
  from: number,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const prefix = prefixes.get(entry);
  const hash = from === 0 ? createHash("sha256") : from === prefix?.size ? prefix.hash.copy() : undefined;
  if (hash === undefined || !digests.has(entry)) {
    yield* bytes;
    return;
  }
  let size = from;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
    yield chunk;
  }
  if (size === entry.size) digests.set(entry, finishDigest(hash));
}

const finishDigest = (hash: Hash): string => hash.digest("base64url").slice(0, 32);

/** The digest of the first `size` bytes of a file. */
export async function computeDigest(entry: Entry, size = entry.size): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of truncateEntry(entry, size).bytes()) hash.update(chunk);
  if (size < entry.size) prefixes.set(entry, { size, hash: hash.copy() });
  return finishDigest(hash);
}
