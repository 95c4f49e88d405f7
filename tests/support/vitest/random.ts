/** A seeded random number generator (mulberry32). */
export interface Random {
  next(): number;
  /** An integer from `low` to `high`, inclusive. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** `count` different items, in their original order. */
  sample<T>(items: readonly T[], count: number): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(0, items.length - 1)]!,
    sample: (items, count) => {
      const order = items.map((_, index) => ({ index, weight: next() })).sort((a, b) => a.weight - b.weight);
      const chosen = new Set(order.slice(0, count).map((entry) => entry.index));
      return items.filter((_, index) => chosen.has(index));
    },
  };
}
