/**
 * Query strings: repeated keys or commas for lists, brackets for maps (`filter[amount][gte]=5`). The contract names
 * the lists, maps and numbers; everything else is text.
 */

export type QueryValue =
  | string
  | number
  | string[]
  | { [key: string]: string | number | { [operator: string]: string } };

const listNames: ReadonlySet<string> = new Set(["fields", "sort", "expand", "streams"]);
const mapNames: ReadonlySet<string> = new Set(["filter", "expand_limit"]);
const charsNames = ["offset_chars", "end_chars", "limit_chars", "before_chars", "after_chars", "max_chars"];
const numberNames: ReadonlySet<string> = new Set([...charsNames, "expand_limit", "versions"]);

/** Other text stays text, which the operation's schema rejects by name. Page limits are clamped later. */
function parseNumber(name: string, text: string): string | number {
  const form = name === "limit" ? /^-?\d{1,15}(\.\d{1,15})?$/ : /^\d{1,15}$/;
  return form.test(text) ? Number(text) : text;
}

export function encodeQuery(input: { readonly [name: string]: unknown }, leftOut: readonly string[] = []): string {
  let text = "";
  const add = (name: string, value: string) => {
    text += `${text === "" ? "" : "&"}${encodeParameter(name)}=${encodeParameter(value)}`;
  };
  for (const name of Object.keys(input)) {
    const value = input[name];
    if (value === undefined || leftOut.includes(name)) continue;
    if (Array.isArray(value)) for (const item of value) add(nameItem(name, String(item)), String(item));
    else if (typeof value === "object" && value !== null) for (const pair of mapPairs(name, value)) add(...pair);
    else add(name, String(value));
  }
  return text;
}

const encodeParameter = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Commas separate list items; with brackets an item is taken literally. */
function nameItem(name: string, item: string): string {
  return item.includes(",") || item.trim() !== item ? `${name}[]` : name;
}

/** A name that looks like a shorter name plus an operator. It needs an explicit operator after it. */
const endsAsOperator = /\]\[\w+$/;

function mapPairs(name: string, map: object): [string, string][] {
  return Object.entries(map).flatMap(([key, value]): [string, string][] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([operator, operand]): [string, string] => [
          `${name}[${key}][${operator}]`,
          String(operand),
        ])
      : [[`${name}[${key}]${endsAsOperator.test(key) ? "[eq]" : ""}`, String(value)]],
  );
}

export interface QueryError {
  param: string;
  message: string;
}

export function decodeQuery(params: URLSearchParams): { values: Map<string, QueryValue>; fault?: QueryError } {
  const values = new Map<string, QueryValue>();
  for (const [written, value] of params) {
    const bracket = written.indexOf("[");
    const name = bracket < 0 ? written : written.slice(0, bracket);
    const inner = bracket < 0 ? null : written.slice(bracket);
    if (listNames.has(name) && (inner === null || inner === "[]")) {
      addToList(values, name, inner === "[]" ? [value] : value.split(",").map((item) => item.trim()));
    } else if (mapNames.has(name) && inner !== null) {
      if (!addToMap(values, name, inner, value)) {
        return {
          values,
          fault: { param: written, message: `${written} is not of the form ${name}[field]=value, or is given twice` },
        };
      }
    } else if (inner !== null || mapNames.has(name)) {
      return { values, fault: { param: written, message: suggestBrackets(name, written) } };
    } else if (values.has(name)) {
      return { values, fault: { param: name, message: `${name} is given more than once` } };
    } else {
      values.set(name, name === "limit" || numberNames.has(name) ? parseNumber(name, value) : value);
    }
  }
  return { values };
}

function suggestBrackets(name: string, written: string): string {
  return mapNames.has(name)
    ? `${written} needs a name in brackets, as in ${name}[field]=value`
    : `${written} is not a parameter of this operation`;
}

function addToList(values: Map<string, QueryValue>, name: string, items: string[]): void {
  const list = (values.get(name) as string[] | undefined) ?? [];
  values.set(name, [...list, ...items.filter((item) => item !== "")]);
}

/** A field name may contain brackets and dots, so the operator is in the last pair of brackets. */
function addToMap(values: Map<string, QueryValue>, name: string, inner: string, value: string): boolean {
  if (!inner.endsWith("]") || inner.length < 3) return false;
  const ranged = /^\[(.+)\]\[(\w+)\]$/s.exec(inner);
  const map = (values.get(name) as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
  const entries = map instanceof Map ? map : new Map(Object.entries(map));
  const plain = ranged?.[2] === "eq" && endsAsOperator.test(ranged[1]!);
  if (ranged && !plain) {
    const [, key, operator] = ranged as unknown as [string, string, string];
    const held = entries.get(key) ?? {};
    if (typeof held !== "object" || Object.hasOwn(held as object, operator)) return false;
    entries.set(key, Object.fromEntries([...Object.entries(held as object), [operator, value]]));
  } else {
    const key = plain ? ranged![1]! : inner.slice(1, -1);
    if (entries.has(key)) return false;
    entries.set(key, numberNames.has(name) ? parseNumber(name, value) : value);
  }
  values.set(name, Object.fromEntries(entries) as QueryValue);
  return true;
}
