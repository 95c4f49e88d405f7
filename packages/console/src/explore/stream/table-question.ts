import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { Context } from "hono";
import { buildUrl } from "../../frame/addresses.ts";

/** A table's state, as it is in the URL. */

export const operators = { is: "is", gte: "from", lt: "before" } as const;
type OperatorName = keyof typeof operators;

export interface Filter {
  readonly field: string;
  readonly operator: OperatorName;
  readonly value: string;
}

export interface TableQuestion {
  readonly source: string;
  readonly stream: string;
  readonly order: "asc" | "desc" | undefined;
  readonly columns: readonly string[];
  readonly filters: readonly Filter[];
  /** `count`, or the field to sum; `by` is the grouping. */
  readonly total: string | undefined;
  readonly by: string | undefined;
}

export const formatFilter = ({ field, operator, value }: Filter): string => `${field}:${operator}:${value}`;

function parseFilter(text: string): Filter | undefined {
  const [, field, operator, value = ""] = /^(.+?):(is|gte|lt):([\s\S]*)$/.exec(text) ?? [];
  if (field === undefined || (operator !== "is" && operator !== "gte" && operator !== "lt")) return undefined;
  return { field, operator, value };
}

const toUrlValues = ({ source, stream, order, columns, filters, total, by }: TableQuestion) => ({
  source,
  stream,
  order,
  column: columns,
  filter: filters.map(formatFilter),
  total,
  by,
});

export const getTableUrl = (question: TableQuestion, cursor?: string): string =>
  buildUrl("stream", { ...toUrlValues(question), cursor });

export type RawFormat = "json" | "ndjson" | "csv";

export const getRawUrl = (question: TableQuestion, as: RawFormat): string =>
  buildUrl("stream/raw", { ...toUrlValues({ ...question, total: undefined, by: undefined }), as });

const maxColumns = 6;
const columnRoles = ["event-time", "primary-title", "actor", "secondary", "amount", "body"];

/** Default columns: what a record is about. */
function getDefaultColumns({ fields, cursorField }: StreamDeclaration): string[] {
  const hasTime = fields.some(({ role }) => role === "event-time");
  const time = hasTime ? [] : fields.filter(({ name }) => name === cursorField);
  const withRole = columnRoles.flatMap((role) => fields.filter((field) => field.role === role));
  const others = fields.filter((field) => field.role === undefined && field.kind !== "json" && !time.includes(field));
  const telling = [...new Set([...time, ...withRole, ...others])].slice(0, maxColumns);
  // At least one column, because a cell links to the record.
  return (telling.length === 0 ? fields.slice(0, 1) : telling).map(({ name }) => name);
}

export function parseTableQuestion(c: Context, declaration: StreamDeclaration, source: string): TableQuestion {
  const chosen = c.req.queries("column") ?? [];
  const order = c.req.query("order");
  const [field, value] = [c.req.query("field"), c.req.query("value")];
  const added =
    field === undefined || value === undefined
      ? undefined
      : parseFilter(`${field}:${c.req.query("operator")}:${value}`);
  const filters = (c.req.queries("filter") ?? []).flatMap((text) => parseFilter(text) ?? []);
  return {
    source,
    stream: declaration.name,
    order: order === "asc" || order === "desc" ? order : undefined,
    columns: chosen.length === 0 ? getDefaultColumns(declaration) : chosen.slice(0, 30),
    filters: [...filters, ...(added === undefined ? [] : [added])].slice(0, 20),
    total: c.req.query("total") || undefined,
    by: c.req.query("by") || undefined,
  };
}

type FilterInput = NonNullable<Input<"queryRecords">["filter"]>;

function buildFilterInput(filters: readonly Filter[]): FilterInput {
  const input: FilterInput = {};
  for (const { field, operator, value } of filters) {
    const held = input[field];
    input[field] = operator === "is" ? value : { ...(typeof held === "object" ? held : {}), [operator]: value };
  }
  return input;
}

/** The query, without its limit. */
export const buildQueryInput = ({ source, stream, order, filters }: TableQuestion) => ({
  stream,
  connection_id: source,
  ...(order === undefined ? {} : { order }),
  ...(filters.length === 0 ? {} : { filter: buildFilterInput(filters) }),
});
