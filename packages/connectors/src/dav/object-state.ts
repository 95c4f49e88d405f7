import { randomUUID } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/**
 * The records sent for each object of the server, kept in files between runs. A cursor names the file that belongs to it, so a run whose
 * cursor was not saved changes nothing. Keys are in a journal before their records are sent, so that records of such a run can be deleted.
 */

/** Records by their id, with their parts. */
export type ObjectKeys = ReadonlyMap<string, readonly string[]>;

const keys = z.array(z.tuple([z.string(), z.array(z.string())])).transform((entries): ObjectKeys => new Map(entries));

const knownObject = z.object({
  href: z.string(),
  etag: z.string().optional(),
  keys,
  /** It becomes more records as time passes. */
  isOpen: z.literal(true).optional(),
  /** Must be read again even if its etag is unchanged. */
  isStale: z.literal(true).optional(),
});
export type KnownObject = Readonly<z.infer<typeof knownObject>>;

const stateFile = z.object({
  /** Files whose keys are all accounted for here. */
  absorbed: z.array(z.string()),
  /** Keys that an object has lost, and that are still to be looked at. */
  orphans: keys,
  collections: z.record(z.string(), z.record(z.string(), knownObject)),
});
type StateFile = z.infer<typeof stateFile>;

export type KnownCollections = Map<string, Map<string, KnownObject>>;

/** Node's permission model forbids fsync, but not files whose every write reaches the disk. */
const writeThrough = constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY | constants.O_SYNC;

const nameFile = (generation: string): string => `objects-${generation}.json`;

export class ObjectState {
  readonly #folder: string | undefined;
  /** Keys in earlier files and journals that may be missing from the base. */
  readonly #others: readonly string[];
  readonly #base: string | undefined;
  readonly #journal = `journal-${randomUUID()}.ndjson`;
  readonly collections: KnownCollections;
  /** Keys of records or old versions that the vault may have besides those of known objects. */
  readonly suspects: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(
    folder: string | undefined,
    base: string | undefined,
    others: readonly string[],
    known: Pick<ObjectState, "collections" | "suspects">,
  ) {
    this.#folder = folder;
    this.#base = base;
    this.#others = others;
    this.collections = known.collections;
    this.suspects = known.suspects;
  }

  /** Whether the objects of the last run are known. */
  get hasBase(): boolean {
    return this.#base !== undefined;
  }

  static async open(folder: string | undefined, generation: string | undefined): Promise<ObjectState> {
    if (folder === undefined) return new ObjectState(undefined, undefined, [], emptyState());
    await mkdir(folder, { recursive: true });
    const name = generation === undefined ? undefined : nameFile(generation);
    const base = name === undefined ? undefined : await readState(join(folder, name));
    const absorbed = new Set(base?.absorbed);
    const others: string[] = [];
    for (const file of (await readdir(folder)).sort()) {
      if (base !== undefined && file === name) continue;
      // The journal has the records of runs whose cursor was not saved.
      const isUnsaved = base !== undefined && file.startsWith("objects-");
      if (isUnsaved || absorbed.has(file) || file.endsWith(".tmp")) await rm(join(folder, file), { force: true });
      else if (/^(objects|journal)-/.test(file)) others.push(file);
    }
    const suspects = new Map<string, Set<string>>();
    if (base !== undefined) addKeys(suspects, base.orphans);
    for (const file of others) for (const named of await readKeys(join(folder, file))) addKeys(suspects, named);
    const collections: KnownCollections = new Map(
      Object.entries(base?.collections ?? {}).map(([url, objects]) => [url, new Map(Object.entries(objects))]),
    );
    return new ObjectState(folder, base && name, others, { collections, suspects });
  }

  /** Notes keys before their records are sent. */
  async note(sent: ObjectKeys): Promise<void> {
    if (this.#folder === undefined) return;
    await appendFile(join(this.#folder, this.#journal), `${JSON.stringify([...sent])}\n`, { flag: "as" });
  }

  /** Returns the generation for the cursor; undefined if there is no folder. */
  async save(orphans: ObjectKeys): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    const generation = randomUUID();
    const earlier = this.#base === undefined ? this.#others : [this.#base, ...this.#others];
    const state: z.input<typeof stateFile> = {
      absorbed: [...earlier, this.#journal],
      orphans: formatKeys(orphans),
      collections: Object.fromEntries([...this.collections].map(([url, objects]) => [url, formatObjects(objects)])),
    };
    const path = join(this.#folder, nameFile(generation));
    await writeFile(`${path}.tmp`, JSON.stringify(state), { flag: writeThrough });
    await rename(`${path}.tmp`, path);
    return generation;
  }

  /** Whether a run that finds nothing new needs no look into the files. */
  static isCurrent(folder: string | undefined, generation: string | undefined): boolean {
    return folder === undefined || (generation !== undefined && existsSync(join(folder, nameFile(generation))));
  }

  /** Whether an interrupted run has left keys behind. */
  static async hasJournals(folder: string | undefined): Promise<boolean> {
    return folder !== undefined && (await readdir(folder).catch(() => [])).some((file) => file.startsWith("journal-"));
  }
}

const emptyState = (): Pick<ObjectState, "collections" | "suspects"> => ({
  collections: new Map(),
  suspects: new Map(),
});

const formatKeys = (keys: ObjectKeys): [string, string[]][] => [...keys].map(([id, parts]) => [id, [...parts]]);

const formatObjects = (objects: ReadonlyMap<string, KnownObject>) =>
  Object.fromEntries([...objects].map(([key, object]) => [key, { ...object, keys: formatKeys(object.keys) }]));

export function addKeys(all: Map<string, Set<string>>, added: ObjectKeys): void {
  for (const [id, parts] of added) {
    const held = all.get(id);
    if (held === undefined) all.set(id, new Set(parts));
    else for (const part of parts) held.add(part);
  }
}

/** Undefined if it is missing or damaged; then everything is listed again. */
async function readState(path: string): Promise<StateFile | undefined> {
  try {
    return stateFile.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

async function readKeys(path: string): Promise<ObjectKeys[]> {
  if (!path.endsWith(".ndjson")) {
    const state = await readState(path);
    const objects = Object.values(state?.collections ?? {}).flatMap((each) => Object.values(each));
    return [...(state === undefined ? [] : [state.orphans]), ...objects.map((object) => object.keys)];
  }
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.flatMap((line) => {
    try {
      return [keys.parse(JSON.parse(line))];
    } catch {
      // The last line of a run that was killed.
      return [];
    }
  });
}
