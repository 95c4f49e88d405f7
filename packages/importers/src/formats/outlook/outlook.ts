import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName } from "../../core/text/paths.ts";
import {
  type BoundedWorker,
  createBoundedWorker,
  TaskAborted,
  type WorkerOptions,
} from "../../core/workers/bounded-worker.ts";
import { createDocumentReader, type DocumentReader, defaultDocumentReader } from "../../documents/document-reader.ts";
import { createTemporaryFolder } from "../../tree/temporary.ts";
import type { Entry } from "../../tree/tree.ts";
import { createMailItems, mailMergeRules } from "../mail/mail.ts";
import { readDocuments } from "../mail/mail-reader.ts";
import { mailManifest } from "../mail/manifest.ts";
import { type PstAnswer, type PstFolder, type PstItem, type PstTask, pstAnswer } from "./pst-messages.ts";

/** Outlook's data files. Their mails have the ids of mail files and go into the same connection. */
export const outlook: Importer = {
  key: "outlook",
  title: "Outlook data files (PST, OST)",
  version: "2",
  testedWith: "real files",
  manifest: mailManifest,
  mainStream: "messages",
  mergeRules: mailMergeRules,
  sniff: (_path, { bytes }) => Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "!BDN",
  createClaims: async (found) =>
    found.map((entry) => createClaim("outlook", `Outlook: ${getFileName(entry.path)}`, [entry])),
  read,
};

const workerOptions: WorkerOptions = {
  module: new URL("./pst-worker.ts", import.meta.url),
  bounds: { maxTaskMs: 60_000, maxHeapMb: 512, maxMemoryMb: 900, maxYoungMb: 16 },
};

type PstWorker = BoundedWorker<PstTask, PstAnswer>;

const advice = "Try readpst of the package pst-utils: readpst -r -o FOLDER FILE, and import FOLDER";

async function* read(claim: Claim, { attachments: keepsBytes }: Answers, from?: Mark): AsyncGenerator<Item> {
  const documents = createDocumentReader(defaultDocumentReader);
  const worker: PstWorker = createBoundedWorker(workerOptions, pstAnswer);
  try {
    for (const { index, entry, start } of listRemainingEntries(claim, from)) {
      yield* readFromFile(entry, (file) => readFile({ entry, index, file, worker, documents, keepsBytes }, start));
      yield mark(index + 1, 0);
    }
  } finally {
    await Promise.all([worker.close(), documents.close()]);
  }
}

/** The library reads files only, so an entry of an archive is copied. */
async function* readFromFile(entry: Entry, read: (file: string) => AsyncGenerator<Item>): AsyncGenerator<Item> {
  if (entry.file !== undefined) return yield* read(entry.file);
  const folder = await createTemporaryFolder();
  try {
    const file = join(folder, "outlook.pst");
    await pipeline(entry.bytes(), createWriteStream(file, { mode: 0o600 }));
    yield* read(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface PstReading {
  readonly entry: Entry;
  readonly index: number;
  readonly file: string;
  readonly worker: PstWorker;
  readonly documents: DocumentReader;
  readonly keepsBytes: boolean;
}

/** Items are numbered over all folders; `start` is the first one that is still to be read. */
async function* readFile(reading: PstReading, start: number): AsyncGenerator<Item> {
  const { entry, file, worker } = reading;
  let opened: PstAnswer;
  try {
    opened = await worker.run({ kind: "open", file });
  } catch (error) {
    const code = error instanceof TaskAborted ? error.code : "malformed";
    yield reject(entry.path, 0, code, `cannot be opened: ${describeError(error)}. ${advice}`);
    return;
  }
  if (opened.kind !== "opened") return;
  for (const problem of opened.problems)
    if (start === 0) yield reject(entry.path, 0, "lost_folders", `${problem}. ${advice}`);
  let first = 0;
  for (const [number, folder] of opened.folders.entries()) {
    if (first + folder.items > start)
      yield* readFolder(reading, { number, folder, first, from: Math.max(0, start - first) });
    first += folder.items;
  }
}

const batchItems = 50;

interface FolderPlace {
  readonly number: number;
  readonly folder: PstFolder;
  /** Number of its first item. */
  readonly first: number;
  readonly from: number;
}

async function* readFolder(reading: PstReading, { number, folder, first, from }: FolderPlace): AsyncGenerator<Item> {
  const { entry, index, file, worker, documents, keepsBytes } = reading;
  const place = (at: number) => ({ path: entry.path, offset: first + at, bytes: new Uint8Array() });
  const wanted = folder.items - from;
  let found = 0;
  let count = batchItems;
  for (let at = from, isEnd = false; at < folder.items && !isEnd; ) {
    let answer: PstAnswer;
    try {
      answer = await worker.run({ kind: "read", file, folder: number, from: at, count, keepsBytes });
    } catch (error) {
      // If a batch fails, its items are read one by one and only the bad one is lost.
      if (count > 1) {
        count = 1;
        continue;
      }
      const code = error instanceof TaskAborted ? error.code : "malformed";
      yield reject(entry.path, first + at, code, `cannot be read: ${describeError(error)}`);
      found += 1;
      at += 1;
      yield mark(index, first + at);
      continue;
    }
    if (answer.kind !== "read") return;
    for (const [n, item] of answer.items.entries()) {
      found += 1;
      yield* createItems(place(at + n), item, documents, keepsBytes);
    }
    ({ next: at, isEnd } = answer);
    count = batchItems;
    yield mark(index, first + at);
  }
  if (found < wanted) {
    const said = `${folder.path || "the first folder"} has ${wanted} items, but only ${found} could be found`;
    yield reject(entry.path, first + folder.items, "lost_items", `${said}. ${advice}`);
  }
}

async function* createItems(
  place: Parameters<typeof createMailItems>[0],
  item: PstItem,
  documents: DocumentReader,
  keepsBytes: boolean,
): AsyncGenerator<Item> {
  if (item.kind === "mail") yield* createMailItems(place, await readDocuments(item.mail, documents), keepsBytes);
  else if (item.kind === "other") yield { kind: "skipped", path: place.path, reason: item.reason };
  else yield reject(place.path, place.offset, "malformed", `cannot be read: ${item.reason}. ${advice}`);
}
