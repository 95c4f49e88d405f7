import type { Reading } from "../engine.ts";
import type { FieldNumbers, Postings, SearchPlan } from "../search-index.ts";
import type { Sql } from "../sql.ts";
import { raw, sql } from "../sql.ts";

/** The places of a term, gathered over the statements that find them. */

/** Where one statement looks: rows with the column `doc` of the documents, and the field each row is about, if there are several. */
export interface Places {
  readonly from: Sql;
  readonly where: Sql;
  readonly field: number | Sql;
  readonly kind: "exact" | "related";
}

interface PlaceRow {
  readonly docs: string;
  readonly fields?: string;
  readonly [length: `n${number}`]: string;
}

export async function gather(
  on: Reading,
  plan: SearchPlan,
  statements: readonly Places[],
  most: number,
): Promise<Postings | null> {
  const width = plan.fields.length;
  const docs: number[] = [];
  const places = new Map<number, number>();
  const counts = { exact: [] as number[], related: [] as number[] };
  const lengths: number[] = [];
  let left = most;
  for (const { from, where, field, kind } of statements) {
    const names = lengthNames(width);
    // Every place is a row; they come over as arrays, which is far cheaper than as rows.
    const row = await on.one<PlaceRow>(
      typeof field === "number"
        ? sql`SELECT json_group_array(doc) AS docs, ${raw(names.arrays)} FROM
            (SELECT d.doc AS doc, ${raw(names.columns)} FROM ${from} WHERE ${where} LIMIT ${most + 1})`
        : sql`SELECT json_group_array(doc) AS docs, json_group_array(field) AS fields, ${raw(names.arrays)} FROM
            (SELECT d.doc AS doc, ${field} AS field, ${raw(names.columns)} FROM ${from} WHERE ${where} LIMIT ${most + 1})`,
    );
    const found = JSON.parse(row!.docs) as number[];
    left -= found.length;
    if (left < 0) return null;
    if (found.length === 0) continue;
    const fields = row!.fields === undefined ? undefined : (JSON.parse(row!.fields) as number[]);
    const columns = names.all.map((name) => JSON.parse(row![name]!) as number[]);
    for (let i = 0; i < found.length; i += 1) {
      const doc = found[i]!;
      let place = places.get(doc);
      if (place === undefined) {
        place = docs.length;
        places.set(doc, place);
        docs.push(doc);
        for (const column of columns) {
          lengths.push(column[i]!);
          counts.exact.push(0);
          counts.related.push(0);
        }
      }
      counts[kind][place * width + (fields?.[i] ?? (field as number))]! += 1;
    }
  }
  return { docs, exact: numbers(counts.exact), related: numbers(counts.related), lengths: numbers(lengths) };
}

const numbers = (list: readonly number[]): FieldNumbers => Float64Array.from(list);

interface LengthNames {
  readonly all: readonly `n${number}`[];
  readonly columns: string;
  readonly arrays: string;
}

const namesByWidth: LengthNames[] = [];

function lengthNames(width: number): LengthNames {
  const all = Array.from({ length: width }, (_, n) => `n${n}` as const);
  namesByWidth[width] ??= {
    all,
    columns: all.map((name) => `d.${name} AS ${name}`).join(", "),
    arrays: all.map((name) => `json_group_array(${name}) AS ${name}`).join(", "),
  };
  return namesByWidth[width];
}
