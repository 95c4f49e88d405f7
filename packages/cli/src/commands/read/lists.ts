import { getErrorMessage } from "@pdpp/server/system-error";
import { type Command, Option } from "commander";
import { parseJson } from "../../input/parse-json.ts";
import { collectValues } from "../../runtime/command.ts";
import { usage } from "./reading.ts";

/** Parses comma-separated names, or a JSON list for names that contain commas. */
export function parseNames(text: string): string[] {
  if (text.trimStart().startsWith("[")) {
    const list = parseJsonOption(text, "a list of names");
    if (!Array.isArray(list) || !list.every((item) => typeof item === "string"))
      throw usage(`${text} is not a JSON list of names`);
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
    throw usage(`${text.slice(0, 200)} is not ${what} in JSON: ${getErrorMessage(error)}`);
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

/** Parses conditions such as `field=value` and `field>=value`, or one JSON object. All must match. */
export function parseFilters({ filter, filterJson }: { filter?: string[]; filterJson?: string }): Filter | undefined {
  if (filterJson !== undefined && filter !== undefined) throw usage("--filter and --filter-json cannot be combined");
  if (filterJson !== undefined) return filterFromJson(filterJson);
  if (filter === undefined) return undefined;
  const all = new Map<string, string | { [operator: string]: string }>();
  for (const text of filter) {
    const found = /^(.+?)(>=|<=|=|>|<)(.*)$/s.exec(text);
    if (found === null) throw usage(`--filter ${text} is not a condition; use field=value or field>=value`);
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

function filterFromJson(text: string): Filter {
  const value = parseJsonOption(text, "a filter");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw usage('--filter-json needs an object, such as {"status":"paid","total":{"gte":5}}');
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

export function parseExpandLimits(texts: readonly string[] | undefined): { [name: string]: number } | undefined {
  if (texts === undefined) return undefined;
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.lastIndexOf("=");
      if (at < 1) throw usage(`--expand-limit ${text} is not valid; use relationship=n`);
      return [text.slice(0, at), Number(text.slice(at + 1))];
    }),
  );
}
