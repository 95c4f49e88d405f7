import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { describeIssue } from "@pdpp/contract/issue-words";
import { distance, closest as nearest } from "fastest-levenshtein";
import { z } from "zod";
import type { Tool } from "./tool.ts";

/**
 * Arguments shared by several tools. Limits and defaults are also in the descriptions, because not every host shows
 * the rest of the schema.
 */

const text = z.string().min(1);

export const connectionId = text.optional().describe("one connection, when several have the stream");
export const parseLimit = (standard: number, what: string) =>
  z.int().min(1).max(100).optional().describe(`${what}, 1 to 100, default ${standard}`);
const cursorChars = 8192;
export const cursor = text.max(cursorChars).optional().describe("from a -> line or `next`");
export const filter = z
  .any()
  .optional()
  .meta({ type: "object" })
  .describe('{"field": value} or {"field": {"gte": v, "lt": v}} (gte, gt, lte, lt)');
export const expandLimit = z.any().optional().meta({ type: "object" }).describe('{"relation": n}');
export const recordId = text.describe("as shown: connection_id/stream:record_id");

/** Validates a tool's arguments before anything is read. Errors say how to call the tool. */
export function parseArguments(tool: Tool, given: unknown): Record<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw rejectArgument(tool, "the arguments must be an object.");
  const named = withAliases(tool, given as Record<string, unknown>);
  const known = Object.keys(tool.input.shape);
  const stray = Object.keys(named).find((name) => !known.includes(name));
  if (stray !== undefined) {
    const close = findClosestName(stray, known);
    const hint = close === undefined ? "" : ` Did you mean ${close}?`;
    throw rejectArgument(tool, `${tool.name} has no argument ${JSON.stringify(stray.slice(0, 60))}.${hint}`, stray);
  }
  const parsed = tool.input.safeParse(named);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw rejectArgument(tool, "the arguments are invalid.");
  const path = issue.path.map(String).join(".");
  const words = Object.hasOwn(named, String(issue.path[0])) ? describeIssue(issue, path) : `${path} is required`;
  throw rejectArgument(tool, `${words}.`, path);
}

function withAliases(tool: Tool, given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const real = tool.aliases?.[name];
      return [real !== undefined && !Object.hasOwn(given, real) ? real : name, value];
    }),
  );
}

function rejectArgument(tool: Tool, what: string, param?: string): PdppError {
  const { properties = {}, required = [] } = buildInputSchema(tool);
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  const message = `${what} ${tool.name} takes: ${names.join(", ")}`;
  return new PdppError("invalid_argument", message, param === undefined ? {} : { param: param.slice(0, 60) });
}

/** Suggests the argument that was probably meant. */
function findClosestName(written: string, names: readonly string[]): string | undefined {
  const plain = written.toLowerCase().replaceAll("-", "_");
  if (plain === "connector_instance_id") return names.find((name) => name === "connection_id");
  const best = names.length === 0 ? undefined : nearest(plain.slice(0, 64), names);
  if (best !== undefined && distance(plain.slice(0, 64), best) <= Math.max(2, Math.floor(best.length / 3))) return best;
  return names.find((name) => name.includes(plain) || plain.includes(name));
}

/** Converts `sort` to its wire form; accepts a list or comma-separated names. */
export function toWireSort(given: unknown): string[] | undefined {
  if (given === undefined) return undefined;
  const names = typeof given === "string" ? given.split(",") : given;
  const isNames = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((name) => typeof name === "string");
  if (isNames(names)) return names;
  throw new PdppError("invalid_argument", 'sort must be a field name, such as "-sent_at"', { param: "sort" });
}

type WireFilter = { [field: string]: string | { [operator: string]: string } };

const operators: readonly string[] = ["gte", "gt", "lte", "lt"];
const isScalar = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** Converts a typed filter to its wire form; rejects anything else by name. */
export function toWireFilter(given: unknown): WireFilter | undefined {
  if (given === undefined) return undefined;
  const rejectValue = (what: string): PdppError =>
    new PdppError("invalid_argument", `${what}; filter is {"field": value} or {"field": {"gte": value, "lt": value}}`, {
      param: "filter",
    });
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw rejectValue("filter is not an object");
  const entries = Object.entries(given);
  if (entries.length === 0) throw rejectValue("filter is empty; leave it out");
  return Object.fromEntries(
    entries.map(([field, value]): [string, string | { [operator: string]: string }] => {
      const shown = JSON.stringify(field.slice(0, 60));
      if (/^filter\[|\]$/.test(field))
        throw rejectValue(`${shown} is already URL-encoded; write only the field's name`);
      if (isScalar(value)) return [field, String(value)];
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw rejectValue(`the value of ${shown} is neither a scalar nor a range`);
      const range = Object.entries(value);
      const stray = range.find(([operator, operand]) => !operators.includes(operator) || !isScalar(operand));
      if (range.length === 0 || stray !== undefined)
        throw rejectValue(`the range of ${shown} needs gte, gt, lte or lt with a value`);
      return [field, Object.fromEntries(range.map(([operator, operand]) => [operator, String(operand)]))];
    }),
  );
}

/** Converts `expand_limit` to its wire form, a number per relation; rejects anything else with an example. */
export function toWireExpandLimit(given: unknown): { [relation: string]: number } | undefined {
  if (given === undefined) return undefined;
  const rejectValue = (what: string): PdppError =>
    new PdppError(
      "invalid_argument",
      `${what}; expand_limit goes with expand, as in {"expand": ["messages"], "expand_limit": {"messages": 5}}`,
      { param: "expand_limit" },
    );
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw rejectValue("expand_limit is not an object");
  const entries = Object.entries(given);
  if (entries.length === 0) throw rejectValue("expand_limit is empty; leave it out or name a relation");
  return Object.fromEntries(
    entries.map(([name, limit]) => {
      const shown = JSON.stringify(name.slice(0, 60));
      const inner = /^expand_limit\[(.+)\]$/.exec(name)?.[1];
      if (inner !== undefined)
        throw rejectValue(
          `${shown} is a query parameter; write the relation's name alone: {${JSON.stringify(inner.slice(0, 60))}: ${limit}}`,
        );
      if (!Number.isInteger(limit)) throw rejectValue(`the limit of ${shown} is not a whole number`);
      return [name, limit];
    }),
  );
}

/**
 * Builds the input schema for hosts: no references and no unions. It stays open, because hosts that validate a closed
 * schema reject a misspelt argument without naming it, while our own error suggests the right one.
 */
export function buildInputSchema({ input }: Tool): InputSchema {
  const { properties = {}, required } = z.toJSONSchema(input, { io: "input", override: dropIdleBounds });
  const listed = Object.entries(properties).filter(
    ([, property]) => typeof property === "object" && !property.unlisted,
  );
  return {
    type: "object",
    properties: Object.fromEntries(listed) as JsonObject,
    ...(required === undefined ? {} : { required }),
  };
}

type InputSchema = {
  readonly type: "object";
  readonly properties: JsonObject;
  readonly required?: string[];
};

/** Marks an argument as accepted but not listed, for clients of other implementations. */
export const hideArgument = <S extends z.ZodType>(schema: S): S => schema.meta({ unlisted: true });

/**
 * Removes bounds that mean nothing to a model; some hosts copy every bound into the description. The server still
 * checks them.
 */
function dropIdleBounds({ jsonSchema }: { jsonSchema: Bounds }): void {
  if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
  if (jsonSchema.maxLength === cursorChars) delete jsonSchema.maxLength;
  delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

interface Bounds {
  minLength?: number;
  maxLength?: number;
  maximum?: number;
  pattern?: string;
}
