import { type Entry, type Tree, TreeError } from "./tree.ts";

/**
 * Files that turn out to be damaged while they are read: the checksum of an archive, a disk that fails, a file that is gone. Whoever reads one
 * in pieces gets what there is, as of a file that was cut off, and it is noted; one bad file must not cost the others.
 */
export interface Damage {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
  /** How far it could be read. */
  readonly offset: number;
}

const damageByEntry = new WeakMap<Entry, Damage>();
const originals = new WeakMap<Entry, Entry>();
const damageByStream = new WeakMap<AsyncIterable<Uint8Array>, Damage>();

/** What was wrong with it, as far as it was read. */
export const getDamage = (entry: Entry): Damage | undefined => damageByEntry.get(entry);

/** Why these bytes, which were read to their end, are not all that there should be. */
export const getStreamDamage = (bytes: AsyncIterable<Uint8Array>): Damage | undefined => damageByStream.get(bytes);

/** The entry that fails where it is damaged, for whoever can do nothing with a part of it. */
export const getStrictEntry = (entry: Entry): Entry => originals.get(entry) ?? entry;

/** The same tree, whose files end where they cannot be read on. */
export const tolerateDamage = (tree: Tree): Tree => ({ ...tree, entries: tree.entries.map(tolerateEntryDamage) });

function tolerateEntryDamage(entry: Entry): Entry {
  const borne: Entry = {
    ...entry,
    bytes(from = 0) {
      const bytes = readUntilDamaged(entry, from, (damage) => {
        damageByEntry.set(borne, damage);
        damageByStream.set(bytes, damage);
      });
      return bytes;
    },
  };
  originals.set(borne, entry);
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

/** All bytes of an entry that must not be larger than that. A damaged one fails: a part of it would be taken for the whole. */
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
