import {
  type Asked,
  type FieldNumbers,
  type IndexedDocument,
  noNumbers,
  type SearchEngine,
  type SearchPlan,
  type SearchScope,
  type Term,
} from "../../search/search-index.ts";
import { type Reading, theRow } from "../engine.ts";
import { all, join, raw, type Sql, sql } from "../sql.ts";

/**
 * Words as tsvectors, made from our own words: nothing of PostgreSQL's dictionaries takes part. A tsvector knows 16,383
 * positions, and of each word no more than 255, so long texts come in parts; each part repeats the last words of the one before (weight D instead of A), so that
 * phrases are found across the seam and no word is counted twice.
 */

const partWords = 8000;
const repeatedWords = 32;
const wordPlaces = 255;

const table = (plan: SearchPlan): Sql => raw(plan.name);
const column = (n: number): Sql => raw(`c${n}`);

function tsquery(term: Term): string {
  switch (term.kind) {
    case "forms":
      return term.forms.map((form) => `'${form}'`).join(" | ");
    case "prefix":
      return `'${term.prefix}':*`;
    case "phrase":
      return term.forms.map((form) => `'${form}'`).join(" <-> ");
  }
}

const matchesAny = (fields: readonly number[], query: string): Sql =>
  sql`(${join(
    fields.map((n) => sql`${column(n)} @@ ${query}::tsquery`),
    " OR ",
  )})`;

/** The scope's documents that match, joined with what limits the scope. */
function matching(plan: SearchPlan, scope: SearchScope, term: Term): { from: Sql; where: Sql } {
  const conditions = [
    sql`s.owner_no = ${scope.ownerNo}`,
    matchesAny(scope.fields, tsquery(term)),
    sql`s.doc <= ${scope.upTo}`,
  ];
  if (scope.connectionNos !== undefined) conditions.push(raw(`s.connection_no IN (${scope.connectionNos.join(", ")})`));
  if (scope.limit === undefined) return { from: sql`${table(plan)} AS s`, where: all(conditions) };
  return {
    from: sql`${table(plan)} AS s JOIN ${scope.limit.table} AS r
      ON r.owner_no = s.owner_no AND r.connection_no = s.connection_no AND r.version = s.doc`,
    where: all([...conditions, ...scope.limit.conditions]),
  };
}

/** Where the parts of a field begin: the next one when a part is long enough, or has a word as often as it can. */
function startsOf(words: readonly string[]): number[] {
  const starts = [0];
  let counts = new Map<string, number>();
  let from = 0;
  const count = (word: string): number => {
    const often = (counts.get(word) ?? 0) + 1;
    counts.set(word, often);
    return often;
  };
  for (const [i, word] of words.entries()) {
    if (count(word) <= wordPlaces && i - from < partWords) continue;
    from = i;
    starts.push(i);
    counts = new Map();
    for (const repeated of words.slice(Math.max(0, i - repeatedWords), i + 1)) count(repeated);
  }
  return starts;
}

/** One field of one part, as PostgreSQL writes a tsvector: each form with its places. */
function vectorOf({ words, starts }: FieldParts = { words: [], starts: [] }, part: number): string {
  const from = starts[part] ?? words.length;
  const first = from === words.length ? from : Math.max(0, from - repeatedWords);
  const places = new Map<string, string[]>();
  for (let i = first; i < (starts[part + 1] ?? words.length); i += 1) {
    const place = `${i - first + 1}${i < from ? "" : "A"}`;
    const word = words[i] ?? "";
    const held = places.get(word);
    if (held) held.push(place);
    else places.set(word, [place]);
  }
  return [...places].map(([form, at]) => `'${form}':${at.join(",")}`).join(" ");
}

interface FieldParts {
  readonly words: readonly string[];
  readonly starts: readonly number[];
}

interface PartRow {
  readonly document: IndexedDocument;
  readonly fields: readonly FieldParts[];
  readonly part: number;
}

const partsOf = (document: IndexedDocument): PartRow[] => {
  const fields = document.words.map((words) => ({ words, starts: startsOf(words) }));
  const most = Math.max(1, ...fields.map(({ starts }) => starts.length));
  return Array.from({ length: most }, (_, part) => ({ document, fields, part }));
};

export const postgresSearch: SearchEngine = {
  create: (plan) => {
    const columns = plan.fields.map((_, n) => `n${n} bigint NOT NULL, c${n} tsvector NOT NULL`).join(", ");
    return [
      raw(`CREATE TABLE ${plan.name} (owner_no bigint NOT NULL, connection_no bigint NOT NULL, doc bigint NOT NULL,
        part bigint NOT NULL, ${columns}, PRIMARY KEY (owner_no, doc, part))`),
      raw(`CREATE INDEX ${plan.name}_connection ON ${plan.name} (owner_no, connection_no, doc)`),
      ...plan.fields.map((_, n) => raw(`CREATE INDEX ${plan.name}_c${n} ON ${plan.name} USING gin (c${n})`)),
    ];
  },

  drop: (plan) => [raw(`DROP TABLE IF EXISTS ${plan.name}`)],

  async add(on, plan, documents) {
    const rows = documents.flatMap(partsOf);
    if (rows.length === 0) return;
    const of = (pick: (row: PartRow) => number) => rows.map(pick);
    const fields = plan.fields.map((_, n) => ({
      lengths: rows.map(({ document, part }) => (part === 0 ? (document.words[n]?.length ?? 0) : 0)),
      vectors: rows.map(({ fields, part }) => vectorOf(fields[n], part)),
    }));
    const names = plan.fields.map((_, n) => `n${n}, c${n}`).join(", ");
    const shown = plan.fields.map((_, n) => `u.n${n}, u.c${n}::tsvector`).join(", ");
    const arrays = fields.map(({ lengths, vectors }) => sql`${lengths}::bigint[], ${vectors}::text[]`);
    await on.run(sql`INSERT INTO ${table(plan)} (owner_no, connection_no, doc, part, ${raw(names)})
      SELECT u.o, u.c, u.d, u.p, ${raw(shown)} FROM unnest(${of(({ document }) => document.ownerNo)}::bigint[],
        ${of(({ document }) => document.connectionNo)}::bigint[], ${of(({ document }) => document.doc)}::bigint[],
        ${of(({ part }) => part)}::bigint[], ${join(arrays, ", ")}) AS u(o, c, d, p, ${raw(names)})`);
  },

  async remove(on, plan, ownerNo, docs) {
    await on.run(sql`DELETE FROM ${table(plan)} WHERE owner_no = ${ownerNo} AND doc = ANY(${docs}::bigint[])`);
  },

  settle: async () => true,

  isUnused: (plan) =>
    all(
      plan.fields.map(
        (_, n) => sql`NOT EXISTS (SELECT 1 FROM ${table(plan)} AS s, unnest(s.${column(n)}) AS u
          WHERE s.owner_no = search_form.owner_no AND u.lexeme = search_form.form)`,
      ),
    ),

  async removeConnection(on, plan, ownerNo, connectionNo) {
    await on.run(sql`DELETE FROM ${table(plan)} WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo}`);
  },

  async newest(on, plan, scope, term, limit) {
    const { from, where } = matching(plan, scope, term);
    const rows = await on.all<{ doc: number }>(
      sql`SELECT DISTINCT s.doc AS doc FROM ${from} WHERE ${where} ORDER BY s.doc DESC LIMIT ${limit}`,
    );
    const docs = rows.map(({ doc }) => doc);
    if (docs.length < limit) return { docs, count: docs.length };
    const row = await theRow<{ n: number }>(on, sql`SELECT count(DISTINCT s.doc) AS n FROM ${from} WHERE ${where}`);
    return { docs, count: row.n };
  },

  async occurrences(on, plan, scope, forms, asked) {
    const counts = scope.fields.map(
      (n) => sql`COALESCE((SELECT sum(cardinality(array_positions(u.weights, 'A'))) FROM unnest(${column(n)}) AS u
        WHERE u.lexeme = ANY(${forms}::text[])), 0)::bigint AS t${raw(String(n))}`,
    );
    return tally(on, plan, scope, { kind: "forms", forms }, asked, counts, (held, more) => held + more);
  },

  async presence(on, plan, scope, term, asked) {
    const query = tsquery(term);
    const flags = scope.fields.map(
      (n) => sql`(CASE WHEN ${column(n)} @@ ${query}::tsquery THEN 1 ELSE 0 END) AS t${raw(String(n))}`,
    );
    return tally(on, plan, scope, term, asked, flags, Math.max);
  },

  async lengths(on, plan, ownerNo, asked) {
    const columns = plan.fields.map((_, n) => `n${n}`).join(", ");
    const rows = await on.all<Record<string, number>>(sql`SELECT doc, ${raw(columns)} FROM ${table(plan)}
      WHERE owner_no = ${ownerNo} AND doc = ANY(${asked.docs}::bigint[]) AND part = 0`);
    const lengths = noNumbers(plan, asked);
    for (const row of rows) {
      const first = placeOf(asked, row) * plan.fields.length;
      for (let n = 0; n < plan.fields.length; n += 1) lengths[first + n] = row[`n${n}`] ?? 0;
    }
    return lengths;
  },

  async usualLengths(on, plan, scope, sample) {
    const columns = plan.fields.map((_, n) => `n${n}`);
    const joined = scope.limit
      ? sql`${table(plan)} AS s JOIN ${scope.limit.table} AS r ON r.owner_no = s.owner_no AND r.connection_no = s.connection_no
          AND r.version = s.doc`
      : sql`${table(plan)} AS s`;
    const conditions = [
      sql`s.owner_no = ${scope.ownerNo}`,
      sql`s.part = 0`,
      sql`s.doc <= ${scope.upTo}`,
      ...(scope.limit?.conditions ?? []),
    ];
    if (scope.connectionNos) conditions.push(raw(`s.connection_no IN (${scope.connectionNos.join(", ")})`));
    const rows = await on.all<
      Record<string, number>
    >(sql`SELECT ${raw(columns.map((name) => `s.${name}`).join(", "))} FROM ${joined}
      WHERE ${all(conditions)} ORDER BY s.doc DESC LIMIT ${sample}`);
    return columns.map((name) => rows.reduce((sum, row) => sum + (row[name] ?? 0), 0) / Math.max(1, rows.length));
  },
};

/** The place of a row's document among those that were asked about. */
function placeOf({ places }: Asked, { doc }: Readonly<Record<string, number>>): number {
  const place = doc === undefined ? undefined : places.get(doc);
  if (place === undefined) throw new Error(`nobody asked about document ${doc}`);
  return place;
}

/** Figures of each field, put together over the parts of a document. */
async function tally(
  on: Reading,
  plan: SearchPlan,
  scope: SearchScope,
  term: Term,
  asked: Asked,
  figures: readonly Sql[],
  together: (held: number, more: number) => number,
): Promise<FieldNumbers> {
  const found = noNumbers(plan, asked);
  const rows = await on.all<Record<string, number>>(sql`SELECT doc, ${join(figures, ", ")} FROM ${table(plan)}
    WHERE owner_no = ${scope.ownerNo} AND doc = ANY(${asked.docs}::bigint[]) AND ${matchesAny(scope.fields, tsquery(term))}`);
  for (const row of rows) {
    const first = placeOf(asked, row) * plan.fields.length;
    for (const n of scope.fields) found[first + n] = together(found[first + n] ?? 0, row[`t${n}`] ?? 0);
  }
  return found;
}
