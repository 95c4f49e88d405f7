import { parseInstant } from "@pdpp/contract/instant";
import { parseLocalInstant } from "@pdpp/evidence/text/local-time";
import { canRead, type StreamScope } from "../../store/access/scope.ts";
import type { FieldColumn } from "../../store/catalog/layout.ts";

/** The time of a stream that searches compare: the declared one, if the scope includes it. */
export function findComparedTime(
  scope: StreamScope,
): { readonly field: string; readonly column: FieldColumn } | undefined {
  const { consentTimeField, cursorField } = scope.stream.declaration;
  for (const field of [consentTimeField, cursorField]) {
    const column = field !== undefined && canRead(scope, field) ? scope.stream.columns.get(field) : undefined;
    if (field !== undefined && (column?.kind === "date" || column?.kind === "date-time")) return { field, column };
  }
  return undefined;
}

/** Dates have no zone: midnight of a day means that date in any zone. */
export const parseTimeBound = (kind: FieldColumn["kind"], text: string, timeZone: string): number | null =>
  kind === "date" ? parseInstant(text.replace(beginningOfDay, "")) : parseLocalInstant(text, timeZone);

const beginningOfDay = /(?<=^\d{4}-\d\d-\d\d)[Tt ]00:00(?::00(?:[.,]0+)?)?(?:[+-]\d\d(?::?\d\d)?)?$/;
