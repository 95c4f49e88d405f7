import type { JsonObject } from "@pdpp/contract/declaration";
import type { ImportRequest, ImportTally } from "@pdpp/contract/imports";
import { tableName } from "../catalog/layout.ts";
import {
  defineColumns,
  type ReadTransaction,
  requireRow,
  selectNumber,
  type WriteTransaction,
} from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { parseStoredJson } from "../engine/json.ts";
import { aliasColumns, emptySql, raw, type Sql, sql } from "../engine/sql.ts";
import { matchTarget, type WriteTarget } from "../records/classify-writes.ts";
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

interface PartRow extends Omit<StoredPart, "sources" | "answers" | "mark" | "tally"> {
  readonly sources: string;
  readonly answers: string;
  readonly mark: string | null;
  readonly tally: string;
}

const partColumns = aliasColumns(
  `part_no, import_id, connection_no, format, importer_version, label, fingerprint, sources, answers, exported_at, started_at,
    finished_at, mark, tally`,
);

async function selectParts(on: ReadTransaction, condition: Sql): Promise<StoredPart[]> {
  const rows = await on.all<PartRow>(sql`SELECT ${partColumns} FROM import_part WHERE ${condition}`);
  return rows.map(({ sources, answers, mark, tally, ...row }) => ({
    ...row,
    sources: parseStoredJson(sources),
    answers: parseStoredJson(answers),
    mark: mark === null ? null : parseStoredJson(mark),
    tally: parseStoredJson(tally),
  }));
}

export const emptyTally: ImportTally = { read: 0, blobs: 0, streams: {} };

/** The parts of one import, or of all. */
export const listParts = (on: ReadTransaction, ownerNo: number, importId?: string): Promise<StoredPart[]> => {
  const ofImport = importId === undefined ? emptySql : sql`AND import_id = ${importId}`;
  return selectParts(on, sql`owner_no = ${ownerNo} ${ofImport} ORDER BY part_no`);
};

export async function loadPart(on: ReadTransaction, ownerNo: number, partNo: number): Promise<StoredPart | undefined> {
  const [part] = await selectParts(on, sql`owner_no = ${ownerNo} AND part_no = ${partNo}`);
  return part;
}

/** An unfinished part of the same export with the same answers. */
export async function findUnfinishedPart(
  on: ReadTransaction,
  ownerNo: number,
  part: Pick<StoredPart, "connectionNo" | "format" | "importerVersion" | "fingerprint" | "answers">,
): Promise<StoredPart | undefined> {
  const [found] = await selectParts(
    on,
    sql`owner_no = ${ownerNo} AND connection_no = ${part.connectionNo} AND format = ${part.format}
      AND importer_version = ${part.importerVersion} AND fingerprint = ${part.fingerprint}
      AND answers = ${JSON.stringify(part.answers)} AND finished_at IS NULL ORDER BY part_no DESC LIMIT 1`,
  );
  return found;
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

export interface Link extends Precedence {
  readonly firstPart: number;
  readonly lastPart: number;
}

/** Which imports the records came from, by indexed key. */
export async function loadLinks(
  on: ReadTransaction,
  target: WriteTarget,
  keys: readonly string[],
): Promise<Map<string, Link>> {
  const rows = await on.all<Link & { readonly key: string }>(
    sql`SELECT ${linkAliases}, COALESCE((SELECT fingerprint FROM import_part WHERE part_no = last_part), '') AS fingerprint
      FROM import_record AS r WHERE ${matchTarget(target)} AND ${on.dialect.among(raw("key"), keys)}`,
  );
  return new Map(rows.map(({ key, ...link }) => [key, link]));
}

const linkAliases = aliasColumns("key, first_part, last_part, changed_at, r.exported_at, r.importer_version");

const linkColumns = defineColumns(
  "owner_no integer, connection_no integer, stream_no integer, key text, first_part integer, last_part integer",
  "changed_at number, exported_at number, importer_version text",
);

export async function saveLinks(
  on: WriteTransaction,
  target: WriteTarget,
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

export const deleteLinks = (on: WriteTransaction, target: WriteTarget, keys: readonly string[]): Promise<number> =>
  on.run(sql`DELETE FROM import_record WHERE ${matchTarget(target)} AND ${on.dialect.among(raw("key"), keys)}`);

interface StoredRecordText {
  readonly text: string;
  readonly emittedAt: number;
}

export async function loadRecordTexts(
  on: ReadTransaction,
  { ownerNo, connectionNo, stream }: WriteTarget,
  keys: readonly string[],
): Promise<Map<string, StoredRecordText>> {
  const rows = await on.all<StoredRecordText & { readonly key: string }>(
    sql`SELECT key, data AS text, emitted_at AS "emittedAt" FROM ${raw(tableName(stream.streamNo))} WHERE owner_no = ${ownerNo}
      AND connection_no = ${connectionNo} AND ${on.dialect.among(raw("key"), keys)}`,
  );
  return new Map(rows.map(({ key, ...record }) => [key, record]));
}

export async function countExisting(
  on: ReadTransaction,
  { ownerNo, connectionNo, stream }: WriteTarget,
  keys: readonly string[],
): Promise<number> {
  return selectNumber(
    on,
    sql`SELECT count(*) AS n FROM ${raw(tableName(stream.streamNo))} WHERE owner_no = ${ownerNo}
      AND connection_no = ${connectionNo} AND ${on.dialect.among(raw("key"), keys.map(toIndexText))}`,
  );
}
