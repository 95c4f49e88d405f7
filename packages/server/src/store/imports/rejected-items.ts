import type { RejectedItem, RejectedItemKind } from "@pdpp/contract/imports";
import { defineColumns, type ReadTransaction, type WriteTransaction } from "../engine/engine.ts";
import { limitRows, type Sql, sql } from "../engine/sql.ts";
import { decodePart, type PartRow, type StoredPart } from "./imports.ts";

const rejectionColumns = defineColumns(
  "owner_no integer, connection_no integer, part_no integer, n integer, stream text, path text, place integer",
  "code text, reason text, raw bytes, kind text",
);

/** Per part; further items are only counted. */
const maxKeptRejections = 10_000;

export async function insertRejected(
  on: WriteTransaction,
  ownerNo: number,
  { partNo, connectionNo }: Pick<StoredPart, "partNo" | "connectionNo">,
  before: number,
  items: readonly RejectedItem[],
): Promise<void> {
  const fitting = items.slice(0, Math.max(0, maxKeptRejections - before));
  const rows = fitting.map(({ kind, stream, path, offset, code, reason, raw }, i) => [
    ownerNo,
    connectionNo,
    partNo,
    before + i,
    stream,
    path,
    offset,
    code,
    reason,
    raw,
    kind,
  ]);
  if (rows.length > 0) await on.insert("import_aside", rejectionColumns, rows);
}

interface RejectionPlace {
  readonly partNo: number;
  readonly n: number;
}

export interface StoredRejection extends RejectedItem, RejectionPlace {
  readonly connectionNo: number;
}

interface RejectionRow {
  connection_no: number;
  part_no: number;
  n: number;
  kind: RejectedItemKind;
  stream: string;
  path: string;
  place: number;
  code: string;
  reason: string;
  /** SQLite stores empty bytes as NULL. */
  raw: Uint8Array | null;
}

const decodeRejected = (row: RejectionRow): StoredRejection => ({
  connectionNo: row.connection_no,
  partNo: row.part_no,
  n: row.n,
  kind: row.kind,
  stream: row.stream,
  path: row.path,
  offset: row.place,
  code: row.code,
  reason: row.reason,
  raw: row.raw ?? new Uint8Array(0),
});

const matchAfter = ({ partNo, n }: RejectionPlace): Sql =>
  sql`(a.part_no > ${partNo} OR (a.part_no = ${partNo} AND a.n > ${n}))`;

const firstPlace: RejectionPlace = { partNo: -1, n: -1 };

/** Enough to show the beginning of an item. */
const maxShownBytes = 800;

/** In order, starting after `after`, with their first bytes only. */
export async function listRejected(
  on: ReadTransaction,
  ownerNo: number,
  importId: string,
  limit = 1000,
  after = firstPlace,
): Promise<StoredRejection[]> {
  const rows = await on.all<RejectionRow>(
    sql`SELECT a.connection_no, a.part_no, a.n, a.kind, a.stream, a.path, a.place, a.code, a.reason, substr(a.raw, 1, ${maxShownBytes}) AS raw
      FROM import_aside AS a JOIN import_part AS p ON p.owner_no = a.owner_no AND p.part_no = a.part_no
      WHERE p.owner_no = ${ownerNo} AND p.import_id = ${importId} AND ${matchAfter(after)}
      ORDER BY a.part_no, a.n ${limitRows(limit)}`,
  );
  return rows.map(decodeRejected);
}

export interface RejectionWithPart extends StoredRejection {
  readonly part: StoredPart;
}

/** This many items fit into memory at any size. */
const retryBatch = 50;

export async function listRejectedForRetry(
  on: ReadTransaction,
  ownerNo: number,
  importId: string,
  after = firstPlace,
): Promise<RejectionWithPart[]> {
  const rows = await on.all<RejectionRow & PartRow>(
    sql`SELECT p.*, a.n, a.kind, a.stream, a.path, a.place, a.code, a.reason, a.raw FROM import_aside AS a
      JOIN import_part AS p ON p.owner_no = a.owner_no AND p.part_no = a.part_no
      WHERE p.owner_no = ${ownerNo} AND p.import_id = ${importId} AND ${matchAfter(after)}
      ORDER BY a.part_no, a.n ${limitRows(retryBatch)}`,
  );
  return rows.map((row) => ({ ...decodeRejected(row), part: decodePart(row) }));
}

/** Removes an item. Returns the stream it was counted in, or undefined if it does not exist. */
export async function takeRejected(
  on: WriteTransaction,
  ownerNo: number,
  partNo: number,
  n: number,
): Promise<{ readonly stream: string } | undefined> {
  const found = await on.one<{ stream: string }>(
    sql`SELECT stream FROM import_aside WHERE owner_no = ${ownerNo} AND part_no = ${partNo} AND n = ${n}`,
  );
  await on.run(sql`DELETE FROM import_aside WHERE owner_no = ${ownerNo} AND part_no = ${partNo} AND n = ${n}`);
  return found;
}
