import { PdppError } from "@pdpp/contract/errors";
import type { FieldNote } from "@pdpp/contract/manifest";
import type { IngestReport } from "@pdpp/contract/wire";
import { buildStream } from "../store/catalog/build-stream.ts";
import type { CatalogStream } from "../store/catalog/catalog.ts";
import { type Connection, hasConnection } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { ReadTransaction } from "../store/engine/engine.ts";
import { yieldToEventLoop } from "../store/engine/yield-to-event-loop.ts";
import { forgetConnection } from "../store/imports/memory.ts";
import type { IncomingRecord } from "../store/records/classify-writes.ts";
import { writeRecords } from "../store/records/write-records.ts";
import type { Store } from "../store/store.ts";
import { extractSearchableTexts } from "./extract-texts.ts";
import { type Line, readLines } from "./lines.ts";
import { type ParsedRecord, parseRecord, type Rejection } from "./parse-record.ts";

const batchRecords = 1000;
const batchChars = 4 * 1024 * 1024;
const maxRejections = 1000;
const maxNotes = 1000;

export interface IngestTarget {
  readonly ownerNo: number;
  readonly connection: Connection;
  readonly stream: string;
}

export interface IngestOptions {
  readonly now: () => number;
  readonly onStored?: (report: IngestReport) => void;
}

/** Stores a stream of lines. Each batch is one transaction, and stays stored even if a later one fails. */
export async function ingest(
  store: Store,
  target: IngestTarget,
  bytes: AsyncIterable<Uint8Array>,
  options: IngestOptions,
): Promise<IngestReport> {
  const report: IngestReport = {
    stream: target.stream,
    connection_id: target.connection.id,
    records_attempted: 0,
    records_accepted: 0,
    records_unchanged: 0,
    records_rejected: 0,
    rejections: [],
    rejections_truncated: false,
    notes: [],
    notes_truncated: false,
  };
  let stream = await loadStream(store, target);
  let batch: IncomingRecord[] = [];
  let keys = new Set<string>();
  let chars = 0;
  let storing: Promise<void> | undefined;
  const keep = async (records: readonly IncomingRecord[], isFirst: boolean) => {
    if (!isFirst) await store.engine.yieldToWriters();
    stream = await storeBatch(store, target, records, report, options.now());
    options.onStored?.(report);
  };
  const storeNow = async () => {
    await storing;
    if (batch.length === 0) return;
    storing = keep(batch, storing === undefined);
    // The next `await storing` reports the error.
    storing.catch(() => undefined);
    batch = [];
    keys = new Set();
    chars = 0;
  };
  try {
    for await (const lines of readLines(bytes)) {
      for (const line of lines) {
        await yieldToEventLoop();
        if ("text" in line && line.text.trim() === "") continue;
        report.records_attempted += 1;
        const parsed = parseLine(stream, line, options.now(), target.connection.id);
        if ("reason" in parsed) {
          addRejection(report, line.number, parsed);
          continue;
        }
        for (const found of parsed.notes ?? []) addNote(report, line.number, found);
        if (keys.has(parsed.key)) await storeNow();
        batch.push(parsed);
        keys.add(parsed.key);
        chars += parsed.text.length;
        if (batch.length >= batchRecords || chars >= batchChars) await storeNow();
      }
    }
    await storeNow();
  } finally {
    // When the input breaks off, finish the batch in progress.
    await storing?.catch(() => undefined);
  }
  await storing;
  return report;
}

function parseLine(stream: CatalogStream, line: Line, now: number, connectionId: string): ParsedRecord | Rejection {
  if ("text" in line) return parseRecord(stream, line.text, now, connectionId);
  const reason = line.fault === "invalid_utf8" ? "the line is not UTF-8" : "the line is longer than 64 MiB";
  return { code: line.fault, reason };
}

function addRejection(report: IngestReport, line: number, { code, reason }: Rejection): void {
  report.records_rejected += 1;
  if (report.rejections.length < maxRejections) {
    report.rejections.push({ input_index: report.records_attempted - 1, line, code, reason });
  } else {
    report.rejections_truncated = true;
  }
}

function addNote(report: IngestReport, line: number, { field, reason }: FieldNote): void {
  if (report.notes.length < maxNotes) {
    report.notes.push({ input_index: report.records_attempted - 1, line, field, reason });
  } else {
    report.notes_truncated = true;
  }
}

async function loadStream(store: Store, target: IngestTarget): Promise<CatalogStream> {
  return findStream(await store.catalog(), target);
}

function findStream(
  catalog: Awaited<ReturnType<Store["catalog"]>>,
  { connection, stream }: IngestTarget,
): CatalogStream {
  const connector = catalog.connectors.get(connection.connectorKey);
  const found = connector?.streams.get(stream);
  if (found === undefined) {
    const known = [...(connector?.streams.keys() ?? [])].join(", ");
    throw new PdppError(
      "not_found",
      `connector ${connection.connectorKey} has no stream ${JSON.stringify(stream)}; it has: ${known}`,
      { param: "stream" },
    );
  }
  return found;
}

async function ensureConnectionExists(on: ReadTransaction, { ownerNo, connection }: IngestTarget): Promise<void> {
  if (await hasConnection(on, ownerNo, connection.no)) return;
  throw new PdppError("connection_not_found", `connection ${connection.id} was removed during the ingest`);
}

/** Loads the catalog again within the transaction: another process may have registered a newer manifest. */
async function storeBatch(
  store: Store,
  target: IngestTarget,
  batch: readonly IncomingRecord[],
  report: IngestReport,
  now: number,
): Promise<CatalogStream> {
  const known = findStream(await store.catalog(), target);
  const texts = batch.flatMap(({ op, data }) => (op === "upsert" ? [data] : []));
  await extractSearchableTexts(store, target.ownerNo, known, texts);
  const { stream, outcomes } = await store.engine.write(async (on) => {
    await lockOwner(on, target.ownerNo);
    await ensureConnectionExists(on, target);
    const found = findStream(await store.catalog(on), target);
    const stream = found.isBuilt ? found : await buildStream(on, found);
    const place = { ownerNo: target.ownerNo, connectionNo: target.connection.no, stream };
    await forgetConnection(on, target.ownerNo, target.connection.no);
    return { stream, outcomes: await writeRecords(on, place, batch, now) };
  });
  report.records_accepted += outcomes.length;
  report.records_unchanged += outcomes.filter((outcome) => outcome === "unchanged").length;
  return stream;
}
