import { hash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { MergeRules } from "@pdpp/contract/imports";
import { DatabaseError } from "../../core/database/sqlite-file.ts";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Question } from "../../core/importer.ts";
import { getLatestModification, mark, reject } from "../../core/items.ts";
import { readFiles } from "../../core/reading.ts";
import { cleanText, cleanValue, toText } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { type DateOrder, DateOrderDetector, dateOrders, parseDateOrder } from "../../core/time/date-order.ts";
import { type Entry, readHead, truncateEntry } from "../../tree/tree.ts";
import { type Expression, evaluate, listRules, type Rule, readInput, type Scope } from "./expressions.ts";
import type { Mapping, Source, StreamMapping } from "./mapping-file.ts";
import { isLike, readRows } from "./rows.ts";

interface Table {
  readonly stream: StreamMapping;
  readonly source: Source;
}

const listTables = ({ streams }: Mapping): Table[] =>
  streams.flatMap((stream) => stream.source.map((source) => ({ stream, source })));

const isOpen = (source: Source): boolean => source.kind === "csv" && source.also !== undefined;

/** Sources that allow further columns overlap, so the first one that fits decides. */
async function findTables(mapping: Mapping, entry: Entry): Promise<Table[]> {
  const all = listTables(mapping);
  if (!all.some(({ source }) => isOpen(source))) return all;
  const bytes = await readHead(entry, 65_536);
  const head = { bytes, text: decodeText(bytes) };
  return all.filter(({ source, stream }) => isLike(source, stream.fields, head)).slice(0, 1);
}

const listTimeRules = ({ fields, derive, id = "" }: StreamMapping): Rule[] =>
  listRules([id, ...Object.values(derive), ...Object.values(fields)]).filter(({ type }) =>
    ["time", "day", "local_time"].includes(type ?? ""),
  );

/** Creates an importer for files like the one the mapping was made from. */
export function createMappingImporter(mapping: Mapping, version = "1"): Importer {
  const key = toText(mapping.manifest.connector_key) ?? "table";
  const title = mapping.title ?? toText(mapping.manifest.display_name) ?? key;
  return {
    key,
    title,
    version,
    testedWith: "unproven",
    manifest: mapping.manifest,
    mainStream: mapping.streams[0]?.stream ?? "records",
    variant: hash("sha256", JSON.stringify(mapping), "hex").slice(0, 16),
    mergeRules: {
      ...mapping.merge,
      ...Object.fromEntries(listParentStreams(mapping).map((name) => [name, parentRules])),
    },
    sniff: (path, head) =>
      !/\.pdpp\.json$/i.test(path) &&
      listTables(mapping).some(
        ({ source, stream }) =>
          isLike(source, stream.fields, head) && (!isOpen(source) || /\.(csv|tsv|txt)$/i.test(path)),
      ),
    createClaims: async (found, tree): Promise<Claim[]> => [
      {
        format: key,
        label: title,
        entries: found,
        companions: tree.entries.filter(({ path }) => /\.pdpp\.json$/i.test(path)),
        exportedAt: getLatestModification(found),
        questions: await listQuestions(mapping, title, found),
      },
    ],
    read: (claim, answers, from) =>
      readFiles(claim, from, (entry, index) => readTables(mapping, claim, entry, index, answers)),
    canContinueAt: (entry, offset) => hasNewRows(mapping, entry, offset),
  };
}

const parentRules: MergeRules = { is_shared: true };

const listParentStreams = ({ streams }: Mapping): string[] =>
  streams.flatMap(({ parents }) => parents.map(({ stream }) => stream));

async function listQuestions(mapping: Mapping, title: string, entries: readonly Entry[]): Promise<Question[]> {
  let [needsOrder, needsZone] = [false, false];
  for (const entry of entries) {
    for (const table of await findTables(mapping, entry)) {
      const rules = listTimeRules(table.stream);
      if (rules.some(({ type, zone }) => type === "time" && zone === undefined)) needsZone = true;
      if (rules.some(({ date_order }) => date_order === undefined)) needsOrder = true;
      const isDetected = rules.some(({ date_order }) => date_order === "detect");
      if (isDetected && (await detectDateOrder(entry, table)) === undefined) needsOrder = true;
    }
  }
  return [
    ...(needsOrder
      ? [{ key: "date_order" as const, text: `How does ${title} write its dates?`, choices: dateOrders }]
      : []),
    ...(needsZone
      ? [{ key: "time_zone" as const, text: `In which time zone are the times of ${title}?`, defaultAnswer: "UTC" }]
      : []),
  ];
}

/** Rows scanned to find the order of day and month. */
const maxScanned = 20_000;

async function detectDateOrder(entry: Entry, { stream, source }: Table): Promise<DateOrder | undefined> {
  const rule = listTimeRules(stream).find(({ date_order }) => date_order === "detect");
  if (rule === undefined) return undefined;
  const detector = new DateOrderDetector("either");
  let scanned = 0;
  for await (const { values } of readRows(entry, source)) {
    detector.addText(readInput(rule, (name) => values?.[name]));
    scanned += 1;
    if (scanned >= maxScanned) break;
  }
  return detector.detect();
}

/** Whether a file that ended at `offset` was complete, and its dates are read as before. */
async function hasNewRows(mapping: Mapping, entry: Entry, offset: number): Promise<boolean> {
  const [table, ...others] = await findTables(mapping, entry);
  const isLines = table?.source.kind === "csv" || table?.source.kind === "ndjson";
  if (table === undefined || others.length > 0 || !isLines || offset === 0) return false;
  const [last] = await readHead({ ...entry, bytes: () => entry.bytes(offset - 1) }, 1);
  const before = truncateEntry(entry, offset);
  return last === newline && (await detectDateOrder(before, table)) === (await detectDateOrder(entry, table));
}

const newline = 10;

const getTableName = (path: string): string => getFileName(path).replace(/\.\w+$/, "");

const formatListed = (columns: readonly string[], values: Record<string, unknown>): string =>
  JSON.stringify(columns.map((name) => toText(values[name])));

/** Entries listed in other files of the folder, for `unless_listed`. */
async function collectListed(
  mapping: Mapping,
  { entries }: Claim,
  entry: Entry,
  { stream }: Table,
): Promise<Set<string>> {
  const { rows_of: names = [], in: listing = [], columns = [] } = stream.unless_listed ?? {};
  const listed = new Set<string>();
  if (!names.includes(getTableName(entry.path))) return listed;
  const others = entries.filter(
    ({ path }) => getFolder(path) === getFolder(entry.path) && listing.includes(getTableName(path)),
  );
  for (const other of others)
    for (const table of await findTables(mapping, other))
      for await (const { values } of readRows(other, table.source))
        if (values !== undefined) listed.add(formatListed(columns, values));
  return listed;
}

async function* readTables(
  mapping: Mapping,
  claim: Claim,
  entry: Entry,
  index: number,
  answers: Answers,
): AsyncGenerator<Item> {
  const tables = await findTables(mapping, entry);
  let n = 0;
  for (const table of tables) {
    const order = (await detectDateOrder(entry, table)) ?? parseDateOrder(answers.date_order);
    const build = createRecordBuilder(mapping, table.stream, entry.path, answers, order);
    const { columns = [], reason = "" } = table.stream.unless_listed ?? {};
    const listed = await collectListed(mapping, claim, entry, table);
    try {
      for await (const { offset, end, raw, values, failure } of readRows(entry, table.source)) {
        n += 1;
        if (values === undefined)
          yield reject(entry.path, offset, failure?.code ?? "not_a_row", failure?.reason ?? "it cannot be read", raw);
        else if (listed.has(formatListed(columns, values))) yield { kind: "skipped", path: entry.path, reason };
        else {
          try {
            yield* build(values);
          } catch (error) {
            yield reject(entry.path, offset, "not_a_row", describeError(error), raw);
          }
        }
        yield mark(index, tables.length === 1 ? end : n);
      }
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      yield reject(entry.path, 0, error.code, error.message);
    }
  }
}

/** Parents remembered, so that each is created once; tables with more repeat some. */
const maxParents = 1000;

function createRecordBuilder(
  { defaults }: Mapping,
  { stream, key, id, derive, skip, fields, parents }: StreamMapping,
  path: string,
  answers: Answers,
  order: DateOrder | undefined,
): (values: Record<string, unknown>) => Item[] {
  const occurrences = new Occurrences();
  const known = new Set<string>();
  const aboutFile = {
    "@file": getTableName(path),
    "@folder": getFileName(getFolder(path).slice(0, -1)),
    "@time_zone": answers.time_zone ?? "UTC",
  };
  const buildData = (name: string, from: Readonly<Record<string, Expression>>, scope: Scope): JsonObject => {
    const data: JsonObject = { id: "", ...defaults.get(name) };
    for (const [field, expression] of Object.entries(from))
      if (field !== "id") data[field] = evaluate(expression, scope);
    return data;
  };
  return (values) => {
    const cells: Record<string, unknown> = { ...values, ...aboutFile };
    const scope: Scope = {
      getCell: (name) => cells[name],
      answers,
      order,
      numberId: (derivedId) => occurrences.number(derivedId),
    };
    for (const [name, expression] of Object.entries(derive)) cells[name] = evaluate(expression, scope);
    if (skip !== undefined && evaluate(skip.when, scope) !== null)
      return [{ kind: "skipped", path, reason: skip.reason }];
    const data = buildData(stream, fields, scope);
    const items: Item[] = [];
    for (const parent of parents) {
      const parentId = String(evaluate(parent.id, scope));
      data[parent.field] = parentId;
      if (known.size >= maxParents || known.size === known.add(`${parent.stream} ${parentId}`).size) continue;
      const record = buildData(parent.stream, parent.fields, scope);
      items.push({ kind: "record", stream: parent.stream, data: { ...record, id: parentId } });
    }
    data.id = id === undefined ? deriveRowId(stream, key, values, occurrences) : evaluate(id, scope);
    if (data.id === null) throw new Error("it has no id");
    return [...items, { kind: "record", stream, data }];
  };
}

function deriveRowId(
  stream: string,
  key: readonly string[],
  values: Record<string, unknown>,
  occurrences: Occurrences,
): string {
  if (key.length === 0) return occurrences.number(deriveId(stream, JSON.stringify(cleanValue(values))));
  const own = key.map((column) => values[column]);
  if (own.some((value) => value === null || value === undefined || value === ""))
    throw new Error(`it has no ${key.join(", ")}`);
  return own.map((value) => cleanText(String(value))).join("/");
}
