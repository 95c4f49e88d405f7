/** For an item that cannot be missing. Throws instead of hiding a bug behind a default. */
export function requireItem<T>(item: T | undefined): T {
  if (item === undefined) throw new Error("an item of the word index is missing");
  return item;
}
