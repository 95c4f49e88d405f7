import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
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
  /** The field that the rows are sorted by; the stream's own order if undefined. */
  readonly sort?: string | undefined;
  readonly order: "asc" | "desc" | undefined;
  readonly columns: readonly string[];
  /** Nobody chose the columns; their names stay out of the URL. */
  readonly isDefault: boolean;
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

const toUrlValues = ({ source, stream, sort, order, columns, isDefault, filters, total, by }: TableQuestion) => ({
  source,
  stream,
  sort,
  order,
  column: isDefault ? [] : columns,
  filter: filters.map(formatFilter),
  total,
  by,
});

export const getTableUrl = (question: TableQuestion, cursor?: string): string =>
  buildUrl("stream", { ...toUrlValues(question), cursor });

export type RawFormat = "json" | "ndjson" | "csv";

export const getRawUrl = (question: TableQuestion, as: RawFormat): string =>
  buildUrl("stream/raw", { ...toUrlValues({ ...question, total: undefined, by: undefined }), as });

export const maxColumns = 6;
const columnRoles = ["event-time", "primary-title", "actor", "secondary", "amount", "body"];

const getDefaultColumns = (declaration: StreamDeclaration, technical: ReadonlySet<string>): string[] =>
  listTellingColumns(declaration, technical).slice(0, maxColumns);

/** Fields that describe a record, most useful first. */
export function listTellingColumns(declaration: StreamDeclaration, technical: ReadonlySet<string>): string[] {
  const { fields, cursorField } = declaration;
  const hasTime = fields.some(({ role }) => role === "event-time");
  const time = hasTime ? [] : fields.filter(({ name }) => name === cursorField);
  const withRole = columnRoles.flatMap((role) => fields.filter((field) => field.role === role));
  const units = new Set(fields.flatMap(({ unitField }) => unitField ?? []));
  const isTelling = (field: FieldDeclaration) =>
    field.role === undefined &&
    field.kind !== "json" &&
    field.schema.contentEncoding === undefined &&
    !technical.has(field.name) &&
    !units.has(field.name) &&
    !time.includes(field);
  const telling = [...new Set([...time, ...withRole, ...fields.filter(isTelling)])];
  // At least one column, because a cell links to the record.
  return (telling.length === 0 ? fields.slice(0, 1) : telling).map(({ name }) => name);
}

/** The field and direction that the "Sort by" form sends, such as `desc:sent_at`. */
export const formatSort = (order: "asc" | "desc", field: string): string => `${order}:${field}`;

function parseSort(c: Context, { fields, cursorField }: StreamDeclaration): Pick<TableQuestion, "sort" | "order"> {
  const [, direction, field] = /^(asc|desc):([\s\S]*)$/.exec(c.req.query("sorted") ?? "") ?? [];
  const order = direction ?? c.req.query("order");
  const sort = fields.find(({ name }) => name === (field ?? c.req.query("sort")))?.name;
  return {
    // The stream's own order needs no name.
    sort: sort === cursorField ? undefined : sort,
    order: order === "asc" || order === "desc" ? order : undefined,
  };
}

export function parseTableQuestion(
  c: Context,
  declaration: StreamDeclaration,
  source: string,
  technical: ReadonlySet<string>,
): TableQuestion {
  const chosen = c.req.queries("column") ?? [];
  const [field, value] = [c.req.query("field"), c.req.query("value")];
  const added =
    field === undefined || value === undefined
      ? undefined
      : parseFilter(`${field}:${c.req.query("operator")}:${value}`);
  const filters = (c.req.queries("filter") ?? []).flatMap((text) => parseFilter(text) ?? []);
  return {
    source,
    stream: declaration.name,
    ...parseSort(c, declaration),
    columns: chosen.length === 0 ? getDefaultColumns(declaration, technical) : chosen.slice(0, 30),
    isDefault: chosen.length === 0,
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

/** Which records the table has. */
export const buildSelection = ({ source, stream, filters }: TableQuestion) => ({
  stream,
  connection_id: source,
  ...(filters.length === 0 ? {} : { filter: buildFilterInput(filters) }),
});

/** The query, without its limit. */
export const buildQueryInput = (question: TableQuestion) => ({
  ...buildSelection(question),
  ...buildOrder(question),
});

function buildOrder({ sort, order }: TableQuestion): Pick<Input<"queryRecords">, "sort" | "order"> {
  // Always with a sign, because a field's name may start with one.
  if (sort !== undefined) return { sort: [`${order === "asc" ? "+" : "-"}${sort}`] };
  return order === undefined ? {} : { order };
}
