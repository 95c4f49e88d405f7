import { noteDigest } from "./digests.ts";
import { type Entry, type Tree, TreeError } from "./tree.ts";

/**
 * Handles files that turn out to be damaged while they are read: a wrong archive checksum, a failing disk, a file that is gone. Streaming
 * readers get what is readable, as if the file were truncated, and the damage is recorded; one bad file must not affect the others.
 */
export interface Damage {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
  /** Readable up to here. */
  readonly offset: number;
}

const damageByEntry = new WeakMap<Entry, Damage>();
const originals = new WeakMap<Entry, Entry>();
const damageByStream = new WeakMap<AsyncIterable<Uint8Array>, Damage>();

export const getDamage = (entry: Entry): Damage | undefined => damageByEntry.get(entry);

/** Why a stream ended early. */
export const getStreamDamage = (bytes: AsyncIterable<Uint8Array>): Damage | undefined => damageByStream.get(bytes);

/** The entry that throws on damage, for readers that cannot use a partial file. */
export const getStrictEntry = (entry: Entry): Entry => originals.get(entry) ?? entry;

/** The same tree, with files that end where they become unreadable. */
export const tolerateDamage = (tree: Tree): Tree => ({ ...tree, entries: tree.entries.map(tolerateEntryDamage) });

function tolerateEntryDamage(entry: Entry): Entry {
  const borne: Entry = {
    ...entry,
    bytes(from = 0) {
      const bytes = readUntilDamaged(strict, from, (damage) => {
        damageByEntry.set(borne, damage);
        damageByStream.set(bytes, damage);
      });
      return bytes;
    },
  };
  const strict: Entry = { ...entry, bytes: (from = 0) => noteDigest(borne, from, entry.bytes(from)) };
  originals.set(borne, strict);
  return borne;
}

async function* readUntilDamaged(
  entry: Entry,
  from: number,
  note: (damage: Damage) => void,
): AsyncGenerator<Uint8Array, void> {
  let offset = from;
  try {
    for await (const chunk of entry.bytes(from)) {
      offset += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    note({ path: entry.path, code: error.code, reason: error.message, offset });
  }
}

/** Reads a whole entry. Throws if it is damaged: a part would be mistaken for the whole. */
export async function readWhole(entry: Entry, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let got = 0;
  for await (const chunk of getStrictEntry(entry).bytes()) {
    got += chunk.length;
    if (got > most) throw new TreeError("too_large", `${entry.path} is larger than ${most} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
