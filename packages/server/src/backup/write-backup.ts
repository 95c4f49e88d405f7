import { createHash } from "node:crypto";
import { formatInstant } from "@pdpp/contract/instant";
import type { BlobBytes } from "../store/blobs/blobs.ts";
import type { ReadTransaction } from "../store/engine/engine.ts";
import { join, limitRows, raw, type Sql, type SqlValue, sql } from "../store/engine/sql.ts";
import type { TableShape } from "../store/engine/table-shape.ts";
import { getTables } from "../store/engine/tables.ts";
import { version } from "../version.ts";
import {
  type BlobLine,
  backupEndName,
  batchBytes,
  formatVersion,
  type Header,
  pieceBytes,
  type TableLine,
} from "./format.ts";

export interface BackupCounts {
  tables: number;
  rows: number;
  blobs: number;
  bytes: number;
  blobsMissing: number;
}

export const createCounts = (): BackupCounts => ({ tables: 0, rows: 0, blobs: 0, bytes: 0, blobsMissing: 0 });

/**
 * Chunks are backed up as blobs instead, on every engine; thumbnails are made again. Credentials of sources stay where they are: a
 * backup goes to more places than the vault, and its age says nothing about whether they still work.
 */
const omittedTables: ReadonlySet<string> = new Set(["blob_chunk", "blob_thumbnail", "source_key", "source_secret"]);

interface Snapshot {
  readonly on: ReadTransaction;
  readonly blobs: BlobBytes;
  readonly now: number;
}

export async function* generateBackupLines(from: Snapshot, counts: BackupCounts): AsyncGenerator<string> {
  const digest = createHash("sha256");
  let lines = 0;
  const addToDigest = (text: string, added: number): string => {
    lines += added;
    digest.update(text);
    return text;
  };
  const encodeLine = (value: object): string => addToDigest(`${JSON.stringify(value)}\n`, 1);
  const encodeEnd = (what: string): string => encodeLine({ end: what, lines, sha256: digest.copy().digest("hex") });

  yield encodeLine(await loadHeader(from));
  for (const table of await getTables(from.on.dialect).list(from.on)) {
    if (omittedTables.has(table.name)) continue;
    yield encodeLine(await describeTable(from, table));
    for await (const rows of readRowBatches(from.on, table)) {
      counts.rows += rows.length;
      yield addToDigest(rows.map((row) => `${encodeRow(table, row)}\n`).join(""), rows.length);
    }
    counts.tables += 1;
    yield encodeEnd(table.name);
  }
  for await (const blob of listBlobs(from.on)) {
    const bytes = readPieces(from.blobs, blob);
    const first = await bytes.next().catch(() => undefined);
    yield encodeLine({ ...blob, ...(first === undefined ? { missing: true } : {}) });
    if (first === undefined) counts.blobsMissing += 1;
    else {
      for (let piece = first; piece.done !== true; piece = await bytes.next()) {
        counts.bytes += piece.value.byteLength;
        yield encodeLine([piece.value.toString("base64")]);
      }
      counts.blobs += 1;
    }
    yield encodeEnd(blob.blob);
  }
  yield encodeEnd(backupEndName);
}

async function loadHeader({ on, now }: Snapshot): Promise<Header> {
  const row = await on.one<{ value: string }>(sql`SELECT value FROM meta WHERE name = 'schema_version'`);
  return {
    pdpp_backup: formatVersion,
    schema_version: Number(row?.value),
    made_at: formatInstant(now),
    made_by: `pdpp ${version}`,
    engine: on.dialect.name,
  };
}

async function describeTable({ on }: Snapshot, { name, columns, key, serial }: TableShape): Promise<TableLine> {
  const next = serial === undefined ? undefined : await getTables(on.dialect).nextSerial(on, name, serial);
  return {
    table: name,
    columns: [...columns],
    key: [...key],
    ...(serial === undefined || next === undefined ? {} : { serial: { column: serial, next } }),
  };
}

type Row = Readonly<Record<string, SqlValue>>;

const encodeRow = ({ columns }: TableShape, row: Row): string =>
  JSON.stringify(
    columns.map(({ name }) => {
      const value = row[name] ?? null;
      return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
    }),
  );

const lookAheadRows = 1000;

/** Rows in the order of their key, in batches. A row may be as large as a record, so sizes are read first. */
async function* readRowBatches(on: ReadTransaction, { name, columns, key }: TableShape): AsyncGenerator<Row[]> {
  const large = columns.filter(({ type }) => type === "text" || type === "bytes");
  const size = large.map((column) => `COALESCE(octet_length(${column.name}), 0)`).join(" + ") || "0";
  const order = raw(key.join(", "));
  const selected = raw(columns.map((column) => column.name).join(", "));
  // A table without a key cannot be paged; such tables have a row or two.
  if (key.length === 0) return yield await on.all<Row>(sql`SELECT ${selected} FROM ${raw(name)}`);
  let after: readonly SqlValue[] = [];
  for (;;) {
    const behind: Sql =
      after.length === 0
        ? raw("")
        : sql`WHERE (${order}) > (${join(
            after.map((value) => sql`${value}`),
            ", ",
          )})`;
    const ahead = await on.all<{ size: number }>(
      sql`SELECT ${raw(size)} AS size FROM ${raw(name)} ${behind} ORDER BY ${order} ${limitRows(lookAheadRows)}`,
    );
    if (ahead.length === 0) return;
    let held = 0;
    const full = ahead.findIndex(({ size }) => {
      held += size;
      return held > batchBytes;
    });
    const most = full < 0 ? ahead.length : Math.max(1, full);
    const rows = await on.all<Row>(
      sql`SELECT ${selected} FROM ${raw(name)} ${behind} ORDER BY ${order} ${limitRows(most)}`,
    );
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || (rows.length < lookAheadRows && full < 0)) return;
    after = key.map((column) => last[column] ?? null);
  }
}

async function* listBlobs(on: ReadTransaction): AsyncGenerator<BlobLine> {
  let after: readonly [number, string] = [0, ""];
  for (;;) {
    const rows = await on.all<{ owner_no: number; blob_id: string; size_bytes: number }>(
      sql`SELECT owner_no, blob_id, size_bytes FROM blob WHERE (owner_no, blob_id) > (${after[0]}, ${after[1]})
        ORDER BY owner_no, blob_id ${limitRows(lookAheadRows)}`,
    );
    for (const { owner_no, blob_id, size_bytes } of rows) yield { blob: blob_id, owner_no, size_bytes };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = [last.owner_no, last.blob_id];
  }
}

/** Equal pieces; the first is read ahead to find out whether the bytes exist. */
async function* readPieces(
  blobs: BlobBytes,
  { blob, owner_no, size_bytes }: BlobLine,
): AsyncGenerator<Buffer, undefined> {
  let held = Buffer.alloc(0);
  for await (const chunk of blobs.read(owner_no, blob, 0, size_bytes - 1)) {
    held = Buffer.concat([held, chunk]);
    for (; held.length >= pieceBytes; held = held.subarray(pieceBytes)) yield held.subarray(0, pieceBytes);
  }
  if (held.length > 0) yield held;
  return undefined;
}
