/** A small seeded random generator; seed 0 gives the simplest values. */
export interface Dice {
  /** From 0 up to, but not including, n. */
  below(n: number): number;
  pick<T>(list: readonly T[]): T;
  chance(percent: number): boolean;
}

export function createDice(...seeds: number[]): Dice {
  const plain = seeds[0] === 0;
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e3779b1) ^ (mixed >>> 15), 0x2545f491);
  const roll = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number): number => (plain ? 0 : Math.floor(roll() * n));
  return {
    below,
    pick: (list) => list[below(list.length)]!,
    chance: (percent) => !plain && roll() * 100 < percent,
  };
}
