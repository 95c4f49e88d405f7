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
import { aliasColumns, raw, type Sql, sql } from "../engine/sql.ts";
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
  /** The memory of its files; null for parts of older versions. */
  readonly memoryNo: number | null;
}

interface PartRow extends Omit<StoredPart, "sources" | "answers" | "mark" | "tally"> {
  readonly sources: string;
  readonly answers: string;
  readonly mark: string | null;
  readonly tally: string;
}

const partColumns = aliasColumns(
  `part_no, import_id, connection_no, format, importer_version, label, fingerprint, sources, answers, exported_at, started_at,
    finished_at, mark, tally, memory_no`,
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

/** The format of a part that a run of a live source stored. */
export const runFormat = "run";

/** The parts of one import or run, or of all imports. */
export const listParts = (on: ReadTransaction, ownerNo: number, importId?: string): Promise<StoredPart[]> => {
  const wanted = importId === undefined ? sql`format <> ${runFormat}` : sql`import_id = ${importId}`;
  return selectParts(on, sql`owner_no = ${ownerNo} AND ${wanted} ORDER BY part_no`);
};

export async function loadPart(on: ReadTransaction, ownerNo: number, partNo: number): Promise<StoredPart | undefined> {
  const [part] = await selectParts(on, sql`owner_no = ${ownerNo} AND part_no = ${partNo}`);
  return part;
}

/** An unfinished part of the same export with the same answers, which skipped the same files. */
export async function findUnfinishedPart(
  on: ReadTransaction,
  ownerNo: number,
  part: Pick<StoredPart, "connectionNo" | "format" | "importerVersion" | "fingerprint" | "answers" | "memoryNo">,
): Promise<StoredPart | undefined> {
  const skipsSame =
    part.memoryNo === null
      ? sql`NOT EXISTS (SELECT 1 FROM import_file AS f WHERE f.owner_no = import_part.owner_no AND f.memory_no = import_part.memory_no)`
      : sql`memory_no = ${part.memoryNo}`;
  const [found] = await selectParts(
    on,
    sql`owner_no = ${ownerNo} AND connection_no = ${part.connectionNo} AND format = ${part.format}
      AND importer_version = ${part.importerVersion} AND fingerprint = ${part.fingerprint}
      AND answers = ${JSON.stringify(part.answers)} AND finished_at IS NULL AND ${skipsSame} ORDER BY part_no DESC LIMIT 1`,
  );
  return found;
}

export async function insertPart(
  on: WriteTransaction,
  ownerNo: number,
  part: Omit<StoredPart, "partNo" | "memoryNo">,
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
  /** The memory of its last part. */
  readonly memoryNo: number | null;
}

/**
 * Which imports the records came from, by indexed key. A record in a file that later parts skipped counts as read by the latest of
 * them, unless `asRead`.
 */
export async function loadLinks(
  on: ReadTransaction,
  target: WriteTarget,
  keys: readonly string[],
  asRead = false,
): Promise<Map<string, Link>> {
  const rows = await on.all<StoredLink & { readonly key: string }>(
    sql`SELECT ${linkAliases} FROM import_record WHERE ${matchTarget(target)} AND ${on.dialect.among(raw("key"), keys)}`,
  );
  const parts = await loadReadings(on, target.ownerNo, [...new Set(rows.map(({ lastPart }) => lastPart))]);
  return new Map(
    rows.map(({ key, ...link }) => {
      const { own, latest } = parts.get(link.lastPart) ?? {};
      const reading = asRead ? own : latest;
      const exportedAt = Math.max(link.exportedAt, asRead ? 0 : (latest?.exportedAt ?? 0));
      const { fingerprint = "", answers = "" } = reading ?? {};
      return [key, { ...link, exportedAt, fingerprint, answers, memoryNo: own?.memoryNo ?? null }];
    }),
  );
}

type StoredLink = Pick<Link, "firstPart" | "lastPart" | "changedAt" | "exportedAt" | "importerVersion">;

interface Reading {
  readonly partNo: number;
  readonly fingerprint: string;
  readonly answers: string;
  readonly exportedAt: number;
  readonly memoryNo: number | null;
}

/** The parts, each with the latest part of its memory. */
async function loadReadings(
  on: ReadTransaction,
  ownerNo: number,
  partNos: readonly number[],
): Promise<Map<number, { readonly own: Reading; readonly latest: Reading }>> {
  const list = (numbers: readonly number[]): Promise<(Reading & { readonly latestPart: number })[]> =>
    numbers.length === 0
      ? Promise.resolve([])
      : on.all(sql`SELECT p.part_no AS "partNo", p.fingerprint, p.answers, p.exported_at AS "exportedAt", p.memory_no AS "memoryNo",
          COALESCE(m.part_no, p.part_no) AS "latestPart" FROM import_part AS p
          LEFT JOIN import_memory AS m ON m.owner_no = p.owner_no AND m.memory_no = p.memory_no
          WHERE p.owner_no = ${ownerNo} AND ${on.dialect.amongNumbers("p.part_no", numbers)}`);
  const rows = await list(partNos);
  const found = new Map(rows.map((row) => [row.partNo, row]));
  const others = [...new Set(rows.map(({ latestPart }) => latestPart))].filter((no) => !found.has(no));
  for (const row of await list(others)) found.set(row.partNo, row);
  return new Map(rows.map((own) => [own.partNo, { own, latest: found.get(own.latestPart) ?? own }]));
}

const linkAliases = aliasColumns("key, first_part, last_part, changed_at, exported_at, importer_version");

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

/** Counts records that were not imported, or last by a part of another memory. */
export async function countOthers(
  on: ReadTransaction,
  { ownerNo, connectionNo, stream }: WriteTarget,
  memoryNos: readonly number[],
): Promise<number> {
  return selectNumber(
    on,
    sql`SELECT count(*) AS n FROM ${raw(tableName(stream.streamNo))} AS r WHERE r.owner_no = ${ownerNo} AND r.connection_no = ${connectionNo}
      AND NOT EXISTS (SELECT 1 FROM import_record AS i JOIN import_part AS p ON p.owner_no = i.owner_no AND p.part_no = i.last_part
        WHERE i.owner_no = ${ownerNo} AND i.connection_no = ${connectionNo} AND i.stream_no = ${stream.streamNo} AND i.key = r.key
        AND ${on.dialect.amongNumbers("p.memory_no", memoryNos)})`,
  );
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
