import type { Json } from "@pdpp/contract/declaration";
import { deriveId } from "../../core/identity.ts";
import type { Answers } from "../../core/importer.ts";
import { type DecimalSeparator, parseAmount } from "../../core/records/money.ts";
import { cleanText, cleanValue, dropNulls } from "../../core/text/clean.ts";
import { type DateOrder, parseDateOrder } from "../../core/time/date-order.ts";
import { formatTime } from "./times.ts";

/** How a field is computed from a row: a text with `{Column}` names, the first of several that is not empty, or a rule. */
export type Expression = string | Expression[] | Rule;

export const valueTypes = ["text", "multiline", "number", "boolean", "time", "day", "local_time", "json"] as const;

export interface Rule {
  /** The input: a column as it is, or another expression. */
  readonly column?: string | undefined;
  readonly from?: Expression | undefined;
  /** Instead of an input: a sorted list, an object without its empty values, or an id derived from these values. */
  readonly list?: Expression[] | undefined;
  readonly object?: Readonly<Record<string, Expression>> | undefined;
  readonly hash?: Expression[] | undefined;
  /** Appends a number to derived ids that occur more than once in the file. */
  readonly numbered?: boolean | undefined;
  /** Empty unless the text begins with this. */
  readonly starts_with?: string | undefined;
  /** Only what follows or precedes this; empty if it does not occur. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly lower?: boolean | undefined;
  /** Replaces values; `*` stands for any other value. */
  readonly values?: Readonly<Record<string, Json>> | undefined;
  /** Splits the text into a list. */
  readonly split?: string | undefined;
  readonly type?: (typeof valueTypes)[number] | undefined;
  /** `dmy`, `mdy`, `ymd`, or `detect` to find it in the file. If omitted, the owner is asked. */
  readonly date_order?: string | undefined;
  /** Decimal separator of numbers written as text; if omitted, each value is examined alone. */
  readonly decimal?: DecimalSeparator | undefined;
  /** Zone of times that have none; `written` rejects them. If omitted, the owner is asked. */
  readonly zone?: string | undefined;
  /** Rejects rows without this value. */
  readonly required?: boolean | undefined;
  /** Ignores values that do not fit the type, instead of rejecting the row. */
  readonly optional?: boolean | undefined;
}

export interface Scope {
  getCell(name: string): unknown;
  readonly answers: Answers;
  /** The date order found in the file. */
  readonly order: DateOrder | undefined;
  numberId(id: string): string;
}

const cellName = /\{([^{}]+)\}/g;

const isEmpty = (value: unknown): value is null | undefined | "" =>
  value === null || value === undefined || value === "";

export function evaluate(expression: Expression, scope: Scope): Json {
  if (typeof expression === "string") return fillTemplate(expression, scope.getCell);
  if (!Array.isArray(expression)) return evaluateRule(expression, scope);
  for (const each of expression) {
    const value = evaluate(each, scope);
    if (value !== null) return value;
  }
  return null;
}

/** Templates split at their columns: every second part is the name of one. */
const templates = new Map<string, readonly string[]>();

/** Null if a column in it is empty. */
function fillTemplate(template: string, getCell: Scope["getCell"]): string | null {
  const parts = templates.get(template) ?? template.split(cellName);
  templates.set(template, parts);
  let text = "";
  for (const [i, part] of parts.entries()) {
    const value = i % 2 === 0 ? part : getCell(part);
    if (i % 2 === 1 && isEmpty(value)) return null;
    text += value;
  }
  return text;
}

function evaluateRule(rule: Rule, scope: Scope): Json {
  const { list, object, hash } = rule;
  if (list !== undefined) return [...new Set(list.flatMap((each) => toTexts(evaluate(each, scope))))].sort();
  if (object !== undefined)
    return dropNulls(Object.fromEntries(Object.entries(object).map(([name, each]) => [name, evaluate(each, scope)])));
  if (hash !== undefined) {
    const id = deriveId(...hash.map((each) => toTexts(evaluate(each, scope))[0]));
    return rule.numbered === true ? scope.numberId(id) : id;
  }
  const input = rule.column === undefined ? evaluate(rule.from ?? "", scope) : scope.getCell(rule.column);
  const value = convert(typeof input === "string" ? transform(input, rule) : input, rule, scope);
  if (value === null && rule.required === true) throw new Error(`it has no ${getLabel(rule)}`);
  return value;
}

const toTexts = (value: Json): string[] =>
  value === null ? [] : Array.isArray(value) ? value.flatMap(toTexts) : [String(value)];

/** A column to name in messages. */
const getLabel = ({ column, from }: Rule): string =>
  column ?? JSON.stringify(from).match(cellName)?.[0].slice(1, -1) ?? "value";

function transform(input: string, { starts_with, after, before, lower, values }: Rule): Json {
  let text = input;
  if (starts_with !== undefined && !text.startsWith(starts_with)) return null;
  if (after !== undefined) text = text.includes(after) ? text.slice(text.indexOf(after) + after.length) : "";
  if (before !== undefined) text = text.slice(0, Math.max(0, text.indexOf(before)));
  if (lower === true) text = text.toLowerCase();
  if (values === undefined || text === "") return text;
  return (Object.hasOwn(values, text) ? values[text] : Object.hasOwn(values, "*") ? values["*"] : text) ?? null;
}

function convert(value: unknown, rule: Rule, scope: Scope): Json {
  if (isEmpty(value)) return null;
  if (rule.split !== undefined)
    return String(value)
      .split(rule.split)
      .map((part) => part.trim())
      .filter((part) => part !== "");
  const { type = typeof value === "boolean" ? "boolean" : "text" } = rule;
  if (type === "json") return cleanValue(value);
  if (type === "boolean") return /^(true|yes|1|ja|oui|si)$/i.test(String(value).trim());
  if (type === "text" || type === "multiline") {
    const text = typeof value === "object" ? JSON.stringify(cleanValue(value)) : cleanText(String(value));
    return type === "text" ? text : text.replaceAll("\r\n", "\n");
  }
  const parsed = type === "number" ? parseNumber(value, rule) : parseTime(String(value).trim(), rule, scope);
  if (parsed === null && rule.optional !== true)
    throw new Error(
      `${getLabel(rule)} is not a ${type === "number" ? "number" : "date"}: ${String(value).slice(0, 60)}`,
    );
  return parsed;
}

function parseNumber(value: unknown, { decimal }: Rule): number | null {
  const number = typeof value === "number" ? value : parseAmount(String(value), decimal);
  return number !== null && Number.isFinite(number) ? number : null;
}

function parseTime(text: string, { type, date_order, zone }: Rule, { answers, order }: Scope): string | null {
  const known = date_order === "detect" ? order : parseDateOrder(date_order ?? answers.date_order);
  if (zone === "written" && !/(Z|UTC|[+-]\d\d:?\d\d)$/i.test(text)) return null;
  const usual = type === "time" ? (zone ?? answers.time_zone ?? "UTC") : "UTC";
  const found = formatTime(text, known ?? "mdy", usual === "written" ? "UTC" : usual);
  return type === "time" ? found : (found?.slice(0, type === "day" ? 10 : 19) ?? null);
}

/** The rule and all rules inside it. */
export function listRules(expression: Expression): Rule[] {
  if (typeof expression === "string") return [];
  if (Array.isArray(expression)) return expression.flatMap(listRules);
  const { from = "", list = [], object = {}, hash = [] } = expression;
  return [expression, ...[from, ...list, ...hash, ...Object.values(object)].flatMap(listRules)];
}

/** The text of a date before it is parsed; empty if it is computed from more than columns. */
export function readInput({ column, from = "" }: Rule, getCell: Scope["getCell"]): string {
  if (column !== undefined) return String(getCell(column) ?? "");
  const texts = (Array.isArray(from) ? from : [from]).filter((each) => typeof each === "string");
  return texts.map((each) => fillTemplate(each, getCell)).find((text) => text !== null) ?? "";
}
