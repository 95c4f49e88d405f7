import type { Answers, Claim, Importer, Item, Mark, RecordItem, RecordPreview } from "../../core/importer.ts";
import { createClaim, createFileRecord, mark, reject, yieldBytes } from "../../core/items.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { keepAsIs } from "../../core/retry.ts";
import { describeError } from "../../core/text/describe-error.ts";
import {
  type BoundedWorker,
  createBoundedWorker,
  TaskAborted,
  type WorkerOptions,
} from "../../core/workers/bounded-worker.ts";
import { mapInOrder } from "../../core/workers/map-in-order.ts";
import { createDocumentReader, type DocumentReader, defaultDocumentReader } from "../../documents/document-reader.ts";
import { deriveMailId, findMailTime, parseHeaders } from "./headers.ts";
import { mailManifest } from "./manifest.ts";
import type { MailBatch, MailTask } from "./parse-mail.ts";
import { type MailFile, type ParsedMail, parsedMails } from "./parsed-mail.ts";
import { beginsMail, splitMails } from "./split.ts";

/** Mail files: mbox (with Gmail labels from Takeout), single mails, Maildir. */
export const createMailImporter = (readers: Partial<MailReaders> = {}): Importer => ({
  key: "mail-files",
  title: "Mail",
  version: "6",
  testedWith: "real files",
  manifest: mailManifest,
  mainStream: "messages",
  toStandaloneFile: keepAsIs,
  mergeRules: {
    messages: {
      union: ["labels"],
      fill: ["html"],
      distinct: ["from_address", "subject"],
      owns: { stream: "attachments", field: "message_id" },
    },
    attachments: { fill: ["blob_ref", "content_id"] },
  },
  sniff: (path, { text }) => isMail(text, path),
  createClaims: async (found) => [createClaim("mail-files", "Mail", found)],
  read: (claim, answers, from) => read(claim, answers, from, { ...defaultReaders, ...readers }),
  previewRecords,
  readsFilesAlone: true,
  canContinueAt: beginsMail,
});

export const mail: Importer = createMailImporter();

/** The parsers and their limits. */
export interface MailReaders {
  readonly mails: WorkerOptions;
  readonly documents: WorkerOptions;
}

const defaultReaders: MailReaders = {
  mails: {
    module: new URL("./mail-worker.ts", import.meta.url),
    // Room for three copies of the longest mail: raw, split, and decoded.
    bounds: { maxTaskMs: 30_000, maxHeapMb: 512, maxMemoryMb: 900, maxYoungMb: 6 },
  },
  documents: defaultDocumentReader,
};

const mailHeaderName =
  /^(from|to|cc|date|message-id|received|subject|return-path|delivered-to|mime-version|content-type|x-gm-thrid)[ \t]*:/i;
const requiredHeaders = ["from", "date", "message-id", "received"];

/** `cur/1700000000.M1P2.host:2,S`, as every program names the mails of a Maildir. */
const maildirPath = /(?:^|\/)(?:cur|new)\/(?:\d+[._][^/]*|[^/.]+|[^/]*:2,[A-Za-z]*)$/;

/**
 * A mail begins with at least two mail headers, optionally after an envelope; a file name ending in .eml, or a place in a Maildir, counts as
 * one. If the envelope or the name identifies it, a broken header line is tolerated, so that it does not cost a mailbox.
 */
function isMail(text: string, path: string): boolean {
  const isNamed = /\.eml$/i.test(path) || maildirPath.test(path);
  const lines = text.replace(/^\s+/, "").split(/\r?\n/);
  const hasEnvelope = lines[0]?.startsWith("From ") === true;
  const headers = hasEnvelope ? lines.slice(1) : lines;
  const names = new Set<string>();
  let hasEnded = false;
  for (const line of headers) {
    if (line === "") {
      hasEnded = true;
      break;
    }
    if (/^[ \t]/.test(line) || line.startsWith(">From ")) continue;
    if (!/^[!-9;-~]+:/.test(line)) {
      if (!hasEnvelope && !isNamed) return false;
      continue;
    }
    const name = mailHeaderName.exec(line)?.[1]?.toLowerCase();
    if (name !== undefined) names.add(name);
  }
  // The known headers may follow more of others than are shown here.
  if (isNamed && !hasEnded && headers.length > 100) return true;
  return isNamed ? names.size >= 1 : names.size >= 2 && requiredHeaders.some((name) => names.has(name));
}

/** Uses the headers only. */
async function* previewRecords(claim: Claim, _: Answers, from?: Mark): AsyncGenerator<RecordPreview> {
  for (const { entry, start } of listRemainingEntries(claim, from)) {
    for await (const { bytes, envelope } of splitMails(entry, start)) {
      const headers = parseHeaders(bytes);
      yield {
        stream: "messages",
        key: deriveMailId(headers, bytes),
        at: findMailTime(headers, envelope).at ?? undefined,
      };
    }
  }
}

/** A mail and its place in the file. */
interface PlacedMail extends MailTask {
  readonly path: string;
  readonly offset: number;
  readonly mark: Mark;
  readonly isCut: boolean;
}

/** Mails are sent to the process in batches; one at a time, it would mostly wait. */
const batchBytes = 64 * 1024;
const batchMails = 128;
/** Bytes read ahead of the consumer. */
const aheadBytes = 10 * batchBytes;

async function* readBatches(claim: Claim, from: Mark | undefined): AsyncGenerator<PlacedMail[]> {
  let batch: PlacedMail[] = [];
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    for await (const { bytes, envelope, offset, end, isCut } of splitMails(entry, start)) {
      const own = new Uint8Array(bytes);
      batch.push({ bytes: own, envelope, path: entry.path, offset, mark: mark(index, end), isCut });
      if (batch.length < batchMails && measureBytes(batch) < batchBytes) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const measureBytes = (mails: readonly MailTask[]): number => mails.reduce((sum, { bytes }) => sum + bytes.length, 0);

async function* read(
  claim: Claim,
  { attachments: keepsBytes }: Answers,
  from: Mark | undefined,
  readers: MailReaders,
): AsyncGenerator<Item> {
  const worker = createBoundedWorker<MailBatch, ParsedMail[]>(readers.mails, parsedMails);
  const documents = createDocumentReader(readers.documents);
  const createItems = async (placed: readonly PlacedMail[]): Promise<Item[]> => {
    const mails = placed.filter(({ isCut }) => !isCut);
    const parsed = await parseBatch(worker, {
      mails: mails.map(({ bytes, envelope }) => ({ bytes, envelope })),
      keepsBytes,
    });
    const items: Item[] = [];
    for (const each of placed) {
      const found = each.isCut ? tooLong : parsed[mails.indexOf(each)];
      items.push(...(await createMailItems(each, found ?? tooLong, documents, keepsBytes)), each.mark);
    }
    return items;
  };
  try {
    for await (const items of mapInOrder(readBatches(claim, from), measureBytes, aheadBytes, createItems)) yield* items;
  } finally {
    await Promise.all([worker.close(), documents.close()]);
  }
}

const tooLong: ParsedMail = { code: "too_long", reason: "longer than 128 MiB" };

/** If a batch fails, its mails are parsed one by one and only the bad one is rejected. */
async function parseBatch(
  worker: BoundedWorker<MailBatch, ParsedMail[]>,
  { mails, keepsBytes }: MailBatch,
): Promise<ParsedMail[]> {
  if (mails.length === 0) return [];
  try {
    return await worker.run({ mails, keepsBytes });
  } catch (error) {
    if (mails.length === 1)
      return [
        {
          code: error instanceof TaskAborted ? error.code : "malformed",
          reason: `cannot be parsed: ${describeError(error)}`,
        },
      ];
    const alone: ParsedMail[] = [];
    for (const each of mails) alone.push(...(await parseBatch(worker, { mails: [each], keepsBytes })));
    return alone;
  }
}

async function createMailItems(
  { path, offset, bytes }: PlacedMail,
  found: ParsedMail,
  documents: DocumentReader,
  keepsBytes: boolean,
): Promise<Item[]> {
  if ("code" in found) return [reject(path, offset, found.code, found.reason, bytes)];
  const { html, message } = found;
  const blob = { field: "html", mimeType: "text/html", bytes: () => yieldBytes(html) };
  const items: Item[] = [createFileRecord("messages", html.length > 0 ? blob : undefined, message)];
  for (const file of found.files) items.push(await createAttachment(file, documents, keepsBytes));
  return items;
}

async function createAttachment(file: MailFile, documents: DocumentReader, keepsBytes: boolean): Promise<RecordItem> {
  const { bytes, mimeType, document } = file;
  const read = document === undefined ? undefined : await documents.extractText(document, bytes);
  const data =
    read === undefined
      ? file.data
      : { ...file.data, text: read.text, text_from: read.from, text_truncated: read.isTruncated, note: read.note };
  const blob = { field: "blob_ref", mimeType, bytes: () => yieldBytes(bytes) };
  return createFileRecord("attachments", keepsBytes && bytes.length > 0 ? blob : undefined, data);
}
