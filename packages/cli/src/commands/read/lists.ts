import { type Input, type OperationName, operations } from "@pdpp/contract/operations";
import { getErrorMessage } from "@pdpp/server/system-error";
import { type Command, Option } from "commander";
import { parseJson } from "../../input/parse-json.ts";
import { collectValues } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";

/** Parses comma-separated names, or a JSON list for names that contain commas. */
export function parseNames(text: string): string[] {
  if (text.trimStart().startsWith("[")) {
    const list = parseJsonOption(text, "a list of names");
    if (!Array.isArray(list) || !list.every((item) => typeof item === "string"))
      throw new UsageError(`${text} is not a JSON list of names`);
    return list;
  }
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function parseJsonOption(text: string, what: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new UsageError(`${text.slice(0, 200)} is not ${what} in JSON: ${getErrorMessage(error)}`);
  }
}

export const addFilterOptions = (command: Command): Command =>
  command
    .option("--filter <condition>", "field=value, field>=value, ... (repeatable; all must match)", collectValues)
    .addOption(
      new Option("--filter-json <json>", 'the same as JSON: {"field": value} or {"field": {"gte": value}}').conflicts(
        "filter",
      ),
    );

type Filter = { [field: string]: string | { [operator: string]: string } };

/** Parses conditions such as `field=value` and `field>=value`. All must match. */
function parseFilters(filter: readonly string[]): Filter {
  const all = new Map<string, string | { [operator: string]: string }>();
  for (const text of filter) {
    const found = /^(.+?)(>=|<=|=|>|<)(.*)$/s.exec(text);
    if (found === null) throw new UsageError(`--filter ${text} is not a condition; use field=value or field>=value`);
    const [, field = "", sign = "", value = ""] = found;
    // Query-string syntax also works: filter[field][gte]=value.
    const bracketed = /^(?:filter)?\[(.+?)\](?:\[(\w+)\])?$/.exec(field);
    const name = bracketed?.[1] ?? field;
    const operator = bracketed?.[2] ?? operators[sign];
    if (operator === undefined) all.set(name, value);
    else {
      const held = all.get(name);
      all.set(name, { ...(typeof held === "object" ? held : {}), [operator]: value });
    }
  }
  return Object.fromEntries(all);
}

const operators: { readonly [sign: string]: string | undefined } = { ">=": "gte", "<=": "lte", ">": "gt", "<": "lt" };

function parseJsonFilter(text: string): Filter {
  const value = parseJsonOption(text, "a filter");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError('--filter-json needs an object, such as {"status":"paid","total":{"gte":5}}');
  const parseOperand = (held: unknown): string => (typeof held === "string" ? held : JSON.stringify(held));
  return Object.fromEntries(
    Object.entries(value).map(([field, held]) => [
      field,
      typeof held === "object" && held !== null
        ? Object.fromEntries(Object.entries(held).map(([operator, each]) => [operator, parseOperand(each)]))
        : parseOperand(held),
    ]),
  );
}

function parseExpandLimits(texts: readonly string[]): { [name: string]: number } {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.lastIndexOf("=");
      if (at < 1) throw new UsageError(`--expand-limit ${text} is not valid; use relationship=n`);
      return [text.slice(0, at), Number(text.slice(at + 1))];
    }),
  );
}

/** How option values become arguments; others are passed on as text. The server rejects NaN with a clear error. */
const parsers: { readonly [argument: string]: (value: never) => unknown } = {
  ...Object.fromEntries(
    ["limit", "limit_chars", "offset_chars", "end_chars", "before_chars", "after_chars"].map((name) => [name, Number]),
  ),
  ...Object.fromEntries(["fields", "expand", "sort", "streams"].map((name) => [name, parseNames])),
  expand_limit: parseExpandLimits,
  filter: parseFilters,
};

/** The operation's arguments that were given as options: `--group-by` is `group_by`. */
export function pickArguments<N extends OperationName>(operation: N, options: object): Partial<Input<N>> {
  const given = new Map(Object.entries(options));
  const picked = Object.keys(operations[operation].input.shape).flatMap((name) => {
    const isJson = name === "filter" && given.has("filterJson");
    const value = isJson ? given.get("filterJson") : given.get(toOptionKey(name));
    const parse = isJson ? parseJsonFilter : parsers[name];
    return value === undefined ? [] : [[name, parse === undefined ? value : parse(value as never)]];
  });
  return Object.fromEntries(picked) as Partial<Input<N>>;
}

const toOptionKey = (argument: string): string => argument.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
