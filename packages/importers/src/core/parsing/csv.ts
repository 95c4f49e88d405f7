import type { Entry } from "../../tree/tree.ts";
import { decodeText } from "../files.ts";

/** Rows of a CSV file, one at a time, with where each stands. Line ends inside quotation marks belong to a field. */

export interface CsvRow {
  readonly offset: number;
  /** Just behind it. */
  readonly end: number;
  readonly fields: readonly string[];
  readonly raw: Uint8Array;
  readonly failure?: { readonly code: "too_long" | "truncated"; readonly reason: string };
}

export type Delimiter = "," | ";" | "\t" | "|";

const [QUOTE, NEWLINE] = [0x22, 0x0a];
const maxRowBytes = 4 * 1024 * 1024;

/** `from` is the end of a row that was reached before. */
export async function* readCsvRows(entry: Entry, delimiter: Delimiter = ",", from = 0): AsyncGenerator<CsvRow> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let start = from;
  let at = from;
  let isQuoted = false;
  let isFieldStart = true;
  const separator = delimiter.charCodeAt(0);
  const finishRow = (end: number): CsvRow | undefined => {
    const raw = Buffer.concat(parts);
    const offset = start;
    const isLong = size > maxRowBytes;
    [parts, size, start] = [[], 0, end];
    if (isLong)
      return { offset, end, fields: [], raw, failure: { code: "too_long", reason: "the row is longer than 4 MiB" } };
    const text = decodeText(offset === 0 && raw[0] === 0xef ? raw.subarray(3) : raw).replace(/\r$/, "");
    return text === "" ? undefined : { offset, end, fields: splitCsvRow(text, delimiter), raw };
  };
  const keep = (part: Uint8Array): void => {
    if (size <= maxRowBytes) parts.push(Uint8Array.from(part));
    size += part.length;
  };
  for await (const chunk of entry.bytes(from)) {
    let kept = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i] ?? 0;
      if (isQuoted) {
        // A doubled quotation mark closes and opens again, which comes to the same.
        if (byte === QUOTE) isQuoted = false;
        // A mark that was never closed must not swallow the file.
        else if (byte === NEWLINE && size + i - kept > maxRowBytes) isQuoted = false;
        else continue;
        if (byte !== NEWLINE) continue;
      }
      if (byte === QUOTE && (isFieldStart || chunk[i - 1] === QUOTE)) isQuoted = true;
      else if (byte === NEWLINE) {
        keep(chunk.subarray(kept, i));
        const found = finishRow(at + i + 1);
        if (found !== undefined) yield found;
        kept = i + 1;
      }
      isFieldStart = byte === separator || byte === NEWLINE;
    }
    if (kept < chunk.length) keep(chunk.subarray(kept));
    at += chunk.length;
  }
  const last = finishRow(at);
  if (last !== undefined && isQuoted)
    yield { ...last, failure: { code: "truncated", reason: "a quotation mark in it is never closed" } };
  else if (last !== undefined) yield last;
}

/** The names in the first line of a file, of which the beginning is given. */
export function parseCsvHeader(text: string, delimiter: Delimiter = ","): string[] {
  const line = /^\ufeff?([^\r\n]{1,20000})/.exec(text)?.[1] ?? "";
  return splitCsvRow(line, delimiter).map((name) => name.trim());
}

/** The fields of one row. */
function splitCsvRow(text: string, delimiter: string): string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  for (let at = 0; at <= text.length; ) {
    if (text[at] !== '"') {
      const end = text.indexOf(delimiter, at);
      fields.push(text.slice(at, end < 0 ? text.length : end));
      at = end < 0 ? text.length + 1 : end + 1;
      continue;
    }
    let field = "";
    let from = at + 1;
    for (;;) {
      const end = text.indexOf('"', from);
      field += text.slice(from, end < 0 ? text.length : end);
      if (end < 0 || text[end + 1] !== '"') {
        from = end < 0 ? text.length : end + 1;
        break;
      }
      field += '"';
      from = end + 2;
    }
    // What stands between the closing mark and the next separator belongs to the field as well.
    const end = text.indexOf(delimiter, from);
    fields.push(field + text.slice(from, end < 0 ? text.length : end));
    at = end < 0 ? text.length + 1 : end + 1;
  }
  return fields;
}
