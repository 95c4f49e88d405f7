/** Lines of calendars and address books: escaped, ended and folded as RFC 5545 and RFC 6350 have it. */

export const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll(";", "\\;").replaceAll(",", "\\,").replaceAll("\n", "\\n");

/** No line is longer than 75 bytes; a character is never cut. */
function folded(line: string): string {
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

export const contentLines = (lines: readonly string[]): string => lines.map((line) => `${folded(line)}\r\n`).join("");
