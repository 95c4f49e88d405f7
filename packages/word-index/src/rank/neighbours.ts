import { selectBestSlots } from "./best-slots.ts";
import type { ClauseMatches, SourceMatches } from "./collector.ts";
import { scoreFrequency } from "./score-frequency.ts";

/**
 * In a conversation, a document is read together with those around it. A clause counts where it scores best: in the document
 * itself or, for less, in one of the two before or after it.
 */

/** A clause that a document does not contain, but a neighbour does. */
export interface NeighbourMatch {
  readonly clause: number;
  readonly doc: number;
  /** The weight of the match, compared with one in the document itself. */
  readonly discount: number;
}

/** For the next document, and the one after that. */
const nearestDiscount = 0.5;
const distanceDiscounts = [nearestDiscount, 0.3];
/** A document of this many words gets half of its neighbours' scores; a longer one less. */
const halfLength = 60;
/** Only the best documents are scored with their neighbours. */
const maxDocs = 1000;

/** Adds the scores of neighbours to `scores`. Returns the matches in neighbours by slot. */
export async function addNeighbourScores(
  matches: SourceMatches,
  scoreClause: (clause: number, frequency: number) => number,
  scores: Float64Array,
): Promise<ReadonlyMap<number, readonly NeighbourMatch[]>> {
  const found = new Map<number, readonly NeighbourMatch[]>();
  const { loadNextTurns } = matches.source.visibility;
  if (loadNextTurns === undefined || matches.docs.length < 2) return found;
  const slots = selectBestSlots(matches.docs, scores, maxDocs);
  const lengths = matches.computeLengths();
  if (!canGainFromNeighbours(matches, slots, lengths)) return found;
  const clauseScores = scoreClauses(matches, slots, scoreClause);
  for (const [slot, neighbours] of await findNeighbours(matches, slots, loadNextTurns)) {
    const own = clauseScores.get(slot);
    const lengthDiscount = discountByLength(lengths[slot] ?? 0);
    const best = new Map<number, NeighbourMatch & { readonly score: number }>();
    for (const { slot: other, distance } of neighbours) {
      const discount = (distanceDiscounts[distance] ?? 0) * lengthDiscount;
      for (const [clause, full] of clauseScores.get(other) ?? []) {
        const score = full * discount;
        if (score <= (own?.get(clause) ?? 0) || score <= (best.get(clause)?.score ?? 0)) continue;
        best.set(clause, { clause, doc: matches.docs[other] ?? 0, discount, score });
      }
    }
    if (best.size === 0) continue;
    for (const [clause, { score }] of best) scores[slot] = (scores[slot] ?? 0) + score - (own?.get(clause) ?? 0);
    found.set(
      slot,
      [...best.values()]
        .filter(({ clause }) => own?.get(clause) === undefined)
        .map(({ clause, doc, discount }) => ({ clause, doc, discount })),
    );
  }
  return found;
}

const discountByLength = (length: number): number => halfLength / (halfLength + length);

/**
 * Whether a neighbour could score higher for some clause than one of these documents itself. Often none can, and then the neighbours
 * need not be found. `maxFrequencies` has, by clause, the highest frequency in any neighbour; by default, the highest in these documents.
 */
export function canGainFromNeighbours(
  { docs, wanted }: Pick<SourceMatches, "docs" | "wanted">,
  slots: readonly number[],
  lengths: Float64Array,
  maxFrequencies: readonly number[] = wanted.map((clause) => findMaxFrequency(clause, docs.length, slots)),
): boolean {
  const isChosen = markSlots(docs.length, slots);
  return wanted.some(({ slots: matched, frequencies }, clause) => {
    const highest = scoreFrequency(1, maxFrequencies[clause] ?? 0) * nearestDiscount;
    if (highest === 0) return false;
    let safe = 0;
    for (let i = 0; i < matched.length; i += 1) {
      const slot = matched[i] ?? 0;
      const own = scoreFrequency(1, frequencies[i] ?? 0);
      if (isChosen[slot] === 1 && own >= highest * discountByLength(lengths[slot] ?? 0)) safe += 1;
    }
    return safe < slots.length;
  });
}

function findMaxFrequency(
  { slots: matched, frequencies }: ClauseMatches,
  size: number,
  slots: readonly number[],
): number {
  const isChosen = markSlots(size, slots);
  let max = 0;
  for (let i = 0; i < matched.length; i += 1)
    if (isChosen[matched[i] ?? 0] === 1) max = Math.max(max, frequencies[i] ?? 0);
  return max;
}

function markSlots(size: number, slots: readonly number[]): Uint8Array {
  const marks = new Uint8Array(size);
  for (const slot of slots) marks[slot] = 1;
  return marks;
}

/** By slot, the score of each clause. */
function scoreClauses(
  { wanted }: SourceMatches,
  slots: readonly number[],
  scoreClause: (clause: number, frequency: number) => number,
): Map<number, Map<number, number>> {
  const scores = new Map(slots.map((slot) => [slot, new Map<number, number>()]));
  for (const [clause, { slots: matched, frequencies }] of wanted.entries()) {
    for (let i = 0; i < matched.length; i += 1)
      scores.get(matched[i] ?? 0)?.set(clause, scoreClause(clause, frequencies[i] ?? 0));
  }
  return scores;
}

interface Neighbour {
  readonly slot: number;
  /** 0 for the next document, 1 for the one after that. */
  readonly distance: number;
}

async function findNeighbours(
  { docs }: SourceMatches,
  slots: readonly number[],
  loadNextTurns: NonNullable<SourceMatches["source"]["visibility"]["loadNextTurns"]>,
): Promise<ReadonlyMap<number, readonly Neighbour[]>> {
  const slotByDoc = new Map(slots.map((slot) => [docs[slot] ?? 0, slot]));
  const neighbours = new Map<number, Neighbour[]>();
  const link = (from: number, slot: number, distance: number) => {
    const held = neighbours.get(from);
    if (held === undefined) neighbours.set(from, [{ slot, distance }]);
    else held.push({ slot, distance });
  };
  for (const { doc, next, second } of await loadNextTurns([...slotByDoc.keys()])) {
    const slot = slotByDoc.get(doc);
    for (const [distance, other] of [next, second].entries()) {
      const otherSlot = other === null ? undefined : slotByDoc.get(other);
      if (slot === undefined || otherSlot === undefined) continue;
      link(slot, otherSlot, distance);
      link(otherSlot, slot, distance);
    }
  }
  return neighbours;
}
