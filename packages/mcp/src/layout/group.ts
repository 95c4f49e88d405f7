import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Aggregation, Measured } from "@pdpp/contract/wire";
import { encodedRuns } from "@pdpp/evidence/fields/binary";
import { literal } from "@pdpp/evidence/text/literal";
import { charLength } from "@pdpp/evidence/text/text";
import { definedOnly } from "./call.ts";
import { unitText } from "./field.ts";
import type { Form } from "./part.ts";

/** A group of an aggregation in the two forms of a tool's result. */
export function groupForm({ key, count, ...measured }: NonNullable<Aggregation["groups"]>[number]): Form {
  const isCounted = measured.value === undefined;
  return {
    lines: [`${valueText(key)}: ${isCounted ? count : measuredText(measured, count)}`],
    objects: [{ ...valueObject("key", key), count, ...measuredObject(measured) }],
  };
}

/** What the amounts come to, of how many records: one value, or one for each unit. */
export function measuredText(
  { value = null, unit, by_unit: units, other_units_count: others }: Measured,
  count: number,
): string {
  if (units === undefined) return `${valueText(value)}${unitText(unit)} over ${countText(count)}`;
  const values = units.map((each) => {
    const in_ = each.unit === null ? " without a unit" : unitText(each.unit);
    return `${valueText(each.value)}${in_} over ${countText(each.count)}`;
  });
  return [...values, ...(others ? [`${countText(others)} in other units`] : [])].join(", ");
}

/** The same in the structured form. Where there are several units there is no value to be taken for one over all. */
export function measuredObject({ value, unit, by_unit: units, other_units_count: others }: Measured): JsonObject {
  if (units === undefined)
    return definedOnly({ ...(value === undefined ? {} : valueObject("value", value)), unit }) as JsonObject;
  const each = units.map((part) => ({ ...valueObject("value", part.value), unit: part.unit, count: part.count }));
  return definedOnly({ by_unit: each, other_units_count: others }) as JsonObject;
}

export const countText = (records: number): string => `${records} ${records === 1 ? "record" : "records"}`;

/** Bytes written as text are told of, not shown; a record that has them shows how to read them. */
const isBytes = (value: Json): value is string => typeof value === "string" && encodedRuns(value).length > 0;

const valueObject = (name: "key" | "value", value: Json): JsonObject =>
  isBytes(value) ? { [name]: null, encoded_chars: charLength(value) } : { [name]: value };

const valueText = (value: Json): string =>
  isBytes(value) ? `(base64, ${charLength(value)} chars, omitted)` : literal(value);
