import { hash, randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FolderCursors } from "./cursor.ts";
import { type Marks, shareMarks } from "./flags.ts";
import type { Mail, Mails } from "./mails.ts";

interface FolderIdentity {
  readonly path: string;
  readonly validity: string;
  readonly generation?: string | undefined;
}

const createGeneration = (): string => randomBytes(8).toString("hex");

const nameFolder = (path: string): string => hash("sha256", path, "hex").slice(0, 24);

const nameFile = (path: string, generation: string): string => `${nameFolder(path)}-${generation}.facts`;

interface Fact {
  readonly uid: number;
  readonly mail: Mail | undefined;
  readonly marks: Marks;
}

const formatFact = ({ uid, mail, marks }: Fact): string =>
  mail === undefined
    ? `+${uid} 0 0 0  `
    : `+${uid} ${mail.files} ${mail.identity.toString(16)} ${mail.labels.toString(16)} ${marks} ${mail.id}`;

function parseFact(line: string, mails: Mails): Fact | undefined {
  const [, uid, files, identity = "0", labels = "0", marks = "", id = ""] =
    /^\+(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) (\S*) (.*)$/.exec(line) ?? [];
  if (uid === undefined) return undefined;
  if (id === "") return { uid: Number(uid), mail: undefined, marks: "" };
  const mail = mails.add(id, Number.parseInt(identity, 16), Number(files));
  mail.labels = Number.parseInt(labels, 16);
  return { uid: Number(uid), mail, marks: shareMarks(marks) };
}

/** Mails that are or were in a folder, with the marks that they had there. */
export type MarkedMails = ReadonlyMap<Mail, Marks>;

/**
 * The mails that earlier runs saw in each folder, by its path. A full refresh has no cursor that says which files are valid, so it takes all;
 * those of unknown folders count for the first.
 */
export function readFormerMails(
  mails: Mails,
  stateFolder: string | undefined,
  paths: readonly string[],
): Map<string, MarkedMails> {
  const found = new Map(paths.map((path) => [path, new Map<Mail, Marks>()]));
  if (stateFolder === undefined) return found;
  for (const file of readdirSync(stateFolder).filter((name) => name.endsWith(".facts"))) {
    const path = paths.find((each) => file.startsWith(nameFolder(each))) ?? paths[0];
    for (const line of readFileSync(join(stateFolder, file), "utf8").split("\n")) {
      const fact = parseFact(line, mails);
      if (fact?.mail !== undefined && path !== undefined) found.get(path)?.set(fact.mail, fact.marks);
    }
  }
  return found;
}

/** Deletes files that the cursor does not need: those of failed runs, and of folders that are gone. */
export function deleteUnusedFiles(stateFolder: string | undefined, cursors: FolderCursors): void {
  if (stateFolder === undefined) return;
  const used = new Set([...cursors].map(([path, { generation }]) => nameFile(path, generation)));
  for (const name of readdirSync(stateFolder))
    if (name.endsWith(".facts") && !used.has(name)) rmSync(join(stateFolder, name), { force: true });
}

/**
 * Which mail each UID of a folder is. Servers report a deleted mail by its UID alone, so this must survive the run.
 *
 * It is kept in a file that only grows, and whose size is part of the saved cursor: the next run ignores what a failed one wrote. So what is
 * known is always as old as the cursor and the vault. Lines are `+uid files identity labels marks id`, `-uid`, and `~`, which ends former mails.
 */
export class FolderMemory {
  readonly path: string;
  readonly validity: string;
  /** Distinguishes the files of a folder: one that starts over must not touch the one that the saved cursor needs. */
  readonly generation: string;
  readonly #mails: Mails;
  readonly #file: string | undefined;
  /** Undefined: a message that is not a mail. */
  readonly #byUid = new Map<number, Mail | undefined>();
  /** Mails that were here under UIDs that are not valid any more, until the folder was compared in full. */
  readonly #former = new Map<Mail, Marks>();
  /** Deletions that are not in the file yet. */
  readonly #gone: number[] = [];
  #lines: string[] = [];
  #size = 0;

  constructor(
    mails: Mails,
    stateFolder: string | undefined,
    { path, validity, generation = createGeneration() }: FolderIdentity,
  ) {
    this.path = path;
    this.validity = validity;
    this.generation = generation;
    this.#mails = mails;
    this.#file = stateFolder === undefined ? undefined : join(stateFolder, nameFile(path, generation));
  }

  /** Without a file, only what this run sees is known. */
  get isDurable(): boolean {
    return this.#file !== undefined;
  }

  get count(): number {
    return this.#byUid.size;
  }

  get size(): number {
    return this.#size;
  }

  /** Restores what the cursor knew; false if that is lost. */
  restore(size: number): boolean {
    if (this.#file === undefined || size === 0) return true;
    if (!existsSync(this.#file)) return false;
    const bytes = readFileSync(this.#file);
    if (bytes.length < size) return false;
    this.#size = size;
    for (const line of bytes.toString("utf8", 0, size).split("\n")) this.#readLine(line);
    return true;
  }

  #readLine(line: string): void {
    if (line === "~") this.#former.clear();
    else if (line.startsWith("-")) this.#remove(Number(line.slice(1)));
    const fact = parseFact(line, this.#mails);
    if (fact === undefined) return;
    if (fact.uid > 0) this.#place(fact);
    else if (fact.mail !== undefined) this.#former.set(fact.mail, fact.marks);
  }

  has(uid: number): boolean {
    return this.#byUid.has(uid);
  }

  uids(): Iterable<number> {
    return this.#byUid.keys();
  }

  /** Empties the memory, and returns all mails that are or were here. */
  takeMails(): MarkedMails {
    const all = new Map(this.#former);
    for (const [uid, mail] of [...this.#byUid]) {
      const marks = this.getMarks(uid);
      this.#remove(uid);
      if (mail !== undefined) all.set(mail, marks);
    }
    return all;
  }

  /** Whether the mail was here under a UID that is not valid any more, with the same marks. */
  wasHere(mail: Mail, marks: Marks): boolean {
    return this.#former.get(mail) === marks;
  }

  get(uid: number): Mail | undefined {
    return this.#byUid.get(uid);
  }

  /** What the mail with this UID is marked with. */
  getMarks(uid: number): Marks {
    const places = this.#byUid.get(uid)?.listPlaces() ?? [];
    return places.find((place) => place.folder === this && place.uid === uid)?.marks ?? "";
  }

  add(uid: number, mail: Mail | undefined, marks: Marks): void {
    const fact = { uid, mail, marks };
    this.#place(fact);
    this.#write(fact);
  }

  addFormer(mail: Mail, marks: Marks): void {
    this.#former.set(mail, marks);
    this.#write({ uid: 0, mail, marks });
  }

  /** The mail is gone from this folder. Saved after the deletion was sent. */
  noteGone(uid: number): Mail | undefined {
    const mail = this.#remove(uid);
    this.#gone.push(uid);
    return mail;
  }

  get hasGone(): boolean {
    return this.#gone.length > 0 || this.#former.size > 0;
  }

  /** Those of the former mails that are not here under a new UID. */
  listLost(): Mail[] {
    return [...this.#former.keys()].filter((mail) => !mail.listPlaces().some(({ folder }) => folder === this));
  }

  /** The vault knows what is gone. */
  confirmGone(): void {
    for (const uid of this.#gone.splice(0)) this.#lines.push(`-${uid}`);
    if (this.#former.size > 0) this.#lines.push("~");
    this.#former.clear();
  }

  #place({ uid, mail, marks }: Fact): void {
    if (this.#byUid.has(uid)) this.#remove(uid);
    this.#byUid.set(uid, mail);
    mail?.addPlace(this, uid, marks);
  }

  #remove(uid: number): Mail | undefined {
    const mail = this.#byUid.get(uid);
    this.#byUid.delete(uid);
    mail?.removePlace(this, uid);
    return mail;
  }

  #write(fact: Fact): void {
    if (this.#file === undefined) return;
    this.#lines.push(formatFact(fact));
  }

  /** Writes what was added, after what the cursor knew. Durable when it returns. */
  save(): void {
    if (this.#file === undefined || this.#lines.length === 0) return;
    const bytes = Buffer.from(`${this.#lines.join("\n")}\n`);
    // Node's permission model forbids fsync.
    const file = openSync(this.#file, constants.O_CREAT | constants.O_WRONLY | constants.O_SYNC, 0o600);
    try {
      writeSync(file, bytes, 0, bytes.length, this.#size);
    } finally {
      closeSync(file);
    }
    this.#lines = [];
    this.#size += bytes.length;
  }
}
