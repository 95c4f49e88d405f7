import { type Postings, type SearchPlan, zeros } from "../../search/search-index.ts";
import { type Reading, theRow } from "../engine.ts";
import { atMost, nothing, raw, type Sql, sql } from "../sql.ts";

/** The places of terms, gathered over the statements that find them. */

/** A statement that finds places. */
export interface Places {
  readonly query: Sql;
  /** The field they are in; undefined when the statement tells. */
  readonly field: number | undefined;
  readonly kind: "exact" | "related";
}

interface FoundPlaces {
  readonly kind: Places["kind"];
  readonly docs: readonly number[];
  readonly fields: readonly number[] | undefined;
  readonly field: number;
  readonly lengths: readonly (readonly number[])[];
}

/** Null when there are more than `most`. */
export async function gather(
  on: Reading,
  plan: SearchPlan,
  statements: readonly Places[],
  most: number,
  withLengths: boolean,
): Promise<Postings | null> {
  const found: FoundPlaces[] = [];
  let size = 0;
  for (const { query, field, kind } of statements) {
    const row = await theRow<PlacesRow>(on, query);
    if (row.docs === null) continue;
    const docs = listOf(row.docs);
    size += docs.length;
    if (size > most) return null;
    found.push({
      kind,
      docs,
      fields: field === undefined ? listOf(row.fields) : undefined,
      field: field ?? 0,
      lengths: withLengths ? plan.fields.map((_, n) => listOf(row[`n${n}`])) : [],
    });
  }
  return counted(plan.fields.length, found, withLengths);
}

interface PlacesRow {
  readonly [name: string]: string | null;
  readonly docs: string | null;
}

const listOf = (text: string | null | undefined): number[] => JSON.parse(`[${text ?? ""}]`);

/**
 * The rows of `from`, as lists: every place is a row, and thousands of them come over far cheaper so. Lengths are those of the
 * table `d`; `field` tells the field of a place where a statement looks in several.
 */
export function placesQuery(
  { from, where, doc, field }: { from: Sql; where: Sql; doc: Sql; field: Sql | undefined },
  limit: number,
  lengths: readonly string[],
): Sql {
  const fields = field === undefined ? nothing : sql`, ${field} AS field`;
  const columns = raw(lengths.map((name) => `, d.${name} AS ${name}`).join(""));
  const lists = [
    ...(field === undefined ? [] : ["group_concat(field) AS fields"]),
    ...lengths.map((name) => `group_concat(${name}) AS ${name}`),
  ];
  const others = raw(lists.map((list) => `, ${list}`).join(""));
  return sql`SELECT group_concat(doc) AS docs${others} FROM
    (SELECT ${doc} AS doc${fields}${columns} FROM ${from} WHERE ${where} ${atMost(limit)})`;
}

/** The documents in order, with the places in each of their fields counted. */
function counted(width: number, found: readonly FoundPlaces[], withLengths: boolean): Postings {
  const docs = inOrder(found);
  const exact = zeros(docs.length * width);
  const related = found.some(({ kind }) => kind === "related") ? zeros(docs.length * width) : undefined;
  const lengths = withLengths ? zeros(docs.length * width) : undefined;
  for (const { kind, docs: places, fields, field, lengths: columns } of found) {
    const counts = kind === "exact" ? exact : (related ?? exact);
    for (let i = 0, n = 0; i < places.length; i += 1) {
      const doc = places[i] ?? 0;
      // Places mostly come in the order of documents.
      if ((docs[n] ?? 0) > doc) n = 0;
      while (docs[n] !== doc) n += 1;
      const at = n * width + (fields?.[i] ?? field);
      counts[at] = (counts[at] ?? 0) + 1;
      if (lengths !== undefined) for (let f = 0; f < width; f += 1) lengths[n * width + f] = columns[f]?.[i] ?? 0;
    }
  }
  return { docs, exact, related, lengths };
}

function inOrder(found: readonly FoundPlaces[]): number[] {
  const docs: number[] = [];
  let isSorted = true;
  for (const { docs: places } of found) {
    for (let i = 0; i < places.length; i += 1) {
      const doc = places[i] ?? 0;
      const last = docs[docs.length - 1];
      if (doc === last) continue;
      if (last !== undefined && doc < last) isSorted = false;
      docs.push(doc);
    }
  }
  return isSorted ? docs : [...new Set(docs)].sort((a, b) => a - b);
}
