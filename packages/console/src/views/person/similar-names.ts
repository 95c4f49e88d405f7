/** Whether two names may mean one person. It only makes a question: the owner decides. */

const splitName = (name: string): string[] =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

const fits = (a: string, b: string): boolean =>
  a === b || (a.length === 1 && b.startsWith(a)) || (b.length === 1 && a.startsWith(b));

/** 3: the same words; 2: with an initial or in another order; 1: one word of a longer name; 0: not similar. */
export function compareNames(one: string, other: string): 0 | 1 | 2 | 3 {
  const [a, b] = [splitName(one), splitName(other)];
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length === 0) return 0;
  if (a.join(" ") === b.join(" ")) return short.join("").length > 1 ? 3 : 0;
  if (short.length === 1) {
    const [word = ""] = short;
    return word.length > 2 && (long[0] === word || long.at(-1) === word) ? 1 : 0;
  }
  const rest = [...long];
  const isWhole = (word: string): boolean => word.length > 1 && long.includes(word);
  for (const word of short) {
    const found = rest.findIndex((each) => fits(word, each));
    if (found === -1) return 0;
    rest.splice(found, 1);
  }
  return short.some(isWhole) ? 2 : 0;
}
