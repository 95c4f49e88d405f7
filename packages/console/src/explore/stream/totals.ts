import { type FieldDeclaration, findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { Aggregation } from "@pdpp/contract/wire";
import { type Grouped, loadGroups } from "./groups.ts";
import { buildSelection, type Filter, type TableQuestion } from "./table-question.ts";
import { formatAmount, listTotalChoices, type TotalChoice } from "./total-choices.ts";

/** Totals over the records of a table, if the manifest allows them. */

export interface Totals {
  readonly whats: readonly TotalChoice[];
  readonly bys: readonly TotalChoice[];
  readonly result: TotalsResult | undefined;
}

interface TotalsResult {
  /** Describes the question. */
  readonly what: string;
  readonly numbers: readonly { readonly label: string; readonly value: string }[];
  /** The units of amounts in several; `shownUnit` is the one that numbers and groups are of. */
  readonly units: readonly { readonly unit: string; readonly value: string; readonly filter: Filter | undefined }[];
  readonly shownUnit: string | undefined;
  readonly isMoney: boolean;
  readonly groups: Grouped | undefined;
  readonly refused: string | undefined;
}

export async function loadTotals(
  reader: ReadApi,
  declaration: StreamDeclaration,
  question: TableQuestion,
): Promise<Totals | undefined> {
  const { whats, bys } = listTotalChoices(declaration);
  if (whats.length === 0) return undefined;
  const what = whats.find(({ value }) => value === question.total);
  if (what === undefined) return { whats, bys, result: undefined };
  const empty = {
    what: what.label,
    numbers: [],
    units: [],
    shownUnit: undefined,
    isMoney: false,
    groups: undefined,
    refused: undefined,
  };
  try {
    return { whats, bys, result: { ...empty, ...(await computeResult(reader, declaration, question, what.value)) } };
  } catch (error) {
    if (!(error instanceof PdppError)) throw error;
    return { whats, bys, result: { ...empty, refused: error.message } };
  }
}

type Aggregate = (more: Pick<Input<"aggregate">, "metric"> & Partial<Input<"aggregate">>) => Promise<Aggregation>;

async function computeResult(
  reader: ReadApi,
  declaration: StreamDeclaration,
  question: TableQuestion,
  total: string,
): Promise<Partial<TotalsResult>> {
  const asked = buildSelection(question);
  const aggregate: Aggregate = (more) => reader.aggregate({ ...asked, ...more });
  const field = total === "count" ? undefined : findField(declaration, total);
  if (field === undefined) {
    const groups = await loadGroups(reader, declaration, question, undefined);
    if (groups !== undefined) return { groups };
    const { value } = await aggregate({ metric: "count" });
    return { numbers: [{ label: "Records", value: formatAmount(value ?? 0) }] };
  }
  const whole = await aggregate({ metric: "sum", field: field.name });
  if (whole.by_unit !== undefined && field.unitField !== undefined)
    return computeFirstUnit(reader, declaration, question, field, listUnitSums(field.unitField, whole.by_unit));
  const numbers = await computeNumbers(aggregate, field, whole);
  return { numbers, groups: await loadGroups(reader, declaration, question, { field: field.name, unit: whole.unit }) };
}

/** Amounts of several units are never added: those of the most common one are shown, and the others offered. */
async function computeFirstUnit(
  reader: ReadApi,
  declaration: StreamDeclaration,
  question: TableQuestion,
  { name, type }: FieldDeclaration,
  units: TotalsResult["units"],
): Promise<Partial<TotalsResult>> {
  const first = units.find(({ filter }) => filter !== undefined);
  if (first?.filter === undefined) return { units };
  const narrowed = { ...question, filters: [...question.filters, first.filter] };
  const result = await computeResult(reader, declaration, narrowed, name);
  return { ...result, units, shownUnit: first.unit, isMoney: type === "currency" };
}

/** The sum, with minimum and maximum if the manifest allows them. */
async function computeNumbers(aggregate: Aggregate, field: FieldDeclaration, whole: Aggregation) {
  const { unit, value = null } = whole;
  const numbers = [{ label: "Sum", value: formatAmount(value, unit) }];
  for (const [metric, label] of [
    ["min", "Smallest"],
    ["max", "Largest"],
  ] as const) {
    if (!field.aggregations.includes(metric) || value === null) continue;
    const found = await aggregate({ metric, field: field.name });
    numbers.push({ label, value: formatAmount(found.value ?? null, unit) });
  }
  return numbers;
}

function listUnitSums(unitField: string, units: NonNullable<Aggregation["by_unit"]>): TotalsResult["units"] {
  return units.map(({ unit, value }) => ({
    unit: unit ?? "no unit",
    value: formatAmount(value, unit ?? undefined),
    filter: unit === null ? undefined : { field: unitField, operator: "is", value: unit },
  }));
}
