/** Content lines of calendars and address books, escaped and folded as RFC 5545 and RFC 6350 require. */

export const escapeText = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll(";", "\\;").replaceAll(",", "\\,").replaceAll("\n", "\\n");

/** Folds at 75 bytes, never inside a character. */
function foldLine(line: string): string {
  const parts: string[] = [];
  let part = "";
  for (const char of line) {
    if (Buffer.byteLength(part + char) > 74) {
      parts.push(part);
      part = "";
    }
    part += char;
  }
  return [...parts, part].join("\r\n ");
}

export const writeContentLines = (lines: readonly string[]): string =>
  lines.map((line) => `${foldLine(line)}\r\n`).join("");
