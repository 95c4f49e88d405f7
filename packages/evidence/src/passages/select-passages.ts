import type { Role } from "@pdpp/contract/declaration";
import type { SearchQuery } from "@pdpp/language/query/query";
import { budget } from "../sizes/budget.ts";
import { countChars } from "../text/text.ts";
import { findClausesIn, findMatchWindows, limitClauses, type MatchQuery, type MatchWindow } from "./match.ts";
import { subtract, sumWeights, unite } from "./passages.ts";
import type { ExtraForms } from "./spans.ts";

/** Selects the passages that add most to what a hit's heading already shows. */

export interface SearchedText {
  readonly field: string;
  readonly text: string;
  readonly role: Role | undefined;
}

export interface SelectedPassage {
  readonly field: string;
  /** In characters. */
  readonly total: number;
  readonly window: MatchWindow;
}

interface Candidate extends SelectedPassage {
  readonly role: Role | undefined;
}

/**
 * Selects one passage, or two if the second shows matched words that nothing before it does. Rarer words count more. If the
 * heading already shows every matched word, a passage around one of them still adds context. The title field comes last, because
 * it is the heading.
 */
export function selectPassages(
  texts: readonly SearchedText[],
  query: SearchQuery,
  head: string,
  rarities: readonly number[],
  also?: ExtraForms,
): SelectedPassage[] {
  const asked = limitClauses({ query, weights: rarities, also });
  const inHead = findClausesIn(head, asked);
  const candidates = texts.flatMap((each) => findCandidates(each, asked, inHead));
  const chosen: Candidate[] = [];
  for (let shown = inHead; chosen.length < budget.match.windows; ) {
    const best = findBest(candidates, shown, asked.weights, chosen);
    if (best === undefined) break;
    chosen.push(best);
    shown = unite(shown, best.window.clauses);
  }
  return chosen.map(({ field, total, window }) => ({ field, total, window }));
}

function findCandidates(
  { field, text, role }: SearchedText,
  { query, weights, also }: MatchQuery,
  shown: number,
): Candidate[] {
  const adding = findMatchWindows(text, query, { shown, weights, also });
  const windows = adding.length > 0 ? adding : findMatchWindows(text, query, { maxPassages: 1, weights, also });
  if (windows.length === 0) return [];
  const total = countChars(text);
  return windows.map((window) => ({ field, total, window, role }));
}

function findBest(
  candidates: readonly Candidate[],
  shown: number,
  rarities: readonly number[] | undefined,
  chosen: readonly Candidate[],
): Candidate | undefined {
  let best: Candidate | undefined;
  let bestRank: readonly number[] = [];
  for (const candidate of candidates) {
    if (chosen.includes(candidate)) continue;
    const { window, role, total } = candidate;
    const gain = sumWeights(subtract(window.clauses, shown), rarities);
    if (chosen.length > 0 && gain === 0) continue;
    const repeatsHead = gain === 0 && role === "primary-title" ? 0 : 1;
    const body = role === "body" ? 1 : 0;
    const rank = [repeatsHead, gain, sumWeights(window.clauses, rarities), body, total];
    if (best === undefined || isHigher(rank, bestRank)) [best, bestRank] = [candidate, rank];
  }
  return best;
}

/** Compares lexicographically. */
function isHigher(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    if (value !== other) return value > other;
  }
  return false;
}
