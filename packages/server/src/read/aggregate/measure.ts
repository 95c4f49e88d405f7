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

/** Sums, minima and maxima over records, with the units that the records name. A number never mixes units. */

const maxUnits = 12;

export interface Measure {
  readonly metric: "sum" | "min" | "max";
  readonly field: string;
  readonly column: FieldColumn;
  /** Declared with the role `amount`, which is a number of something. */
  readonly isAmount: boolean;
  /** The field that holds the unit, if one is declared and granted. */
  readonly unit?: { readonly field: string; readonly column: FieldColumn };
}

type Value = NonNullable<Aggregation["by_unit"]>[number]["value"];
type Part = NonNullable<Aggregation["by_unit"]>[number];

/** The values of some records by their units, most records first. */
export interface Parts {
  readonly units: readonly Part[];
  /** Records whose units are not among them. */
  readonly others: number;
}

export const measureRecords = async (counted: RecordSet, measure: Measure): Promise<Measured> =>
  measuredFrom(await measureParts(counted, measure, false));

/** `isCounted`: how many records have a value is needed also where there is nothing to tell units by. */
export async function measureParts(counted: RecordSet, measure: Measure, isCounted: boolean): Promise<Parts> {
  const { unit, column } = measure;
  if (unit === undefined) {
    const count = isCounted ? await countWithValue(counted, column) : 0;
    return { units: [{ unit: null, count, value: await computeValue(counted, measure) }], others: 0 };
  }
  const found = await listValuesAlongside(counted, unit.column, column, maxUnits + 1);
  const units: Part[] = [];
  for (const { value, count } of found.slice(0, maxUnits)) {
    const written = await writtenValue(counted, unit, value);
    const records = found.length === 1 ? counted : narrowToValue(counted, unit.column, value);
    units.push({ unit: written === null ? null : String(written), count, value: await computeValue(records, measure) });
  }
  if (found.length <= maxUnits) return { units, others: 0 };
  const listed = units.reduce((total, { count }) => total + count, 0);
  return { units, others: (await countWithValue(counted, column)) - listed };
}

export function measuredFrom({ units, others }: Parts): Measured {
  const [only, ...more] = units;
  if (only === undefined) return { value: null };
  if (more.length > 0 || others > 0)
    return { value: null, by_unit: [...units], ...(others === 0 ? {} : { other_units_count: others }) };
  return { value: only.value, ...(only.unit === null ? {} : { unit: only.unit }) };
}

/** The parts of several sources as one: units of the same name are taken together. */
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

/** Null where the values cannot be compared: a number in one source, a date in another. */
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

/** Whole millionths are added exactly; other numbers as they are. */
function addDecimals(values: readonly number[]): number {
  const isExact = values.every((value) => Math.abs(value) < 9e9 && Number(value.toFixed(6)) === value);
  if (!isExact) return values.reduce((total, value) => total + value, 0);
  const millionths = values.reduce((total, value) => total + BigInt(value.toFixed(6).replace(".", "")), 0n);
  return fromMillionths(millionths);
}

/** Orders groups by their value in the unit of most records. */
export async function groupRank(counted: RecordSet, { metric, column, unit }: Measure): Promise<GroupRank> {
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

/** A column holds long texts and dates in another form; a record has the value as it was written. */
export async function writtenValue(
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

/** What has to be known of the units of an answer's numbers. */
export function unitWarnings({ metric, field, isAmount, unit }: Measure, all: readonly Measured[]): Warning[] {
  if (unit === undefined) {
    // The same whether a unit field is hidden or not declared: a warning must not tell that there is one.
    const message = `no unit is visible for ${field}; if its amounts are in different units, this ${metric} mixes them`;
    return isAmount ? [{ code: "unit_not_visible", message, param: "field" }] : [];
  }
  if (!all.some(({ by_unit: units }) => units !== undefined)) return [];
  const message = `${field} is in several units, which are not added or compared: there is one ${metric} for each ${unit.field}`;
  return [{ code: "mixed_units", message, param: "field", field: unit.field }];
}
