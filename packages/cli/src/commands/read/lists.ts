import { getErrorMessage } from "@pdpp/server/system-error";
import { type Command, Option } from "commander";
import { collectValues } from "../../runtime/command.ts";
import { usage } from "./reading.ts";

/** Names with commas between them, or a JSON list for names that have commas themselves. */
export function parseNames(text: string): string[] {
  if (text.trimStart().startsWith("[")) {
    const list = parseJson(text, "a list of names");
    if (!Array.isArray(list) || !list.every((item) => typeof item === "string"))
      throw usage(`${text} is not a JSON list of names`);
    return list;
  }
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${text.slice(0, 200)} is not ${what} in JSON: ${getErrorMessage(error)}`);
  }
}

/** The two ways of writing a filter, for the commands that take one. */
export const addFilterOptions = (command: Command): Command =>
  command
    .option("--filter <condition>", "field=value, field>=value, ... (repeatable; all must match)", collectValues)
    .addOption(
      new Option("--filter-json <json>", 'the same as JSON: {"field": value} or {"field": {"gte": value}}').conflicts(
        "filter",
      ),
    );

type Filter = { [field: string]: string | { [operator: string]: string } };

/** Filters written as `field=value` and `field>=value`, or as one JSON object; all must hold. */
export function parseFilters({ filter, filterJson }: { filter?: string[]; filterJson?: string }): Filter | undefined {
  if (filterJson !== undefined && filter !== undefined) throw usage("--filter and --filter-json cannot be combined");
  if (filterJson !== undefined) return filterFromJson(filterJson);
  if (filter === undefined) return undefined;
  const all = new Map<string, string | { [operator: string]: string }>();
  for (const text of filter) {
    const found = /^(.+?)(>=|<=|=|>|<)(.*)$/s.exec(text);
    if (found === null) throw usage(`--filter ${text} is not of the form field=value or field>=value`);
    const [, field = "", sign = "", value = ""] = found;
    // The form of a query string is understood as well: filter[field][gte]=value.
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
  const value = parseJson(text, "a filter");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw usage('--filter-json takes an object, such as {"status":"paid","total":{"gte":5}}');
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

/** `name=n`, several times. */
export function parseExpandLimits(texts: readonly string[] | undefined): { [name: string]: number } | undefined {
  if (texts === undefined) return undefined;
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.lastIndexOf("=");
      if (at < 1) throw usage(`--expand-limit ${text} is not of the form relationship=n`);
      return [text.slice(0, at), Number(text.slice(at + 1))];
    }),
  );
}
