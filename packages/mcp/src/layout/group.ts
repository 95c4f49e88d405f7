import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Aggregation, Measured } from "@pdpp/contract/wire";
import { findEncodedRuns } from "@pdpp/evidence/fields/binary";
import { toLiteral } from "@pdpp/evidence/text/literal";
import { countChars } from "@pdpp/evidence/text/text";
import { omitUndefined } from "./call.ts";
import { formatUnit } from "./field.ts";
import type { ResultPart } from "./part.ts";

/** A group of an aggregation. */
export function layOutGroup({ key, count, ...measured }: NonNullable<Aggregation["groups"]>[number]): ResultPart {
  const isCounted = measured.value === undefined;
  return {
    lines: [`${formatValue(key)}: ${isCounted ? count : formatMeasured(measured, count)}`],
    objects: [{ ...layOutValue("key", key), count, ...layOutMeasured(measured) }],
  };
}

/** The result over a number of records: one value, or one per unit. */
export function formatMeasured(
  { value = null, unit, by_unit: units, other_units_count: others }: Measured,
  count: number,
): string {
  if (units === undefined) return `${formatValue(value)}${formatUnit(unit)} over ${formatRecordCount(count)}`;
  const values = units.map((each) => {
    const in_ = each.unit === null ? " without a unit" : formatUnit(each.unit);
    return `${formatValue(each.value)}${in_} over ${formatRecordCount(each.count)}`;
  });
  return [...values, ...(others ? [`${formatRecordCount(others)} in other units`] : [])].join(", ");
}

/** With several units there is no single value, so that none is mistaken for the total. */
export function layOutMeasured({ value, unit, by_unit: units, other_units_count: others }: Measured): JsonObject {
  if (units === undefined)
    return omitUndefined({ ...(value === undefined ? {} : layOutValue("value", value)), unit }) as JsonObject;
  const each = units.map((part) => ({ ...layOutValue("value", part.value), unit: part.unit, count: part.count }));
  return omitUndefined({ by_unit: each, other_units_count: others }) as JsonObject;
}

export const formatRecordCount = (records: number): string => `${records} ${records === 1 ? "record" : "records"}`;

/** Encoded bytes are described, not shown; the record says how to read them. */
const isBytes = (value: Json): value is string => typeof value === "string" && findEncodedRuns(value).length > 0;

const layOutValue = (name: "key" | "value", value: Json): JsonObject =>
  isBytes(value) ? { [name]: null, encoded_chars: countChars(value) } : { [name]: value };

const formatValue = (value: Json): string =>
  isBytes(value) ? `(base64, ${countChars(value)} chars, omitted)` : toLiteral(value);
