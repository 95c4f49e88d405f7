import type { JsonObject } from "@pdpp/contract/declaration";
import type { ImportRequest, ImportTally } from "@pdpp/contract/imports";
import type { CatalogStream } from "../catalog/catalog.ts";
import { tableName } from "../catalog/layout.ts";
import { defineColumns, type ReadTransaction, requireRow, type WriteTransaction } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { parseStoredJson } from "../engine/json.ts";
import { raw, sql } from "../engine/sql.ts";
import type { Precedence } from "./merge.ts";

export interface StoredPart {
  readonly partNo: number;
  readonly importId: string;
  readonly connectionNo: number;
  readonly format: string;
  readonly importerVersion: string;
  readonly label: string;
  readonly fingerprint: string;
  readonly sources: ImportRequest["sources"];
  readonly answers: JsonObject;
  readonly exportedAt: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly mark: JsonObject | null;
  readonly tally: ImportTally;
}

export interface PartRow {
  part_no: number;
  import_id: string;
  connection_no: number;
  format: string;
  importer_version: string;
  label: string;
  fingerprint: string;
  sources: string;
  answers: string;
  exported_at: number;
  started_at: number;
  finished_at: number | null;
  mark: string | null;
  tally: string;
}

export const decodePart = (row: PartRow): StoredPart => ({
  partNo: row.part_no,
  importId: row.import_id,
  connectionNo: row.connection_no,
  format: row.format,
  importerVersion: row.importer_version,
  label: row.label,
  fingerprint: row.fingerprint,
  sources: parseStoredJson(row.sources),
  answers: parseStoredJson(row.answers),
  exportedAt: row.exported_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  mark: row.mark === null ? null : parseStoredJson(row.mark),
  tally: parseStoredJson(row.tally),
});

export const emptyTally: ImportTally = { read: 0, blobs: 0, streams: {} };

export async function listParts(on: ReadTransaction, ownerNo: number): Promise<StoredPart[]> {
  const rows = await on.all<PartRow>(sql`SELECT * FROM import_part WHERE owner_no = ${ownerNo} ORDER BY part_no`);
  return rows.map(decodePart);
}

export async function loadPart(on: ReadTransaction, ownerNo: number, partNo: number): Promise<StoredPart | undefined> {
  const row = await on.one<PartRow>(sql`SELECT * FROM import_part WHERE owner_no = ${ownerNo} AND part_no = ${partNo}`);
  return row === undefined ? undefined : decodePart(row);
}

/** An unfinished part of the same export with the same answers. */
export async function findUnfinishedPart(
  on: ReadTransaction,
  ownerNo: number,
  part: Pick<StoredPart, "connectionNo" | "format" | "importerVersion" | "fingerprint" | "answers">,
): Promise<StoredPart | undefined> {
  const row =
    await on.one<PartRow>(sql`SELECT * FROM import_part WHERE owner_no = ${ownerNo} AND connection_no = ${part.connectionNo}
    AND format = ${part.format} AND importer_version = ${part.importerVersion} AND fingerprint = ${part.fingerprint}
    AND answers = ${JSON.stringify(part.answers)} AND finished_at IS NULL ORDER BY part_no DESC LIMIT 1`);
  return row === undefined ? undefined : decodePart(row);
}

export async function insertPart(
  on: WriteTransaction,
  ownerNo: number,
  part: Omit<StoredPart, "partNo">,
): Promise<number> {
  const row = await requireRow<{ part_no: number }>(
    on,
    sql`INSERT INTO import_part (owner_no, import_id, connection_no, format, importer_version, label, fingerprint, sources, answers,
      exported_at, started_at, finished_at, mark, tally) VALUES (${ownerNo}, ${part.importId}, ${part.connectionNo}, ${part.format},
      ${part.importerVersion}, ${part.label}, ${part.fingerprint}, ${JSON.stringify(part.sources)}, ${JSON.stringify(part.answers)},
      ${part.exportedAt}, ${part.startedAt}, NULL, NULL, ${JSON.stringify(part.tally)}) RETURNING part_no`,
  );
  return row.part_no;
}

export async function updatePart(
  on: WriteTransaction,
  ownerNo: number,
  partNo: number,
  { mark, tally }: { readonly mark: JsonObject | null; readonly tally: ImportTally },
): Promise<void> {
  const kept = mark === null ? raw("mark") : sql`${JSON.stringify(mark)}`;
  await on.run(sql`UPDATE import_part SET tally = ${JSON.stringify(tally)}, mark = ${kept}
    WHERE owner_no = ${ownerNo} AND part_no = ${partNo}`);
}

export const finishPart = (on: WriteTransaction, ownerNo: number, partNo: number, now: number): Promise<number> =>
  on.run(sql`UPDATE import_part SET finished_at = ${now} WHERE owner_no = ${ownerNo} AND part_no = ${partNo}`);

export interface ImportTarget {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly stream: CatalogStream;
}

export interface Link extends Precedence {
  readonly firstPart: number;
  readonly lastPart: number;
}

interface LinkRow {
  key: string;
  first_part: number;
  last_part: number;
  changed_at: number;
  exported_at: number;
  importer_version: string;
  fingerprint: string | null;
}

/** Which imports the records came from, by indexed key. */
export async function loadLinks(
  on: ReadTransaction,
  { ownerNo, connectionNo, stream }: ImportTarget,
  keys: readonly string[],
): Promise<Map<string, Link>> {
  const rows = await on.all<LinkRow>(sql`SELECT key, first_part, last_part, changed_at, import_record.exported_at,
      import_record.importer_version, (SELECT fingerprint FROM import_part WHERE part_no = last_part) AS fingerprint
    FROM import_record WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo} AND stream_no = ${stream.streamNo}
    AND ${on.dialect.among(raw("key"), keys)}`);
  return new Map(
    rows.map((row) => [
      row.key,
      {
        firstPart: row.first_part,
        lastPart: row.last_part,
        changedAt: row.changed_at,
        exportedAt: row.exported_at,
        importerVersion: row.importer_version,
        fingerprint: row.fingerprint ?? "",
      },
    ]),
  );
}

const linkColumns = defineColumns(
  "owner_no integer, connection_no integer, stream_no integer, key text, first_part integer, last_part integer",
  "changed_at number, exported_at number, importer_version text",
);

export async function saveLinks(
  on: WriteTransaction,
  target: ImportTarget,
  links: ReadonlyMap<string, Link>,
): Promise<void> {
  if (links.size === 0) return;
  await deleteLinks(on, target, [...links.keys()]);
  const { ownerNo, connectionNo, stream } = target;
  const rows = [...links].map(([key, link]) => [
    ownerNo,
    connectionNo,
    stream.streamNo,
    key,
    link.firstPart,
    link.lastPart,
    link.changedAt,
    link.exportedAt,
    link.importerVersion,
  ]);
  await on.insert("import_record", linkColumns, rows);
}

export async function deleteLinks(
  on: WriteTransaction,
  { ownerNo, connectionNo, stream }: ImportTarget,
  keys: readonly string[],
): Promise<void> {
  await on.run(sql`DELETE FROM import_record WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo}
    AND stream_no = ${stream.streamNo} AND ${on.dialect.among(raw("key"), keys)}`);
}

interface StoredRecordText {
  readonly text: string;
  readonly emittedAt: number;
}

export async function loadRecordTexts(
  on: ReadTransaction,
  { ownerNo, connectionNo, stream }: ImportTarget,
  keys: readonly string[],
): Promise<Map<string, StoredRecordText>> {
  const rows = await on.all<{ key: string; data: string; emitted_at: number }>(
    sql`SELECT key, data, emitted_at FROM ${raw(tableName(stream.streamNo))} WHERE owner_no = ${ownerNo}
      AND connection_no = ${connectionNo} AND ${on.dialect.among(raw("key"), keys)}`,
  );
  return new Map(rows.map((row) => [row.key, { text: row.data, emittedAt: row.emitted_at }]));
}

export async function countExisting(
  on: ReadTransaction,
  { ownerNo, connectionNo, stream }: ImportTarget,
  keys: readonly string[],
): Promise<number> {
  const row = await requireRow<{ n: number }>(
    on,
    sql`SELECT count(*) AS n FROM ${raw(tableName(stream.streamNo))} WHERE owner_no = ${ownerNo}
      AND connection_no = ${connectionNo} AND ${on.dialect.among(raw("key"), keys.map(toIndexText))}`,
  );
  return Number(row.n);
}
