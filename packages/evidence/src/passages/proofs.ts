import type { Role } from "@pdpp/contract/declaration";
import type { SearchQuery } from "@pdpp/language/query/query";
import { budget } from "../sizes/budget.ts";
import { charLength } from "../text/text.ts";
import { clausesOf, type MatchWindow, matchWindows, type Provable, provable } from "./match.ts";
import { missingFrom, union, worthOf } from "./passages.ts";
import type { AlsoTried } from "./spans.ts";

/** Which passages of a record a hit shows: those that add most to what its head line says already. */

export interface ProvableText {
  readonly field: string;
  readonly text: string;
  readonly role: Role | undefined;
}

export interface Proof {
  readonly field: string;
  /** How long the field is, in characters. */
  readonly total: number;
  readonly window: MatchWindow;
}

interface Candidate extends Proof {
  readonly role: Role | undefined;
}

/**
 * One passage, or two if the second shows words that nothing before it does. Rarer words are worth more. When the head line shows
 * every matched word, the passage around one of them still says more than the head; the title field comes last, because it is
 * the head.
 */
export function proofsOf(
  texts: readonly ProvableText[],
  query: SearchQuery,
  head: string,
  rarities: readonly number[],
  also?: AlsoTried,
): Proof[] {
  const asked = provable({ query, weights: rarities, also });
  const inHead = clausesOf(head, asked);
  const candidates = texts.flatMap((each) => candidatesOf(each, asked, inHead));
  const chosen: Candidate[] = [];
  for (let shown = inHead; chosen.length < budget.match.windows; ) {
    const best = bestOf(candidates, shown, asked.weights, chosen);
    if (best === undefined) break;
    chosen.push(best);
    shown = union(shown, best.window.clauses);
  }
  return chosen.map(({ field, total, window }) => ({ field, total, window }));
}

function candidatesOf(
  { field, text, role }: ProvableText,
  { query, weights, also }: Provable,
  shown: number,
): Candidate[] {
  const adding = matchWindows(text, query, { shown, weights, also });
  const windows = adding.length > 0 ? adding : matchWindows(text, query, { most: 1, weights, also });
  if (windows.length === 0) return [];
  const total = charLength(text);
  return windows.map((window) => ({ field, total, window, role }));
}

function bestOf(
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
    const gain = worthOf(missingFrom(window.clauses, shown), rarities);
    if (chosen.length > 0 && gain === 0) continue;
    const repeatsHead = gain === 0 && role === "primary-title" ? 0 : 1;
    const body = role === "body" ? 1 : 0;
    const rank = [repeatsHead, gain, worthOf(window.clauses, rarities), body, total];
    if (best === undefined || isHigher(rank, bestRank)) [best, bestRank] = [candidate, rank];
  }
  return best;
}

/** By the first number in which they differ. */
function isHigher(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    if (value !== other) return value > other;
  }
  return false;
}
