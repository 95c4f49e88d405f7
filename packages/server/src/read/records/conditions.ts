import { type FieldDeclaration, findField } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { parseInstant } from "@pdpp/contract/instant";
import type { Input, Scalar } from "@pdpp/contract/operations";
import { type Condition, canRead, getVisibleDeclaration, type StreamScope } from "../../store/access/scope.ts";
import type { FieldColumn } from "../../store/catalog/layout.ts";
import { toIndexText } from "../../store/engine/index-text.ts";

const maxFilters = 20;
const rangeOperators = ["gte", "gt", "lte", "lt"] as const;

export function getReadableField(scope: StreamScope, name: string, param: string): FieldDeclaration {
  const declaration = getVisibleDeclaration(scope);
  const field = findField(declaration, name);
  if (field !== undefined) return field;
  if (findField(scope.stream.declaration, name) !== undefined && !canRead(scope, name)) {
    throw new PdppError("field_not_granted", `the grant does not include field ${name} of stream ${declaration.name}`, {
      param,
    });
  }
  const known = declaration.fields.map((each) => each.name).join(", ") || "none";
  throw new PdppError(
    "unknown_field",
    `stream ${declaration.name} has no field ${JSON.stringify(name)}; it has: ${known}`,
    { param },
  );
}

export function parseFilter(scope: StreamScope, filter: Input<"queryRecords">["filter"]): Condition[] {
  const entries = Object.entries(filter ?? {});
  if (entries.length > maxFilters)
    throw new PdppError("invalid_request", `at most ${maxFilters} filters at once`, { param: "filter" });
  return entries.flatMap(([name, wanted]): Condition[] => {
    const param = `filter[${name}]`;
    const field = getReadableField(scope, name, param);
    const column = scope.stream.columns.get(name);
    if (column === undefined) {
      throw new PdppError(
        "invalid_request",
        `field ${name} does not have a single scalar type, so it cannot be filtered`,
        {
          param,
        },
      );
    }
    if (typeof wanted !== "object") {
      return [{ field: name, column, operator: "eq" as const, value: parseOperand(column, wanted, param) }];
    }
    return rangeOperators.flatMap((operator) => {
      const bound = wanted[operator];
      if (bound === undefined) return [];
      if (!field.rangeOperators.includes(operator))
        throw createRangeError(scope, field, operator, `${param}[${operator}]`);
      return { field: name, column, operator, value: parseOperand(column, bound, `${param}[${operator}]`) };
    });
  });
}

function createRangeError(scope: StreamScope, field: FieldDeclaration, operator: string, param: string): PdppError {
  const can = getVisibleDeclaration(scope).fields.filter((each) => each.rangeOperators.length > 0);
  const advice =
    field.rangeOperators.length > 0
      ? `it supports ${field.rangeOperators.join(", ")}`
      : `fields that support ranges: ${can.map(({ name }) => name).join(", ") || "none"}`;
  return new PdppError("invalid_request", `field ${field.name} does not support ${operator}; ${advice}`, { param });
}

/** Encodes the operand the way its column stores values. */
function parseOperand({ kind }: FieldColumn, value: Scalar, param: string): string | number {
  const text = String(value);
  const wrong = (expected: string) =>
    new PdppError("invalid_request", `${param} must be ${expected}, not ${JSON.stringify(text)}`, { param });
  switch (kind) {
    case "text":
      return toIndexText(text);
    case "boolean":
      if (text !== "true" && text !== "false") throw wrong("true or false");
      return text === "true" ? 1 : 0;
    case "date":
    case "date-time": {
      const instant = parseInstant(text);
      if (instant === null) throw wrong("a date or date-time");
      return instant;
    }
    default: {
      const number = text.trim() === "" ? Number.NaN : Number(text);
      if (!Number.isFinite(number)) throw wrong("a number");
      return number;
    }
  }
}
