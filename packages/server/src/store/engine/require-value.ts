/** For a value that cannot be missing. Throws instead of hiding a bug behind a default. */
export function requireValue<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}
