import type { Reading } from "../engine.ts";
import type { Postings, SearchPlan } from "../search-index.ts";
import { raw, type Sql, sql } from "../sql.ts";

/** The places of terms, gathered over the statements that find them. */

/** Where one statement looks: a row for each place. */
export interface Places {
  readonly from: Sql;
  readonly where: Sql;
  readonly doc: Sql;
  /** The field that a place is in, or how to tell. */
  readonly field: number | Sql;
  readonly kind: "exact" | "related";
}

interface FoundPlaces {
  readonly kind: Places["kind"];
  readonly docs: readonly number[];
  readonly fields: readonly number[] | undefined;
  readonly field: number;
  readonly lengths: readonly (readonly number[])[];
}

/** Null when there are more than `most`. Lengths come from the table `d`, if they are asked for. */
export async function gather(
  on: Reading,
  plan: SearchPlan,
  statements: readonly Places[],
  most: number,
  withLengths: boolean,
): Promise<Postings | null> {
  const found: FoundPlaces[] = [];
  let size = 0;
  for (const statement of statements) {
    const places = await run(on, statement, most + 1, withLengths ? plan.fields.length : 0);
    size += places.docs.length;
    if (size > most) return null;
    if (places.docs.length > 0) found.push(places);
  }
  return counted(plan.fields.length, found, withLengths);
}

interface Shown {
  readonly names: readonly string[];
  readonly columns: Sql;
  readonly arrays: Sql;
}

const shownByWidth: Shown[] = [];

/** The lengths of so many fields, as columns and as arrays. */
function shownLengths(width: number): Shown {
  const names = Array.from({ length: width }, (_, n) => `n${n}`);
  shownByWidth[width] ??= {
    names,
    columns: raw(names.map((name) => `, d.${name} AS ${name}`).join("")),
    arrays: raw(names.map((name) => `, json_group_array(${name}) AS ${name}`).join("")),
  };
  return shownByWidth[width];
}

async function run(on: Reading, places: Places, limit: number, width: number): Promise<FoundPlaces> {
  const { from, where, doc, field, kind } = places;
  const { names, columns, arrays } = shownLengths(width);
  // Every place is a row; they come over as arrays, which is far cheaper than as rows.
  const row = (await on.one<{ readonly [name: string]: string }>(
    typeof field === "number"
      ? sql`SELECT json_group_array(doc) AS docs${arrays} FROM
          (SELECT ${doc} AS doc${columns} FROM ${from} WHERE ${where} LIMIT ${limit})`
      : sql`SELECT json_group_array(doc) AS docs, json_group_array(field) AS fields${arrays} FROM
          (SELECT ${doc} AS doc, ${field} AS field${columns} FROM ${from} WHERE ${where} LIMIT ${limit})`,
  ))!;
  const listOf = (name: string) => JSON.parse(row[name]!) as number[];
  return {
    kind,
    docs: listOf("docs"),
    fields: typeof field === "number" ? undefined : listOf("fields"),
    field: typeof field === "number" ? field : 0,
    lengths: names.map(listOf),
  };
}

/** The documents in order, with the places in each of their fields counted. */
function counted(width: number, found: readonly FoundPlaces[], withLengths: boolean): Postings {
  const docs = inOrder(found);
  const exact = new Float64Array(docs.length * width);
  const related = found.some(({ kind }) => kind === "related") ? new Float64Array(docs.length * width) : undefined;
  const lengths = withLengths ? new Float64Array(docs.length * width) : undefined;
  for (const { kind, docs: places, fields, field, lengths: columns } of found) {
    const counts = kind === "exact" ? exact : related!;
    for (let i = 0, n = 0; i < places.length; i += 1) {
      const doc = places[i]!;
      // Places mostly come in the order of documents.
      if (docs[n]! > doc) n = 0;
      while (docs[n] !== doc) n += 1;
      counts[n * width + (fields === undefined ? field : fields[i]!)]! += 1;
      if (lengths !== undefined) for (let f = 0; f < width; f += 1) lengths[n * width + f] = columns[f]![i]!;
    }
  }
  return { docs, exact, related, lengths };
}

function inOrder(found: readonly FoundPlaces[]): number[] {
  const docs: number[] = [];
  let isSorted = true;
  for (const { docs: places } of found) {
    for (let i = 0; i < places.length; i += 1) {
      const doc = places[i]!;
      const last = docs[docs.length - 1];
      if (doc === last) continue;
      if (last !== undefined && doc < last) isSorted = false;
      docs.push(doc);
    }
  }
  return isSorted ? docs : [...new Set(docs)].sort((a, b) => a - b);
}
