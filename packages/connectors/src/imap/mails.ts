import type { Marks } from "./flags.ts";
import type { FolderMemory } from "./folder-memory.ts";

/** A mail that the account has or had, with the places where it is. Large accounts have many, so it is small. */
export class Mail {
  readonly id: string;
  /** Distinguishes mails with the same Message-ID; 0 if unknown. */
  readonly identity: number;
  /** The number of its attachments, or more. */
  readonly files: number;
  /** Digest of the labels that the server keeps with the mail; 0 if it has none but folders. */
  labels = 0;
  /** Almost all mails are in one place. */
  #folder: FolderMemory | undefined;
  #uid = 0;
  #marks: Marks = "";
  #others: Place[] | undefined;

  constructor(id: string, identity: number, files: number) {
    this.id = id;
    this.identity = identity;
    this.files = files;
  }

  listPlaces(): Place[] {
    const first = this.#folder === undefined ? [] : [{ folder: this.#folder, uid: this.#uid, marks: this.#marks }];
    return [...first, ...(this.#others ?? [])];
  }

  /** What the mail is marked with, in each place. */
  listMarks(): Marks[] {
    return this.listPlaces().map(({ marks }) => marks);
  }

  addPlace(folder: FolderMemory, uid: number, marks: Marks): void {
    if (this.#folder === undefined) {
      this.#folder = folder;
      this.#uid = uid;
      this.#marks = marks;
    } else {
      this.#others ??= [];
      this.#others.push({ folder, uid, marks });
    }
  }

  removePlace(folder: FolderMemory, uid: number): void {
    const [first, ...others] = this.listPlaces().filter((place) => place.folder !== folder || place.uid !== uid);
    this.#folder = first?.folder;
    this.#uid = first?.uid ?? 0;
    this.#marks = first?.marks ?? "";
    this.#others = others.length === 0 ? undefined : others;
  }
}

interface Place {
  readonly folder: FolderMemory;
  readonly uid: number;
  readonly marks: Marks;
}

/** All mails of an account by their id. */
export class Mails {
  readonly #byId = new Map<string, Mail>();
  readonly #ambiguous = new Set<string>();

  get(id: string): Mail | undefined {
    return this.#byId.get(id);
  }

  /** Whether several mails have this Message-ID. */
  isAmbiguous(id: string): boolean {
    return this.#ambiguous.has(id);
  }

  /** The mail with this id, or a new one. */
  add(id: string, identity: number, files: number): Mail {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const mail = new Mail(id, identity, files);
    const [, shared] = /^(.*)~[0-9a-f]{12}$/.exec(id) ?? [];
    if (shared !== undefined) this.#ambiguous.add(shared);
    this.#byId.set(id, mail);
    return mail;
  }

  /**
   * Some programs give the same Message-ID to different mails. The first keeps it; the others get derived ids, as in imports.
   */
  addParsed(id: string, identity: number, files: number): Mail {
    const known = this.#byId.get(id);
    const isOther = known !== undefined && known.identity !== 0 && known.identity !== identity;
    return isOther
      ? this.add(`${id}~${identity.toString(16).padStart(12, "0")}`, identity, files)
      : this.add(id, identity, files);
  }
}
