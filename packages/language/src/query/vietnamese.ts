/** Letters that hardly any other language has. */
const ownLetters = /[ơưạảấầẩẫậắằẳẵặẹẻếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỵỷỹ]/iu;
const words = /[\p{L}\p{M}]+/gu;
const ascii = /^[a-z]+$/i;

/**
 * Whether a query is Vietnamese. Its syllables are written apart and never inflected, and without their marks many look like stop
 * words or inflections of other languages. A Vietnamese name alone does not make a query Vietnamese.
 */
export function isVietnamese(text: string): boolean {
  const composed = text.normalize("NFC");
  if (!ownLetters.test(composed)) return false;
  const all = composed.match(words) ?? [];
  return all.filter((word) => !ascii.test(word)).length * 2 > all.length;
}
