import { describeError } from "../../core/text/describe-error.ts";
import {
  type BoundedWorker,
  createBoundedWorker,
  TaskAborted,
  type WorkerOptions,
} from "../../core/workers/bounded-worker.ts";
import { mapInOrder } from "../../core/workers/map-in-order.ts";
import { createDocumentReader, type DocumentReader, defaultDocumentReader } from "../../documents/document-reader.ts";
import type { MailBatch, MailTask } from "./parse-mail.ts";
import { type MailFile, type ParsedMail, parsedMails } from "./parsed-mail.ts";

/** Parses mails and the documents attached to them, in processes with limits that start with the first mail and the first document. */
export interface MailReader {
  /** Yields batches of mails with what they contain, in order; mails are read ahead of the consumer. */
  readAll<Mail extends WholeMail>(mails: AsyncIterable<Mail>, keepsBytes: boolean): AsyncGenerator<ReadMail<Mail>[]>;
  close(): Promise<void>;
}

interface WholeMail extends MailTask {
  /** Longer than the limit, so that it cannot be read. */
  readonly isCut?: boolean;
}

export interface ReadMail<Mail> {
  readonly mail: Mail;
  readonly found: ParsedMail;
}

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

/** Mails are sent to the process in batches; one at a time, it would mostly wait. */
const batchBytes = 64 * 1024;
const batchMails = 128;
/** Bytes read ahead of the consumer. */
const aheadBytes = 10 * batchBytes;

/** Longer mails are rejected: no provider accepts half of it. */
export const maxMailBytes = 128 * 1024 * 1024;

export function createMailReader(readers: Partial<MailReaders> = {}): MailReader {
  const options = { ...defaultReaders, ...readers };
  const worker = createBoundedWorker<MailBatch, ParsedMail[]>(options.mails, parsedMails);
  const documents = createDocumentReader(options.documents);
  return {
    readAll: (mails, keepsBytes) =>
      mapInOrder(splitBatches(mails), measureBytes, aheadBytes, async (batch) => {
        const whole = batch.filter(({ isCut }) => isCut !== true);
        const tasks = whole.map(({ bytes, envelope, flags }) => ({ bytes, envelope, flags }));
        const parsed = await parseBatch(worker, { mails: tasks, keepsBytes });
        const read: ReadMail<(typeof batch)[number]>[] = [];
        for (const mail of batch) {
          const found = mail.isCut ? tooLong : (parsed[whole.indexOf(mail)] ?? tooLong);
          read.push({ mail, found: await readDocuments(found, documents) });
        }
        return read;
      }),
    close: async () => void (await Promise.all([worker.close(), documents.close()])),
  };
}

const tooLong: ParsedMail = { code: "too_long", reason: "longer than 128 MiB" };

async function* splitBatches<Mail extends WholeMail>(mails: AsyncIterable<Mail>): AsyncGenerator<Mail[]> {
  let batch: Mail[] = [];
  for await (const mail of mails) {
    batch.push(mail);
    if (batch.length < batchMails && measureBytes(batch) < batchBytes) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const measureBytes = (mails: readonly MailTask[]): number => mails.reduce((sum, { bytes }) => sum + bytes.length, 0);

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

/** Adds the text of attached documents. */
export async function readDocuments(found: ParsedMail, documents: DocumentReader): Promise<ParsedMail> {
  if ("code" in found || found.files.every(({ document }) => document === undefined)) return found;
  const files: MailFile[] = [];
  for (const file of found.files) files.push(await readDocument(file, documents));
  return { ...found, files };
}

async function readDocument(file: MailFile, documents: DocumentReader): Promise<MailFile> {
  if (file.document === undefined) return file;
  const { text, from, isTruncated, note } = await documents.extractText(file.document, file.bytes);
  return { ...file, data: { ...file.data, text, text_from: from, text_truncated: isTruncated, note } };
}
