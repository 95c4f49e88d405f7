import type { Clause } from "@pdpp/evidence/query";
import { type Condition, mayRead, type StreamScope, table, visible } from "../access/scope.ts";
import type { Dialect, Reading } from "../engine/engine.ts";
import { countRecords } from "../records/records.ts";
import { askedFor, type SearchPlan, type SearchScope, type Term } from "./search-index.ts";
import type { Scores } from "./search-score.ts";
import { termsOf } from "./search-words.ts";

/** What every way of ranking has in common: what is searched, what is counted in its scope, and what comes out. */

/** A stream to be searched, with the weight of each searchable field. */
export interface SearchedStream {
  readonly scope: StreamScope;
  readonly conditions: readonly Condition[];
  /** The scope's connections are all that the stream has. */
  readonly whole: boolean;
}

/** The records of a stream that were ranked, by their versions, and a score in the place of each. */
export interface RankedStream {
  readonly stream: SearchedStream;
  readonly docs: readonly number[];
  readonly scores: Scores;
}

export type Tier = "all" | "most" | "any";
export type Tiers = Readonly<Record<Tier, number>>;

export const tierNames: readonly Tier[] = ["all", "most", "any"];
export const noHits: Tiers = { all: 0, most: 0, any: 0 };

/** 0 when a record has all that is wanted, 1 when most, 2 when less. */
export function tierOf(matched: number, wanted: number): number {
  if (matched === wanted) return 0;
  return matched * 2 > wanted ? 1 : 2;
}

export interface Ranking {
  readonly ranked: readonly RankedStream[];
  /** Hits that come behind all these: they are only counted. */
  readonly unranked: Tiers;
  /** How many records hold anything that was asked for. */
  readonly candidates: number;
  /** Whether all of them were ranked. */
  readonly complete: boolean;
  /** How rare each thing that was asked for is among all records of the scope. */
  readonly rarities: readonly number[];
}

export const nothingFound: Ranking = { ranked: [], unranked: noHits, candidates: 0, complete: true, rarities: [] };

/** A word in another form than asked for counts a little less. */
export const relatedWeight = 0.9;
export const lengthSample = 500;
export const candidateLimit = 5000;

const roleWeights: { readonly [role: string]: number } = { "primary-title": 2, secondary: 1.2, actor: 1.5 };

export interface Part {
  readonly stream: SearchedStream;
  readonly plan: SearchPlan;
  readonly where: SearchScope;
  readonly weights: readonly number[];
}

export function partOf(dialect: Dialect, stream: SearchedStream, upTo: number): Part[] {
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

export interface ClauseTerms {
  readonly exact: Term;
  readonly related: Term | undefined;
}

/** The terms of a clause as one. */
export function together({ exact, related }: ClauseTerms): Term {
  if (exact.kind !== "forms" || related?.kind !== "forms") return exact;
  return { kind: "forms", forms: [...exact.forms, ...related.forms] };
}

export async function inScope(on: Reading, dialect: Dialect, parts: readonly Part[]): Promise<number> {
  let total = 0;
  for (const { stream } of parts) total += await countRecords(on, dialect, stream.scope, stream.conditions);
  return total;
}

export async function withoutExcluded(
  on: Reading,
  dialect: Dialect,
  { plan, where }: Part,
  docs: readonly number[],
  excluded: readonly Clause[],
): Promise<readonly number[]> {
  let kept = docs;
  for (const clause of excluded) {
    const all = together(await termsOf(on, where.ownerNo, clause));
    const flags = await dialect.search.presence(on, plan, where, all, askedFor(kept));
    const width = plan.fields.length;
    kept = kept.filter((_, place) => !flags.slice(place * width, (place + 1) * width).includes(1));
  }
  return kept;
}
