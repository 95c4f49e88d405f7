import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { MergeRules } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";

/** Decides which of two versions of a record wins. The result depends on the exports alone, not on the order of imports. */

export interface Precedence {
  readonly changedAt: number;
  readonly exportedAt: number;
  readonly importerVersion: string;
  readonly fingerprint: string;
  /** The owner's answers, as JSON. */
  readonly answers: string;
}

export interface RecordContent {
  readonly data: JsonObject;
  readonly text: string;
}

export function mergeRecords(
  held: RecordContent,
  heldAs: Precedence,
  incoming: RecordContent,
  incomingAs: Precedence,
  rules: MergeRules,
): JsonObject {
  if (held.text === incoming.text) return held.data;
  const isNewer = compareVersionsOfRecord(incoming.text, incomingAs, held.text, heldAs) > 0;
  return isNewer ? mergeFields(incoming.data, held.data, rules) : mergeFields(held.data, incoming.data, rules);
}

export function mergeFields(base: JsonObject, other: JsonObject, rules: MergeRules): JsonObject {
  const result: JsonObject = { ...base };
  for (const field of rules.union ?? []) result[field] = union(base[field], other[field]);
  for (const field of rules.fill ?? []) result[field] = base[field] ?? other[field] ?? null;
  for (const field of rules.least ?? []) result[field] = pickExtreme(base[field], other[field], -1);
  for (const field of rules.greatest ?? []) result[field] = pickExtreme(base[field], other[field], 1);
  return result;
}

function compareVersionsOfRecord(incoming: string, a: Precedence, held: string, b: Precedence): number {
  const difference = isSameExport(a, b) ? a.changedAt - b.changedAt : comparePrecedence(a, b);
  if (difference !== 0) return difference;
  // The same export was imported again with other answers: the later answers win.
  if (a.fingerprint === b.fingerprint && a.answers !== b.answers) return 1;
  if (incoming.length !== held.length) return incoming.length - held.length;
  return incoming < held ? -1 : 1;
}

/** Whether both were read from the same files in the same way, whenever that was. */
export const isSameExport = (a: Precedence, b: Precedence): boolean =>
  a.fingerprint === b.fingerprint && a.answers === b.answers && a.importerVersion === b.importerVersion;

const comparePrecedence = (a: Precedence, b: Precedence): number =>
  a.changedAt - b.changedAt || a.exportedAt - b.exportedAt || compareVersions(a.importerVersion, b.importerVersion);

function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The newer of two precedences; if equal, the incoming one. */
export const pickNewer = (incoming: Precedence, held: Precedence): Precedence =>
  comparePrecedence(incoming, held) >= 0 ? incoming : held;

function union(a: Json | undefined, b: Json | undefined): Json {
  const items = [a, b].flatMap((list) => (Array.isArray(list) ? list : []));
  const distinct = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...distinct.keys()].sort().map((key) => distinct.get(key) ?? null);
}

function pickExtreme(a: Json | undefined, b: Json | undefined, sign: 1 | -1): Json {
  if (a === null || a === undefined) return b ?? null;
  if (b === null || b === undefined) return a;
  const [left, right] = [a, b].map((value) =>
    typeof value === "string" ? parseInstant(value) : typeof value === "number" ? value : null,
  );
  if (left === null || left === undefined || right === null || right === undefined) return a;
  if (left === right) return String(a) <= String(b) ? a : b;
  return (left - right) * sign > 0 ? a : b;
}
