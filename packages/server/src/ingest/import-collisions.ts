import { createHash } from "node:crypto";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { MergeRules } from "@pdpp/contract/imports";
import { buildRecordKey } from "@pdpp/contract/record-key";
import type { WriteTarget } from "../store/records/classify-writes.ts";
import type { ParsedRecord } from "./parse-record.ts";

/** Tells apart items of one export that have the same key. */

const hashJson = (value: Json): string => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);

/** Distinguishes records with the same key in any export; empty if the key is sufficient. */
export function computeIdentity(data: JsonObject, { distinct = [] }: MergeRules): string {
  return distinct.length === 0 ? "" : hashJson(distinct.map((field) => data[field] ?? null));
}

/** Distinguishes items with the same key within one export. Fields that exports merge do not count. */
export const computeContentDigest = (data: JsonObject, target: WriteTarget, rules: MergeRules): string =>
  hashJson(listComparedFields(data, target, rules).map((field) => [field, data[field] ?? null]));

function listComparedFields(data: JsonObject, { stream }: WriteTarget, rules: MergeRules): string[] {
  const { union = [], fill = [], least = [], greatest = [] } = rules;
  const ignored = new Set([...stream.declaration.primaryKey, ...union, ...fill, ...least, ...greatest]);
  return Object.keys(data).filter((field) => !ignored.has(field));
}

/** If one of two items only lacks fields of the other, both are the same item. */
export function findCopy(
  a: JsonObject,
  b: JsonObject,
  target: WriteTarget,
  rules: MergeRules,
): { readonly fuller: JsonObject; readonly poorer: JsonObject } | undefined {
  const fields = new Set([...listComparedFields(a, target, rules), ...listComparedFields(b, target, rules)]);
  const differing = [...fields].filter((field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));
  if (differing.length === 0) return undefined;
  if (differing.every((field) => isEmpty(a[field]))) return { fuller: b, poorer: a };
  if (differing.every((field) => isEmpty(b[field]))) return { fuller: a, poorer: b };
  return undefined;
}

export interface Item {
  readonly data: JsonObject;
  readonly changedAt: number;
}

/**
 * Whether an item of an older export is another item than the stored record with its key, which a newer export has. One item of that key is an
 * earlier version of the record: the one with the same content, else always the same one, whatever their order.
 */
export function isOtherItem(
  { data, changedAt }: Item,
  held: JsonObject,
  withSameKey: readonly Item[],
  target: WriteTarget,
  rules: MergeRules,
): boolean {
  const items = withSameKey.filter((item) => rules.is_single_version === true || item.changedAt === changedAt);
  if (items.some((item) => findCopy(data, item.data, target, rules) !== undefined)) return false;
  const computeDigest = (content: JsonObject): string => computeContentDigest(content, target, rules);
  const digests = new Set(items.map((item) => computeDigest(item.data)));
  const heldDigest = computeDigest(held);
  const [first] = [...digests].sort();
  return digests.size > 1 && computeDigest(data) !== (digests.has(heldDigest) ? heldDigest : first);
}

function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** A text can be extended; a number or a date cannot. */
const findNameableField = ({ stream: { declaration } }: WriteTarget): string | undefined =>
  declaration.primaryKey.find((name) =>
    declaration.fields.some((field) => field.name === name && field.kind === "text"),
  );

export const canRename = (target: WriteTarget): boolean => findNameableField(target) !== undefined;

export function renameRecord(target: WriteTarget, record: ParsedRecord, suffix: string): ParsedRecord {
  const field = findNameableField(target);
  const name = target.stream.declaration.name;
  if (field === undefined) throw new Error(`records of ${name} cannot be distinguished: their keys are not texts`);
  const data = { ...record.data, [field]: `${String(record.data[field])}~${suffix}` };
  const key = buildRecordKey(target.stream.declaration.primaryKey, data) ?? record.key;
  return { ...record, key, data, text: JSON.stringify(data) };
}
