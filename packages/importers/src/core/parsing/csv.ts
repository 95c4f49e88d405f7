import type { Entry } from "../../tree/tree.ts";
import { decodeText } from "../text/decode-text.ts";

/** Streams CSV rows with their offsets. Quoted fields may contain line breaks. */

export interface CsvRow {
  readonly offset: number;
  /** Exclusive end offset. */
  readonly end: number;
  readonly fields: readonly string[];
  readonly raw: Uint8Array;
  readonly failure?: { readonly code: "too_long" | "truncated"; readonly reason: string };
}

export type Delimiter = "," | ";" | "\t" | "|";

const [QUOTE, NEWLINE] = [0x22, 0x0a];
const maxRowBytes = 4 * 1024 * 1024;

/** `from` resumes at the `end` of an earlier row. */
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
        // A doubled quote closes and reopens, which has the same effect.
        if (byte === QUOTE) isQuoted = false;
        // An unclosed quote must not swallow the rest of the file.
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
    yield { ...last, failure: { code: "truncated", reason: "a quote is never closed" } };
  else if (last !== undefined) yield last;
}

/** Column names from the beginning of a file. */
export function parseCsvHeader(text: string, delimiter: Delimiter = ","): string[] {
  const line = /^\ufeff?([^\r\n]{1,20000})/.exec(text)?.[1] ?? "";
  return splitCsvRow(line, delimiter).map((name) => name.trim());
}

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
    // Text between the closing quote and the next separator belongs to the field, too.
    const end = text.indexOf(delimiter, from);
    fields.push(field + text.slice(from, end < 0 ? text.length : end));
    at = end < 0 ? text.length + 1 : end + 1;
  }
  return fields;
}
