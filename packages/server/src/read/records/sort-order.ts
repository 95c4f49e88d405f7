import { findField } from "@pdpp/contract/declaration";
import { canRead, type StreamScope } from "../../store/access/scope.ts";
import { getStorageType } from "../../store/catalog/layout.ts";
import type { SortColumn } from "../../store/records/records.ts";

/** The sort column of lists; undefined sorts by key. A field outside the grant must not affect the order. */
export function getSortColumn(scope: StreamScope): SortColumn | undefined {
  const { cursorField } = scope.stream.declaration;
  if (cursorField === undefined || !canRead(scope, cursorField)) return undefined;
  const column = scope.stream.columns.get(cursorField);
  if (column === undefined || column.column === "key") return undefined;
  const nullable = findField(scope.stream.declaration, cursorField)?.nullable ?? true;
  return { column: column.column, type: getStorageType(column.kind), nullable };
}
