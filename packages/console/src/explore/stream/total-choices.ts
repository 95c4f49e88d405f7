import { labelField } from "@pdpp/consent/labels";
import type { StreamDeclaration } from "@pdpp/contract/declaration";

/** What a manifest allows to be counted and summed, and by which field. */

export interface TotalChoice {
  readonly value: string;
  readonly label: string;
}

export interface Grouping {
  readonly kind: "value" | "year" | "month";
  readonly field: string;
}

export function listTotalChoices({ fields, countable, query }: StreamDeclaration): {
  readonly whats: readonly TotalChoice[];
  readonly bys: readonly TotalChoice[];
} {
  if (query.aggregations === undefined) return { whats: [], bys: [] };
  const sums = fields.filter(({ aggregations }) => aggregations.includes("sum"));
  const whats = [
    ...(countable ? [{ value: "count", label: "Records" }] : []),
    ...sums.map((field) => ({ value: field.name, label: `Sum of ${labelField(field)}` })),
  ];
  const times = fields.filter(({ aggregations }) => aggregations.includes("group_by_time"));
  const values = fields.filter(({ aggregations }) => aggregations.includes("group_by"));
  // Groups need a count, whatever is summed.
  const bys = countable
    ? [
        ...times.flatMap((field) => [
          { value: `month:${field.name}`, label: `Month of ${labelField(field)}` },
          { value: `year:${field.name}`, label: `Year of ${labelField(field)}` },
        ]),
        ...values.map((field) => ({ value: `value:${field.name}`, label: labelField(field) })),
      ]
    : [];
  return { whats, bys };
}

export function parseGrouping(declaration: StreamDeclaration, text: string | undefined): Grouping | undefined {
  if (!listTotalChoices(declaration).bys.some(({ value }) => value === text)) return undefined;
  const [, kind, field] = /^(value|year|month):([\s\S]+)$/.exec(text ?? "") ?? [];
  if (field === undefined || (kind !== "value" && kind !== "year" && kind !== "month")) return undefined;
  return { kind, field };
}

export function formatAmount(value: number | string | null, unit?: string): string {
  if (value === null) return "none";
  const text = typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 6 }) : value;
  return unit === undefined ? text : `${text} ${unit}`;
}
