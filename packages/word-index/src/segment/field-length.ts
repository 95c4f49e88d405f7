const maxExactLength = 40;
const stepsPerDoubling = 12;

/** Encodes the length of a field in one byte: exact below 40 words, within 3% above. */
export function encodeLength(length: number): number {
  if (length < maxExactLength) return length;
  return Math.min(255, maxExactLength + Math.round(Math.log2(length / maxExactLength) * stepsPerDoubling));
}

/** The length for each code. */
export const decodedLengths: Float64Array = Float64Array.from({ length: 256 }, (_, code) =>
  code < maxExactLength ? code : maxExactLength * 2 ** ((code - maxExactLength) / stepsPerDoubling),
);
