import { parseInstant } from "@pdpp/contract/instant";
import type { Aggregation, Measured, Warning } from "@pdpp/contract/wire";
import type { FieldColumn } from "../../store/catalog/layout.ts";
import { parseJsonObject } from "../../store/engine/json.ts";
import {
  countWithValue,
  findExtremeRecord,
  findSampleRecord,
  fromMillionths,
  type GroupRank,
  listValuesAlongside,
  narrowToValue,
  type RecordSet,
  sumField,
} from "../../store/records/aggregates.ts";

/** Sums, minima and maxima, separately for each unit. A number never mixes units. */

const maxUnits = 12;

export interface Measure {
  readonly metric: "sum" | "min" | "max";
  readonly field: string;
  readonly column: FieldColumn;
  readonly isAmount: boolean;
  readonly unit?: { readonly field: string; readonly column: FieldColumn };
}

type Value = NonNullable<Aggregation["by_unit"]>[number]["value"];
type Part = NonNullable<Aggregation["by_unit"]>[number];

export interface Parts {
  readonly units: readonly Part[];
  readonly others: number;
}

export const measureRecords = async (counted: RecordSet, measure: Measure): Promise<Measured> =>
  summarizeParts(await measureParts(counted, measure, false));

/** `isCounted`: count the records that have a value even if there is no unit field. */
export async function measureParts(counted: RecordSet, measure: Measure, isCounted: boolean): Promise<Parts> {
  const { unit, column } = measure;
  if (unit === undefined) {
    const count = isCounted ? await countWithValue(counted, column) : 0;
    return { units: [{ unit: null, count, value: await computeValue(counted, measure) }], others: 0 };
  }
  const found = await listValuesAlongside(counted, unit.column, column, maxUnits + 1);
  const units: Part[] = [];
  for (const { value, count } of found.slice(0, maxUnits)) {
    const written = await loadOriginalValue(counted, unit, value);
    const records = found.length === 1 ? counted : narrowToValue(counted, unit.column, value);
    units.push({ unit: written === null ? null : String(written), count, value: await computeValue(records, measure) });
  }
  if (found.length <= maxUnits) return { units, others: 0 };
  const listed = units.reduce((total, { count }) => total + count, 0);
  return { units, others: (await countWithValue(counted, column)) - listed };
}

export function summarizeParts({ units, others }: Parts): Measured {
  const [only, ...more] = units;
  if (only === undefined) return { value: null };
  if (more.length > 0 || others > 0)
    return { value: null, by_unit: [...units], ...(others === 0 ? {} : { other_units_count: others }) };
  return { value: only.value, ...(only.unit === null ? {} : { unit: only.unit }) };
}

export function combineParts(metric: string, all: readonly Parts[]): Parts {
  const held = all.flatMap(({ units }) => units).filter(({ value }) => value !== null);
  const byUnit = Map.groupBy(held, ({ unit }) => unit);
  const units = [...byUnit].map(([unit, parts]) => ({
    unit,
    count: parts.reduce((total, { count }) => total + count, 0),
    value: combineValues(
      metric,
      parts.map(({ value }) => value),
    ),
  }));
  const sorted = units.toSorted((a, b) => b.count - a.count || compareUnits(a.unit, b.unit));
  const rest = sorted.slice(maxUnits).reduce((total, { count }) => total + count, 0);
  return { units: sorted.slice(0, maxUnits), others: all.reduce((total, { others }) => total + others, rest) };
}

const compareUnits = (a: string | null, b: string | null): number =>
  a === null ? 1 : b === null ? -1 : a < b ? -1 : a > b ? 1 : 0;

/** Null if the values cannot be compared, such as a number and a date. */
function combineValues(metric: string, values: readonly Value[]): Value {
  const numbers = values.filter((value) => typeof value === "number");
  if (metric === "sum") return addDecimals(numbers);
  const instants = values.map((value) => (typeof value === "string" ? parseInstant(value) : value));
  const isOneKind = numbers.length === 0 || numbers.length === values.length;
  if (!isOneKind || instants.includes(null)) return null;
  const ends = instants as number[];
  const end = metric === "min" ? Math.min(...ends) : Math.max(...ends);
  return values[ends.indexOf(end)] ?? null;
}

/** Adds numbers of up to six decimals exactly. */
function addDecimals(values: readonly number[]): number {
  const isExact = values.every((value) => Math.abs(value) < 9e9 && Number(value.toFixed(6)) === value);
  if (!isExact) return values.reduce((total, value) => total + value, 0);
  const millionths = values.reduce((total, value) => total + BigInt(value.toFixed(6).replace(".", "")), 0n);
  return fromMillionths(millionths);
}

export async function chooseGroupRank(counted: RecordSet, { metric, column, unit }: Measure): Promise<GroupRank> {
  const [main] = unit === undefined ? [] : await listValuesAlongside(counted, unit.column, column, 1);
  return {
    metric,
    column,
    ...(unit === undefined || main === undefined ? {} : { unit: { column: unit.column, value: main.value } }),
  };
}

async function computeValue(counted: RecordSet, { metric, field, column }: Measure): Promise<Value> {
  if (metric === "sum") return sumField(counted, column);
  const data = await findExtremeRecord(counted, column, metric);
  return data === undefined ? null : (parseJsonObject(data)[field] as string | number);
}

/** Columns store long texts and dates in an encoded form, so the original value is taken from a record. */
export async function loadOriginalValue(
  counted: RecordSet,
  { field, column }: { readonly field: string; readonly column: FieldColumn },
  value: string | number | null,
): Promise<string | number | boolean | null> {
  if (value === null || column.kind === "integer" || column.kind === "number") return value;
  if (column.kind === "boolean") return value === 1;
  if (column.kind === "text" && !String(value).includes("\u0001")) return value;
  const data = await findSampleRecord(counted, column, value);
  const written = data === undefined ? undefined : parseJsonObject(data)[field];
  return typeof written === "string" ? written : value;
}

export function listUnitWarnings({ metric, field, isAmount, unit }: Measure, all: readonly Measured[]): Warning[] {
  if (unit === undefined) {
    // The wording must not reveal whether a hidden unit field exists.
    const message = `no unit is visible for ${field}; if its amounts are in different units, this ${metric} mixes them`;
    return isAmount ? [{ code: "unit_not_visible", message, param: "field" }] : [];
  }
  if (!all.some(({ by_unit: units }) => units !== undefined)) return [];
  const message = `${field} is in several units, which are not added or compared: there is one ${metric} for each ${unit.field}`;
  return [{ code: "mixed_units", message, param: "field", field: unit.field }];
}
