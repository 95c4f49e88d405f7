import type { Clause, SearchQuery } from "@pdpp/evidence/query";
import type { Dialect, Reading } from "./engine.ts";
import { countRecords } from "./records.ts";
import { type Condition, mayRead, type StreamScope, table, visible } from "./scope.ts";
import {
  type Asked,
  askedFor,
  type FieldNumbers,
  type SearchPlan,
  type SearchScope,
  type Term,
} from "./search-index.ts";
import { scorer } from "./search-score.ts";
import { termsOf } from "./search-words.ts";
import { raw, sql } from "./sql.ts";

/** Finding and ranking: one BM25 for both engines, with everything it counts counted inside the scope. */

/** A stream to be searched, with the weight of each searchable field. */
export interface SearchedStream {
  readonly scope: StreamScope;
  readonly conditions: readonly Condition[];
  /** The scope's connections are all that the stream has. */
  readonly whole: boolean;
}

export interface RankedHit {
  readonly stream: SearchedStream;
  /** The version of the record that was found. */
  readonly doc: number;
  readonly score: number;
  /** How many of the things asked for it has. */
  readonly matched: number;
}

export interface Ranking {
  readonly hits: readonly RankedHit[];
  /** How many records hold anything that was asked for. */
  readonly candidates: number;
  /** Whether all of them were ranked. */
  readonly complete: boolean;
}

/** A word in another form than asked for counts a little less. */
const relatedWeight = 0.9;
const lengthSample = 500;
/** Up to so many records it is counted how often a word stands in each. */
const countedRecords = 100_000;
export const candidateLimit = 5000;

const roleWeights: { readonly [role: string]: number } = { "primary-title": 2, secondary: 1.2, actor: 1.5 };

interface Part {
  readonly stream: SearchedStream;
  readonly plan: SearchPlan;
  readonly where: SearchScope;
  readonly weights: readonly number[];
}

interface CountedClause {
  readonly exact: Term;
  readonly related: Term | undefined;
  readonly all: Term;
  /** In how many records of each part it stands, and in all. */
  readonly counts: readonly number[];
  readonly count: number;
  /** The newest of them, by part. */
  readonly newest: readonly (readonly number[])[];
}

/** Null when some word stands in more records than `most`: then it takes long, and the caller may want to do it elsewhere. */
export async function rank(
  on: Reading,
  dialect: Dialect,
  streams: readonly SearchedStream[],
  query: SearchQuery,
  upTo: number,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Ranking | null> {
  const parts = streams.flatMap((stream) => partOf(dialect, stream, upTo));
  if (parts.length === 0 || query.wanted.length === 0) return { hits: [], candidates: 0, complete: true };
  const clauses: CountedClause[] = [];
  for (const clause of query.wanted) {
    const found = await counted(on, dialect, parts, clause, most);
    if (found === null) return null;
    clauses.push(found);
  }
  const chosen = choose(parts, clauses);
  const total = await inScope(on, dialect, parts);
  const hits: RankedHit[] = [];
  for (const [n, part] of parts.entries()) {
    const docs = await withoutExcluded(on, dialect, part, chosen.docs[n]!, query.excluded);
    const present = clauses.filter(({ counts }) => counts[n]! > 0);
    hits.push(...(await score(on, dialect, part, docs, present, total)));
  }
  return { hits, candidates: chosen.complete ? hits.length : chosen.found, complete: chosen.complete };
}

function partOf(dialect: Dialect, stream: SearchedStream, upTo: number): Part[] {
  const { scope, conditions, whole } = stream;
  const plan = scope.stream.search;
  if (plan === null) return [];
  const fields = plan.fields.flatMap((field, n) => (mayRead(scope, field) ? [n] : []));
  if (fields.length === 0) return [];
  const limits = visible(scope, conditions, dialect);
  const where: SearchScope = {
    ownerNo: scope.ownerNo,
    fields,
    limit: limits.length === 0 ? undefined : { table: table(scope), conditions: limits },
    connectionNos: whole ? undefined : scope.connections.map(({ no }) => no),
    upTo,
  };
  const roleOf = (field: string) => scope.stream.declaration.fields.find(({ name }) => name === field)?.role ?? "";
  return [{ stream, plan, where, weights: plan.fields.map((field) => roleWeights[roleOf(field)] ?? 1) }];
}

async function counted(
  on: Reading,
  dialect: Dialect,
  parts: readonly Part[],
  clause: Clause,
  most: number,
): Promise<CountedClause | null> {
  const term = await termOf(on, clause);
  const counts: number[] = [];
  const newest: (readonly number[])[] = [];
  const limit = Math.min(candidateLimit, most);
  for (const { plan, where } of parts) {
    const { docs, count } = await dialect.search.newest(on, plan, where, term.all, limit + 1, limit < most);
    if (docs.length > most) return null;
    counts.push(count);
    newest.push(docs.slice(0, candidateLimit));
  }
  return { ...term, counts, newest, count: counts.reduce((sum, n) => sum + n, 0) };
}

async function termOf(on: Reading, clause: Clause): Promise<Pick<CountedClause, "exact" | "related" | "all">> {
  const { exact, related } = await termsOf(on, clause);
  const forms = [exact, related].flatMap((term) => (term?.kind === "forms" ? term.forms : []));
  return { exact, related, all: exact.kind === "forms" ? { kind: "forms", forms } : exact };
}

/** The records to be ranked: those with the rarest words first, the newest of a word too common to rank all of. */
function choose(
  parts: readonly Part[],
  clauses: readonly CountedClause[],
): { docs: number[][]; complete: boolean; found: number } {
  const chosen = parts.map(() => new Set<number>());
  let size = 0;
  let complete = true;
  for (const { count, newest } of [...clauses].sort((a, b) => a.count - b.count)) {
    const known = newest.reduce((sum, docs) => sum + docs.length, 0);
    if (count > known) complete = false;
    const take = (part: number, doc: number): boolean => {
      if (chosen[part]!.has(doc)) return true;
      if (size >= candidateLimit) return false;
      chosen[part]!.add(doc);
      size += 1;
      return true;
    };
    if (newest.length === 1) complete = newest[0]!.every((doc) => take(0, doc)) && complete;
    else {
      const found = newest.flatMap((docs, part) => docs.map((doc) => ({ part, doc })));
      found.sort((a, b) => b.doc - a.doc);
      complete = found.every(({ part, doc }) => take(part, doc)) && complete;
    }
  }
  const found = Math.max(size, ...clauses.map(({ count }) => count));
  return { docs: chosen.map((docs) => [...docs]), complete, found };
}

async function inScope(on: Reading, dialect: Dialect, parts: readonly Part[]): Promise<number> {
  let total = 0;
  for (const { stream } of parts) total += await countRecords(on, dialect, stream.scope, stream.conditions);
  return total;
}

async function withoutExcluded(
  on: Reading,
  dialect: Dialect,
  { plan, where }: Part,
  docs: readonly number[],
  excluded: readonly Clause[],
): Promise<number[]> {
  let kept = [...docs];
  for (const clause of excluded) {
    const { all } = await termOf(on, clause);
    const flags = await dialect.search.presence(on, plan, where, all, askedFor(kept));
    const width = plan.fields.length;
    kept = kept.filter((_, place) => !flags.subarray(place * width, (place + 1) * width).includes(1));
  }
  return kept;
}

async function score(
  on: Reading,
  dialect: Dialect,
  part: Part,
  docs: readonly number[],
  clauses: readonly CountedClause[],
  total: number,
): Promise<RankedHit[]> {
  if (docs.length === 0) return [];
  const { plan, where, weights } = part;
  const asked = askedFor(docs);
  const lengths = await dialect.search.lengths(on, plan, where.ownerNo, asked);
  const usual = await dialect.search.usualLengths(on, plan, where, lengthSample);
  const scores = scorer({ fields: where.fields, width: plan.fields.length, weights, lengths, usual });
  for (const clause of clauses) {
    scores.add(await frequenciesOf(on, dialect, part, clause, asked), clause.count, total);
  }
  return docs.map((doc, place) => ({
    stream: part.stream,
    doc,
    score: scores.scoreAt(place),
    matched: scores.matchedAt(place),
  }));
}

/** Words are counted; phrases and beginnings, and words too common for the number to tell anything, are there or not. */
async function frequenciesOf(
  on: Reading,
  dialect: Dialect,
  { plan, where }: Part,
  { exact, related, all, count }: CountedClause,
  asked: Asked,
): Promise<FieldNumbers> {
  const { search } = dialect;
  if (exact.kind !== "forms" || count > countedRecords) return search.presence(on, plan, where, all, asked);
  const found = await search.occurrences(on, plan, where, exact.forms, asked);
  if (related?.kind !== "forms") return found;
  const others = await search.occurrences(on, plan, where, related.forms, asked);
  return found.map((n, i) => n + relatedWeight * others[i]!);
}

export interface FoundRecord {
  readonly doc: number;
  readonly connectionNo: number;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly data: string;
}

/** The records behind the hits of one stream. */
export async function foundRecords(
  on: Reading,
  scope: StreamScope,
  docs: readonly number[],
): Promise<Map<number, FoundRecord>> {
  if (docs.length === 0) return new Map();
  const rows = await on.all<{
    connection_no: number;
    key: string;
    long_key: string | null;
    version: number;
    revision: number;
    emitted_at: number;
    data: string;
  }>(
    sql`SELECT connection_no, key, long_key, version, revision, emitted_at, data FROM ${table(scope)} WHERE owner_no = ${scope.ownerNo}
      AND connection_no IN (${raw(scope.connections.map(({ no }) => no).join(", "))}) AND version IN (${raw(docs.join(", "))})`,
  );
  return new Map(
    rows.map((row) => [
      row.version,
      {
        doc: row.version,
        connectionNo: row.connection_no,
        key: row.long_key ?? row.key,
        revision: row.revision,
        emittedAt: row.emitted_at,
        data: row.data,
      },
    ]),
  );
}
