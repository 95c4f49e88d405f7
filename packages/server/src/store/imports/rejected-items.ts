import type { RejectedItem } from "@pdpp/contract/imports";
import { defineColumns, type ReadTransaction, type WriteTransaction } from "../engine/engine.ts";
import { requireValue } from "../engine/require-value.ts";
import { aliasColumns, limitRows, raw, type Sql, sql } from "../engine/sql.ts";
import { listParts, type StoredPart } from "./imports.ts";

const insertedColumns = defineColumns(
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
  if (rows.length > 0) await on.insert("import_aside", insertedColumns, rows);
}

interface RejectionPlace {
  readonly partNo: number;
  readonly n: number;
}

export interface StoredRejection extends RejectedItem, RejectionPlace {
  readonly connectionNo: number;
}

interface RejectionRow extends Omit<StoredRejection, "raw"> {
  /** SQLite stores empty bytes as NULL. */
  readonly raw: Uint8Array | null;
}

/** The columns of `import_aside AS a`, without the bytes. */
const selectedColumns = sql`${aliasColumns("a.connection_no, a.part_no, a.n, a.kind, a.stream, a.path, a.code, a.reason")},
  a.place AS "offset"`;

const firstPlace: RejectionPlace = { partNo: -1, n: -1 };

async function selectRejected(
  on: ReadTransaction,
  ownerNo: number,
  importId: string,
  { bytes, after, limit }: { readonly bytes: Sql; readonly after: RejectionPlace; readonly limit: number },
): Promise<StoredRejection[]> {
  const rows = await on.all<RejectionRow>(
    sql`SELECT ${selectedColumns}, ${bytes} AS raw
      FROM import_aside AS a JOIN import_part AS p ON p.owner_no = a.owner_no AND p.part_no = a.part_no
      WHERE p.owner_no = ${ownerNo} AND p.import_id = ${importId}
        AND (a.part_no > ${after.partNo} OR (a.part_no = ${after.partNo} AND a.n > ${after.n}))
      ORDER BY a.part_no, a.n ${limitRows(limit)}`,
  );
  return rows.map((row) => ({ ...row, raw: row.raw ?? new Uint8Array(0) }));
}

/** Enough to show the beginning of an item. */
const maxShownBytes = 800;

/** In order, starting after `after`, with their first bytes only. */
export const listRejected = (
  on: ReadTransaction,
  ownerNo: number,
  importId: string,
  limit = 1000,
  after = firstPlace,
): Promise<StoredRejection[]> =>
  selectRejected(on, ownerNo, importId, { bytes: sql`substr(a.raw, 1, ${maxShownBytes})`, after, limit });

export interface RejectionWithPart extends StoredRejection {
  readonly part: StoredPart;
}

/** This many items fit into memory at any size. */
const retryBatch = 50;

/** With all their bytes. */
export async function listRejectedForRetry(
  on: ReadTransaction,
  ownerNo: number,
  importId: string,
  after = firstPlace,
): Promise<RejectionWithPart[]> {
  const parts = new Map((await listParts(on, ownerNo, importId)).map((part) => [part.partNo, part]));
  const items = await selectRejected(on, ownerNo, importId, { bytes: raw("a.raw"), after, limit: retryBatch });
  return items.map((item) => ({ ...item, part: requireValue(parts.get(item.partNo), `part ${item.partNo}`) }));
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
