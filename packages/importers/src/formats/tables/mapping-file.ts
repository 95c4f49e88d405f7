import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { z } from "zod";
import { parseJson } from "../../core/parsing/json.ts";
import { defineActivityStreams } from "../../core/records/activity.ts";
import { type DecimalSeparator, defineMoneyStreams } from "../../core/records/money.ts";
import { defineNoteStreams } from "../../core/records/note.ts";
import { defineContactStreams } from "../../core/records/people.ts";
import { definePostStreams } from "../../core/records/post.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { cleanValue, isObject } from "../../core/text/clean.ts";
import { type Expression, valueTypes } from "./expressions.ts";

/** The file that says how the rows of a table become records: proposed by pdpp or written by hand. */

const text = z.string();

const rule = z.strictObject({
  column: text.optional(),
  get from() {
    return expression.optional();
  },
  get list() {
    return z.array(expression).optional();
  },
  get object() {
    return z.record(text, expression).optional();
  },
  get hash() {
    return z.array(expression).optional();
  },
  numbered: z.boolean().optional(),
  starts_with: text.optional(),
  after: text.optional(),
  before: text.optional(),
  lower: z.boolean().optional(),
  values: z.record(text, z.json()).optional(),
  split: text.min(1).optional(),
  type: z.enum(valueTypes).optional(),
  date_order: text.optional(),
  decimal: z.enum([".", ","]).optional(),
  zone: text.optional(),
  required: z.boolean().optional(),
  optional: z.boolean().optional(),
});
const expression: z.ZodType<Expression> = z.lazy(() => z.union([text, z.array(expression), rule]));

const source = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("csv"),
    delimiter: z.enum([",", ";", "\t", "|"]).default(","),
    columns: z.array(z.coerce.string()),
    also: z.union([z.literal("any"), z.array(text)]).optional(),
  }),
  z.object({ kind: z.literal("ndjson") }),
  z.object({ kind: z.literal("json"), list: text.optional() }),
  z.object({ kind: z.literal("sqlite"), table: text }),
]);
export type Source = z.infer<typeof source>;

/** As pdpp proposes them; by hand, an object with an expression for each field is shorter. */
const fieldList = z.array(z.object({ ...rule.shape, field: text, column: text, type: z.enum(valueTypes) }));
const fields = z.union([
  fieldList.transform(
    (list): Record<string, Expression> => Object.fromEntries(list.map(({ field, ...each }) => [field, each])),
  ),
  z.record(text, expression),
]);

const stream = z.object({
  stream: text,
  source: z.union([source.transform((one) => [one]), z.array(source)]),
  /** Columns that identify a row; if empty, all of them together do. */
  key: z.array(z.coerce.string()).default([]),
  /** Computes the id instead. */
  id: expression.optional(),
  /** Values to use like columns. */
  derive: z.record(text, expression).default({}),
  /** Skips the rows for which `when` has a value. */
  skip: z.object({ when: expression, reason: text }).optional(),
  /** Skips the rows of some files that other files of the folder list, too, with the same values in these columns. */
  unless_listed: z
    .object({ rows_of: z.array(text), in: z.array(text), columns: z.array(text), reason: text })
    .optional(),
  fields,
  /** Records that rows belong to, such as an account; each is created once. `field` receives its id. */
  parents: z.array(z.object({ stream: text, field: text, id: expression, fields })).default([]),
});
export type StreamMapping = z.infer<typeof stream>;

/** Record shapes that other formats use, too. */
const shapes = {
  activity: defineActivityStreams,
  contacts: defineContactStreams,
  money: defineMoneyStreams,
  notes: defineNoteStreams,
  posts: definePostStreams,
} as const;

const names = z.array(text).default([]);
const mapping = z.object({
  pdpp_mapping: z.literal(1),
  title: text.optional(),
  shape: z.enum(["activity", "contacts", "money", "notes", "posts"]).optional(),
  manifest: z.record(text, z.json()),
  merge: z.record(text, z.strictObject({ fill: names, union: names })).optional(),
  streams: z.array(stream).min(1),
});

export interface Mapping extends z.infer<typeof mapping> {
  /** Values of the fields that a mapping does not mention, by stream. */
  readonly defaults: ReadonlyMap<string, JsonObject>;
}

/** Proposed by pdpp. */
export interface MappingDraft {
  readonly pdpp_mapping: 1;
  readonly manifest: JsonObject;
  readonly streams: readonly StreamDraft[];
}

export interface StreamDraft {
  readonly stream: string;
  readonly source: Source;
  readonly key: readonly string[];
  readonly fields: readonly FieldDraft[];
}

export interface FieldDraft {
  readonly column: string;
  readonly field: string;
  readonly type: "text" | "number" | "boolean" | "time" | "json";
  readonly date_order?: string;
  readonly decimal?: DecimalSeparator;
}

export class MappingError extends Error {}

/** Parses an edited mapping. Throws a `MappingError` with a message if it is invalid. */
export function parseMapping(content: string): Mapping {
  const { value, failure } = parseJson(content);
  if (failure !== undefined) throw new MappingError(`it is not JSON: ${failure}`);
  const { data, error } = mapping.safeParse(cleanValue(value));
  if (data === undefined) throw new MappingError(describeIssue(error.issues[0]));
  if (data.shape === undefined) return { ...data, defaults: new Map() };
  const { connector_key: key, display_name: name, version } = data.manifest;
  const streams = shapes[data.shape]();
  const defaults = new Map(streams.map((each) => [String(each.name), listDefaults(each)]));
  for (const { stream, fields, parents } of data.streams)
    for (const each of [{ stream, fields }, ...parents])
      for (const field of Object.keys(each.fields))
        if (defaults.get(each.stream)?.[field] === undefined)
          throw new MappingError(`${data.shape} has no field "${field}" in a stream "${each.stream}"`);
  return { ...data, manifest: defineManifest(String(key), String(name), String(version), streams), defaults };
}

function listDefaults({ schema }: JsonObject): JsonObject {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const getDefault = (type: unknown): Json =>
    type === "array" ? [] : type === "object" ? {} : type === "boolean" ? false : null;
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, getDefault(isObject(each) ? each.type : undefined)]),
  );
}

/** Names the place and what is wrong there; inside alternatives, those of the one that fits best. */
function describeIssue(issue: z.core.$ZodIssue | undefined, before: readonly PropertyKey[] = []): string {
  const path = [...before, ...(issue?.path ?? [])];
  const inner =
    issue?.code === "invalid_union"
      ? issue.errors.flat().find(({ code, path }) => path.length > 0 || code === "unrecognized_keys")
      : undefined;
  return inner === undefined ? `${path.join(".") || "the file"}: ${issue?.message}` : describeIssue(inner, path);
}
