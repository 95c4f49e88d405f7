/** Numbers with separators for thousands. */

/** Kept, because `toLocaleString` costs twenty times as much as a format that exists. */
const formats = new Map<string, Intl.NumberFormat>();

/** Rounds to `most` decimals and shows at least `least`. Both are from 0 to 20. */
export function formatDecimals(value: number, least: number, most: number): string {
  const key = `${least} ${most}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat("en", { minimumFractionDigits: least, maximumFractionDigits: most });
    formats.set(key, format);
  }
  return format.format(value);
}
