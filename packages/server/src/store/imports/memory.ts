import type { RememberedFile } from "@pdpp/contract/imports";
import { defineColumns, type ReadTransaction, requireRow, type WriteTransaction } from "../engine/engine.ts";
import { aliasColumns, raw, sql } from "../engine/sql.ts";
import type { StoredPart } from "./imports.ts";

/**
 * The files of an export and the parts that read them. The parts of a memory count as one export, because each of them
 * skipped the files of the others. A memory has files only while reading them again would change nothing.
 */
export interface StoredMemory {
  readonly memoryNo: number;
  readonly connectionNo: number;
  readonly format: string;
  readonly importerVersion: string;
  readonly answers: string;
  readonly label: string;
  readonly known: string;
  readonly detection: string;
  /** The latest part. */
  readonly partNo: number;
  readonly isUsable: number;
}

const memoryColumns = aliasColumns(
  "memory_no, connection_no, format, importer_version, answers, label, known, detection, part_no, is_usable",
);

export async function insertMemory(
  on: WriteTransaction,
  ownerNo: number,
  part: StoredPart,
  { known, detection }: Pick<StoredMemory, "known" | "detection">,
): Promise<void> {
  const { memory_no: memoryNo } = await requireRow<{ memory_no: number }>(
    on,
    sql`INSERT INTO import_memory (owner_no, connection_no, format, importer_version, answers, label, known, detection, part_no,
      is_usable) VALUES (${ownerNo}, ${part.connectionNo}, ${part.format}, ${part.importerVersion}, ${JSON.stringify(part.answers)},
      ${part.label}, ${known}, ${detection}, ${part.partNo}, 1) RETURNING memory_no`,
  );
  await assignPart(on, ownerNo, part.partNo, memoryNo);
}

const assignPart = (on: WriteTransaction, ownerNo: number, partNo: number, memoryNo: number): Promise<number> =>
  on.run(sql`UPDATE import_part SET memory_no = ${memoryNo} WHERE owner_no = ${ownerNo} AND part_no = ${partNo}`);

/** Makes a part the latest of a memory. */
export async function continueMemory(
  on: WriteTransaction,
  ownerNo: number,
  memoryNo: number,
  partNo: number,
  detection: string,
): Promise<void> {
  await on.run(sql`UPDATE import_memory SET part_no = ${partNo}, detection = ${detection}
    WHERE owner_no = ${ownerNo} AND memory_no = ${memoryNo}`);
  await assignPart(on, ownerNo, partNo, memoryNo);
}

export const loadMemory = (on: ReadTransaction, ownerNo: number, memoryNo: number): Promise<StoredMemory | undefined> =>
  on.one<StoredMemory>(
    sql`SELECT ${memoryColumns} FROM import_memory WHERE owner_no = ${ownerNo} AND memory_no = ${memoryNo}`,
  );

/** Memories that have a file of one of these names. */
export async function findMemories(on: ReadTransaction, ownerNo: number, names: readonly string[]): Promise<number[]> {
  const rows = await on.all<{ memory_no: number }>(
    sql`SELECT DISTINCT memory_no FROM import_file WHERE owner_no = ${ownerNo} AND ${on.dialect.among(raw("name"), names)}`,
  );
  return rows.map(({ memory_no }) => memory_no);
}

const fileColumns = defineColumns(
  "owner_no integer, connection_no integer, memory_no integer, name text, size_bytes integer, stamp text, crc number, digest text",
  "ends text, is_companion integer",
);

export async function listFiles(on: ReadTransaction, ownerNo: number, memoryNo: number): Promise<RememberedFile[]> {
  const rows = await on.all<Omit<RememberedFile, "is_companion"> & { readonly is_companion: number }>(
    sql`SELECT name, size_bytes, stamp, crc, digest, ends, is_companion FROM import_file
      WHERE owner_no = ${ownerNo} AND memory_no = ${memoryNo}`,
  );
  return rows.map((row) => ({ ...row, is_companion: row.is_companion === 1 }));
}

/** Adds and replaces files, and drops others. */
export async function saveFiles(
  on: WriteTransaction,
  ownerNo: number,
  { memoryNo, connectionNo }: Pick<StoredMemory, "memoryNo" | "connectionNo">,
  added: readonly RememberedFile[],
  dropped: readonly string[],
): Promise<void> {
  const gone = [...dropped, ...added.map(({ name }) => name)];
  for (let at = 0; at < gone.length; at += batchNames) {
    const names = gone.slice(at, at + batchNames);
    await on.run(sql`DELETE FROM import_file WHERE owner_no = ${ownerNo} AND memory_no = ${memoryNo}
      AND ${on.dialect.among(raw("name"), names)}`);
  }
  const rows = added.map((file) => [
    ownerNo,
    connectionNo,
    memoryNo,
    file.name,
    file.size_bytes,
    file.stamp,
    file.crc,
    file.digest,
    file.ends,
    file.is_companion ? 1 : 0,
  ]);
  if (rows.length > 0) await on.insert("import_file", fileColumns, rows);
}

export const batchNames = 1000;

/** For memories whose records were changed by another export: their files must be read again. */
export async function forgetMemories(
  on: WriteTransaction,
  ownerNo: number,
  memoryNos: readonly number[],
): Promise<void> {
  for (const memoryNo of memoryNos) {
    const which = sql`owner_no = ${ownerNo} AND memory_no = ${memoryNo}`;
    await on.run(sql`UPDATE import_memory SET is_usable = 0 WHERE ${which}`);
    await on.run(sql`DELETE FROM import_file WHERE ${which}`);
  }
}

/** For a connection whose records were changed by something other than an import: a deleted record returns with the next import. */
export async function forgetConnection(on: WriteTransaction, ownerNo: number, connectionNo: number): Promise<void> {
  const here = sql`owner_no = ${ownerNo} AND connection_no = ${connectionNo}`;
  const changed = await on.run(sql`UPDATE import_memory SET is_usable = 0 WHERE ${here} AND is_usable = 1`);
  if (changed > 0) await on.run(sql`DELETE FROM import_file WHERE ${here}`);
}
