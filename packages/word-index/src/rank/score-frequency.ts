/** BM25's `k1`. */
const saturation = 1.2;

/** BM25 for one clause; the frequency is already normalized by length. */
export const scoreFrequency = (idf: number, frequency: number): number =>
  (idf * frequency * (saturation + 1)) / (frequency + saturation);
