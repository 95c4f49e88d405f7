import type { JsonObject } from "@pdpp/contract/declaration";
import type { ImportBatch, ImportedRecord, MergeRules } from "@pdpp/contract/imports";
import { tableName } from "../store/catalog/layout.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import { toIndexText } from "../store/engine/index-text.ts";
import { parseJsonObject } from "../store/engine/json.ts";
import { raw, sql } from "../store/engine/sql.ts";
import { loadLinks, saveLinks } from "../store/imports/imports.ts";
import type { WriteTarget } from "../store/records/classify-writes.ts";
import { writeRecords } from "../store/records/write-records.ts";

/** Attachments follow their mail when it gets another key. */

/** The keys that the records of a batch get. */
export class Renames {
  readonly #keys = new Map<ImportedRecord, string>();
  readonly #latest = new Map<string, ImportedRecord>();

  get(record: ImportedRecord): string | undefined {
    return this.#keys.get(record);
  }

  place(key: string, record: ImportedRecord | undefined): void {
    if (record === undefined) return;
    this.#keys.set(record, key);
    this.#latest.set(key, record);
  }

  /** Another record takes the key of one that may be of this batch. */
  displace(from: string, to: string): void {
    this.place(to, this.#latest.get(from));
  }
}

interface Ownership {
  readonly owner: ImportedRecord;
  readonly ownerKey: string;
  readonly field: string;
}

/** An importer returns an owner first, and then what it owns. */
export function findOwners(
  records: readonly ImportedRecord[],
  merge: ImportBatch["merge"],
): Map<ImportedRecord, Ownership> {
  const owners = new Map<ImportedRecord, Ownership>();
  const latest = new Map<string, { owner: ImportedRecord; field: string }>();
  for (const record of records) {
    const { owner, field } = latest.get(record.stream) ?? {};
    const ownerKey = field === undefined ? undefined : record.data[field];
    if (owner !== undefined && field !== undefined && typeof ownerKey === "string" && owner.data.id === ownerKey)
      owners.set(record, { owner, ownerKey, field });
    const owns = merge[record.stream]?.owns;
    if (owns !== undefined) latest.set(owns.stream, { owner: record, field: owns.field });
  }
  return owners;
}

export function followOwner(
  record: ImportedRecord,
  ownership: Ownership | undefined,
  renames: Renames,
): ImportedRecord {
  const ownerKey = ownership === undefined ? undefined : renames.get(ownership.owner);
  if (ownership === undefined || ownerKey === undefined || ownerKey === ownership.ownerKey) return record;
  return { ...record, data: reassign(record.data, ownership.field, ownership.ownerKey, ownerKey) };
}

/** The id of an owned record begins with that of its owner. */
const reassign = (data: JsonObject, field: string, from: string, to: string): JsonObject => ({
  ...data,
  ...(typeof data.id === "string" && data.id.startsWith(from) ? { id: `${to}${data.id.slice(from.length)}` } : {}),
  [field]: to,
});

/** Gives the stored records of one owner to another. */
export async function moveOwnedRecords(
  {
    on,
    owned: target,
    rules: { owns },
    now,
  }: {
    readonly on: WriteTransaction;
    readonly owned: WriteTarget | undefined;
    readonly rules: MergeRules;
    readonly now: number;
  },
  from: string,
  to: string,
): Promise<void> {
  const column = owns === undefined ? undefined : target?.stream.columns.get(owns.field)?.column;
  if (target === undefined || owns === undefined || column === undefined) return;
  const rows = await on.all<{ key: string; data: string; emittedAt: number }>(
    sql`SELECT key, data, emitted_at AS "emittedAt" FROM ${raw(tableName(target.stream.streamNo))}
      WHERE owner_no = ${target.ownerNo} AND connection_no = ${target.connectionNo} AND ${raw(column)} = ${toIndexText(from)}`,
  );
  if (rows.length === 0) return;
  const links = await loadLinks(
    on,
    target,
    rows.map(({ key }) => key),
  );
  const moved = rows.map(({ key, data: text, emittedAt }) => {
    const old = parseJsonObject(text);
    const data = reassign(old, owns.field, from, to);
    return { oldKey: key, oldId: String(old.id), newKey: String(data.id), data, emittedAt };
  });
  const removals = moved.map(({ oldId, emittedAt }) => ({
    key: oldId,
    op: "delete" as const,
    data: {},
    text: "{}",
    emittedAt,
  }));
  const additions = moved.map(({ newKey, data, emittedAt }) => ({
    key: newKey,
    op: "upsert" as const,
    data,
    text: JSON.stringify(data),
    emittedAt,
  }));
  await writeRecords(on, target, [...removals, ...additions], now);
  const kept = moved.flatMap(({ oldKey, newKey }) => {
    const link = links.get(oldKey);
    return link === undefined ? [] : [[toIndexText(newKey), link] as const];
  });
  await saveLinks(on, target, new Map(kept));
}
