import type { Dice } from "../model/generators/dice.ts";
import type { Call } from "../walker/hosts/mcp-host.ts";
import { drawStrangeValue, drawWord, type Words } from "./words.ts";

/** Generates tool calls that are almost valid. */

type Maker = (d: Dice, words: Words) => unknown;

const number: Maker = (d) => d.pick([0, 1, 2, 5, 50, 100, 101, 4096, 16_384, 1e9, -1, 1.5, "7"]);
const time: Maker = (d) =>
  d.pick(["2026-01-01", "2025-10-26T00:30:00Z", "yesterday", "9999-99-99", 5, "2026-01-01T00:00"]);
const field: Maker = (d, words) =>
  d.chance(25)
    ? `${d.pick(words.fields)}${d.pick([".a", "[0]", '["a.b"]', "{text}", "[-1]", ".", '["'])}`
    : drawWord(d, words.fields);
const list =
  (of: Maker): Maker =>
  (d, words) =>
    d.chance(90) ? Array.from({ length: 1 + d.below(4) }, () => of(d, words)) : of(d, words);
const toName = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const scalar: Maker = (d) => d.pick<unknown>([1, 42, "x", true, "2026-01-01", "CNRY_1_", -5, "", null, 77_300_009_973]);
const filter: Maker = (d, words) =>
  d.chance(15)
    ? drawStrangeValue(d)
    : Object.fromEntries(
        Array.from({ length: 1 + d.below(3) }, () => [
          toName(field(d, words)),
          d.chance(50) ? scalar(d, words) : { [d.pick(["gte", "gt", "lte", "lt", "eq", "$ne"])]: scalar(d, words) },
        ]),
      );
const query: Maker = (d) =>
  d.pick<() => unknown>([
    () => "kettle",
    () => '"kettle had" boiled -twice',
    () => "CNRY 1000003",
    () => "*",
    () => '"',
    () => "a* OR b* NEAR(c)",
    () => "日本語",
    () => drawStrangeValue(d),
  ])();

const stream: Maker = (d, words) => drawWord(d, words.streams);
const connection: Maker = (d, words) => drawWord(d, words.connections);
const cursor: Maker = (d, words) => drawWord(d, words.cursors);
const id: Maker = (d, words) => drawWord(d, words.ids);

const makers: Readonly<Record<string, Maker>> = {
  stream,
  streams: list(stream),
  connection_id: connection,
  id,
  record_id: (d, words) => drawWord(d, words.keys),
  blob_id: (d, words) => drawWord(d, words.blobs),
  field,
  field_path: field,
  fields: list(field),
  after_field: field,
  group_by: field,
  group_by_time: field,
  granularity: (d) => d.pick(["day", "month", "minute", "year", "eon"]),
  time_zone: (d) => d.pick(["UTC", "Europe/Berlin", "Mars/Base", "America/New_York", ""]),
  metric: (d) => d.pick(["count", "sum", "min", "max", "count_distinct", "median"]),
  filter,
  order: (d) => d.pick(["asc", "desc", "up"]),
  sort: field,
  count: (d) => d.pick(["none", "exact", "estimated"]),
  expand: list((d, words) => drawWord(d, words.relations)),
  expand_limit: (d, words) => ({ [toName(drawWord(d, words.relations))]: number(d, words) }),
  changes_since: (d, words) => (d.chance(30) ? "beginning" : cursor(d, words)),
  view: (d) => d.pick(["compact", "evidence", "document", "view 0", "x"]),
  detail: (d) => d.pick(["compact", "full", "most"]),
  cursor,
  limit: number,
  limit_chars: number,
  offset_chars: number,
  before_chars: number,
  after_chars: number,
  version: (d) => d.pick(["1", "2", "0", "-1", "99999999999999999999", "1.5", "x", 1]),
  query,
  q: query,
  since: time,
  until: time,
};

const taken: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  schema: [[], ["stream", "connection_id", "detail", "cursor"]],
  query_records: [
    ["stream"],
    [
      "connection_id",
      "filter",
      "fields",
      "order",
      "limit",
      "cursor",
      "count",
      "expand",
      "expand_limit",
      "changes_since",
    ],
  ],
  aggregate: [
    ["stream", "metric"],
    ["field", "group_by", "group_by_time", "granularity", "time_zone", "limit", "filter", "connection_id"],
  ],
  search: [["query"], ["streams", "connection_id", "filter", "since", "until", "limit", "cursor", "q"]],
  fetch: [["id"], ["fields", "after_field", "connection_id"]],
  read_record_field: [
    ["id", "field_path"],
    ["q", "offset_chars", "limit_chars", "before_chars", "after_chars", "cursor", "version", "connection_id"],
  ],
};

/** Draws arguments for an operation: required ones almost always, optional ones sometimes, unknown ones rarely. */
export function drawArguments(
  d: Dice,
  words: Words,
  needed: readonly string[],
  optional: readonly string[],
): Record<string, unknown> {
  const names = [...needed.filter(() => d.chance(96)), ...optional.filter(() => d.chance(22))];
  if (d.chance(3)) names.push(d.pick(["", "constructor", "connector_instance_id", "Limit", "filter[x]"]));
  return Object.fromEntries(names.map((name) => [name, d.chance(94) ? makers[name]?.(d, words) : drawStrangeValue(d)]));
}

export function drawCall(d: Dice, words: Words): Call {
  const [tool, [needed, optional]] = d.pick(Object.entries(taken));
  if (d.chance(1)) return { tool: d.pick(["", "Schema", "fetch ", "delete"]), arguments: {} };
  return { tool, arguments: drawArguments(d, words, needed, optional) };
}
