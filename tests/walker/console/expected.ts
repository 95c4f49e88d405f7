import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import { parseManifest } from "@pdpp/contract/manifest";
import { createNames } from "#console/frame/names";
import { canSee, listVisible, type VisibleRecord as SeenRecord, type Source } from "../../model/rules/grant.ts";
import { buildManifest, findFieldSpec } from "../../model/spec.ts";
import type { ClientOf } from "../client.ts";
import type { EarlierRow, RecordPage, Row, Shown } from "./page.ts";
import type { WalkResult } from "./walk.ts";

/**
 * Compares what the model allows with the pages: texts must be equal to the last character, numbers, times and JSON
 * must have equal values, and files equal bytes.
 */

const toText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

export interface Compared {
  readonly faults: readonly string[];
  readonly records: number;
  readonly characters: number;
}

type LabelOf = (source: Source, connectionId: string, field: string) => string;

export function compareConsole({ world }: Pick<ClientOf, "world">, seen: WalkResult): Compared {
  const faults: string[] = [];
  const labelOf = createLabels(world.vault);
  const expected = new Set<string>();
  let characters = 0;
  for (const source of world.sources) {
    for (const record of listVisible(source, world.snapshot)) {
      const id = `${record.connectionId}/${record.stream}:${record.key}`;
      expected.add(id);
      const page = seen.records.get(id);
      if (page === undefined) {
        faults.push(`no way led to ${JSON.stringify(id)}`);
        continue;
      }
      const data = granted(source, record.data);
      const label = (name: string) => labelOf(source, record.connectionId, name);
      faults.push(
        ...findRecordProblems(source, id, page, data, label, seen),
        ...findEarlierProblems(source, record, label, seen),
      );
      characters += Object.values(data).reduce<number>((sum, value) => sum + toText(value).length, 0);
    }
  }
  for (const id of seen.records.keys()) if (!expected.has(id)) faults.push(`${JSON.stringify(id)} was shown`);
  return { faults, records: expected.size, characters };
}

const granted = (source: Source, data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).filter(([name]) => source.fields.has(name)));

/** Labels of fields on pages, used only to tell values apart. */
function createLabels(vault: ClientOf["world"]["vault"]): LabelOf {
  const connectors = new Map(vault.connectors.map((each) => [each.key, parseManifest(buildManifest(each))]));
  const names = createNames({ connectors, connections: vault.connections });
  return ({ stream }, connectionId, field) => names.field(connectionId, stream.name, field);
}

function findRecordProblems(
  source: Source,
  id: string,
  page: RecordPage,
  data: JsonObject,
  label: (name: string) => string,
  seen: WalkResult,
): string[] {
  const faults: string[] = [];
  const rows = [...page.rows];
  const empty = [...page.empty];
  const take = <T>(list: T[], at: number): boolean => at >= 0 && list.splice(at, 1).length > 0;
  for (const [name, value] of Object.entries(data)) {
    const called = label(name);
    if (isEmpty(value) && take(empty, empty.indexOf(called))) continue;
    const at = rows.findIndex((row) => row.label === called && agrees(source, id, name, value, row.shown, seen));
    if (take(rows, at)) continue;
    const shown = rows.filter((row) => row.label === called);
    faults.push(
      `${JSON.stringify(name)} of ${JSON.stringify(id)} is ${toText(value).slice(0, 300)}, shown as ${JSON.stringify(shown).slice(0, 600)}`,
    );
  }
  const isAbsent = ({ label: called, shown }: Row): boolean =>
    shown.as === "rest" && label(shown.field) === called && !Object.hasOwn(data, shown.field);
  for (const row of rows)
    if (!isAbsent(row)) faults.push(`${JSON.stringify(id)} was shown with ${JSON.stringify(row).slice(0, 300)}`);
  for (const called of empty) faults.push(`${JSON.stringify(id)} was shown with an empty ${JSON.stringify(called)}`);
  return faults;
}

function agrees(source: Source, id: string, name: string, value: Json, shown: Shown, seen: WalkResult): boolean {
  switch (shown.as) {
    case "text":
      return typeof value === "string" ? value === shown.text : isListOf([shown.text], value);
    case "time":
      return typeof value === "string" && parseInstant(value) === Date.parse(shown.datetime);
    case "list":
      return isListOf(shown.items, value);
    case "data":
      return isDeepStrictEqual(JSON.parse(shown.text), JSON.parse(JSON.stringify(value)));
    case "exact":
      return typeof value === "number" && String(value) === shown.value;
    case "words":
      if (typeof value === "boolean") return shown.text === (value ? "yes" : "no");
      if (typeof value === "number") return Number(shown.text.replaceAll(",", "")) === value;
      return Array.isArray(value) && value.length === 0 && shown.text === "";
    case "rest":
      return shown.field === name && isWhole(seen, id, name, value);
    case "files":
      return hasSameFiles(source, id, name, value, shown, seen);
  }
}

const isListOf = (items: readonly string[], value: Json): boolean =>
  Array.isArray(value) && isDeepStrictEqual(items, value.map(String));

/** The windows of a text, joined. */
const isWhole = (seen: WalkResult, place: string, field: string, value: Json): boolean =>
  seen.rebuilt.records.get(place)?.get(field)?.text()?.join("") === toText(value);

function hasSameFiles(
  source: Source,
  id: string,
  name: string,
  value: Json,
  { blobs, rest }: Extract<Shown, { as: "files" }>,
  seen: WalkResult,
): boolean {
  if (findFieldSpec(source.stream, name)?.blob !== true) return false;
  if (rest !== undefined && (rest !== name || !isWhole(seen, id, name, value))) return false;
  const items = (Array.isArray(value) ? value : [value]).filter(
    (item): item is JsonObject => typeof item === "object" && item !== null && "blob_id" in item,
  );
  if (rest === undefined && items.length !== blobs.length) return false;
  return blobs.every(({ blob }, i) => items[i]?.blob_id === blob && seen.rebuilt.blobsRead.has(blob));
}

/** Earlier states of the record, by the revisions its grant sees. */
function findEarlierProblems(
  source: Source,
  record: SeenRecord,
  label: (name: string) => string,
  seen: WalkResult,
): string[] {
  const id = `${record.connectionId}/${record.stream}:${record.key}`;
  const states: (JsonObject | null)[] = [];
  let before = "nothing";
  for (const { data } of record.states) {
    const state = { ...record, data };
    const shown = canSee(source, state) ? granted(source, state.data) : null;
    const text = shown === null ? "nothing" : JSON.stringify(shown);
    if (text !== before) states.push(shown);
    before = text;
  }
  return states.slice(0, -1).flatMap((data, i) => {
    const version = i + 1;
    const rows = seen.earlier.get(`${id} ${version}`);
    const said = `version ${version} of ${JSON.stringify(id)}`;
    if (data === null) return rows === undefined || rows === "refused" ? [] : [`${said} was shown, and was nothing`];
    if (rows === undefined || rows === "refused") return states.length - version > 12 ? [] : [`${said} was not shown`];
    return findEarlierRowProblems(data, rows, label, seen, `${id} ${version}`).map((fault) => `${said}: ${fault}`);
  });
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

const isEmptyIn = (data: JsonObject, label: (name: string) => string, called: string): boolean =>
  Object.entries(data).some(([name, value]) => value === "" && label(name) === called);

function findEarlierRowProblems(
  data: JsonObject,
  rows: readonly EarlierRow[],
  label: (name: string) => string,
  seen: WalkResult,
  place: string,
): string[] {
  // A field that only the next version has is shown as added.
  const left = rows.filter(
    ({ text, rest, label: called }) =>
      text !== undefined && (text !== "" || rest !== undefined || isEmptyIn(data, label, called)),
  );
  const faults: string[] = [];
  for (const [name, value] of Object.entries(data)) {
    const at = left.findIndex(
      (row) =>
        row.label === label(name) &&
        (row.rest === undefined ? row.text === toText(value) : isWhole(seen, place, name, value)),
    );
    if (at < 0)
      faults.push(
        `${JSON.stringify(name)} is ${toText(value).slice(0, 200)}, shown as ${JSON.stringify(rows.filter((row) => row.label === label(name))).slice(0, 500)}`,
      );
    else left.splice(at, 1);
  }
  return [...faults, ...left.map((row) => `was shown with ${JSON.stringify(row).slice(0, 200)}`)];
}
