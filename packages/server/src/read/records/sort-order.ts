import { findField } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { canRead, getVisibleDeclaration, type StreamScope } from "../../store/access/scope.ts";
import { getStorageType, isIndexed, isScanned } from "../../store/catalog/layout.ts";
import type { SortColumn } from "../../store/records/list-query.ts";

/** The sort column of lists; undefined sorts by key. A field outside the grant must not affect the order. */
export function getSortColumn(scope: StreamScope): SortColumn | undefined {
  const { cursorField } = scope.stream.declaration;
  return cursorField === undefined || !canRead(scope, cursorField) ? undefined : findSortColumn(scope, cursorField);
}

function findSortColumn({ stream: { declaration, columns } }: StreamScope, name: string): SortColumn | undefined {
  const column = columns.get(name);
  if (column === undefined || column.column === "key") return undefined;
  const nullable = findField(declaration, name)?.nullable ?? true;
  return { column: column.column, type: getStorageType(column.kind), nullable };
}

/**
 * The fields that lists can be sorted by: the cursor field and every other one with a column. Their indexes end in the cursor
 * field, so that without it, equal values would reveal its order. A stream without a cursor field has none either, or
 * the difference would reveal that one exists.
 */
export function listSortableFields(scope: StreamScope): string[] {
  const { cursorField } = scope.stream.declaration;
  if (cursorField === undefined || !canRead(scope, cursorField)) return [];
  const others = getVisibleDeclaration(scope).fields.filter(
    ({ name }) => name !== cursorField && findSortColumn(scope, name) !== undefined,
  );
  return [cursorField, ...others.map(({ name }) => name)];
}

export interface ListOrder {
  readonly sort: SortColumn | undefined;
  readonly descending: boolean;
  readonly warnings: readonly Warning[];
  /** Whether all records must be sorted, because no index has this order. */
  readonly isUnindexed: boolean;
}

export function parseOrder(scope: StreamScope, input: Pick<Input<"queryRecords">, "sort" | "order">): ListOrder {
  const { field, descending } = parseSort(scope, input);
  const { declaration } = scope.stream;
  if (field === undefined || field === declaration.cursorField)
    return { sort: getSortColumn(scope), descending, warnings: [], isUnindexed: false };
  const column = findSortColumn(scope, field)!;
  const declared = findField(declaration, field);
  const omitsEmpty = column.nullable && declared !== undefined && !isScanned(declaration, declared);
  const tie = getSortColumn(scope);
  const isLimited = scope.time !== undefined || scope.resources !== undefined;
  return {
    sort: { ...column, chosen: { isLimited, omitsEmpty, ...(tie === undefined ? {} : { tie }) } },
    descending,
    warnings: omitsEmpty ? [warnOfOmitted(field)] : [],
    isUnindexed: declared !== undefined && !isIndexed(declaration, declared),
  };
}

const warnOfOmitted = (field: string): Warning => ({
  code: "partial_results",
  message: `records without ${field} are not in a list sorted by it`,
  param: "sort",
});

function parseSort(
  scope: StreamScope,
  { sort = [], order }: Pick<Input<"queryRecords">, "sort" | "order">,
): { readonly field: string | undefined; readonly descending: boolean } {
  const [first] = sort;
  if (first === undefined) return { field: undefined, descending: order !== "asc" };
  const { name, cursorField } = getVisibleDeclaration(scope);
  const field = first.replace(/^[-+]/, "");
  const sortable = listSortableFields(scope);
  for (const entry of sort) {
    const other = entry.replace(/^[-+]/, "");
    if (findField(scope.stream.declaration, other) !== undefined && !canRead(scope, other))
      throw new PdppError("field_not_granted", `the grant does not include field ${other}`, { param: "sort" });
    if (sortable.includes(other)) continue;
    const can = cursorField === undefined ? "it sorts by record id" : `it sorts by ${cursorField} or -${cursorField}`;
    throw new PdppError("invalid_sort", `stream ${name} cannot sort by ${JSON.stringify(other)}; ${can}`, {
      param: "sort",
    });
  }
  const descending = first.startsWith("-");
  const isSame = sort.every((entry) => entry.replace(/^[-+]/, "") === field && entry.startsWith("-") === descending);
  if (!isSame || (order !== undefined && (order === "desc") !== descending))
    throw new PdppError("invalid_sort", "sort and order contradict each other; send one of them", { param: "sort" });
  return { field, descending };
}
