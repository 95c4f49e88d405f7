import { isUtf8 } from "node:buffer";
import { decodeText } from "../text/decode-text.ts";

/** Content lines (`group.NAME;PARAM=value:value`) of vCard and iCalendar files. */

export interface ContentLine {
  readonly name: string;
  readonly params: ReadonlyMap<string, readonly string[]>;
  readonly value: string;
}

/** Unfolds lines, including the soft line breaks of vCard 2.1. */
export function parseContentLines(block: Buffer): ContentLine[] {
  const text = decodeText(isUtf8(block) ? block : unfoldBytes(block));
  const found: ContentLine[] = [];
  // Collected in pieces: appending to one growing string would copy it each time.
  let held: string[] = [];
  const finishLine = (): void => {
    const line = held.length === 0 ? null : parseContentLine(held.join(""));
    if (line !== null) found.push(line);
    held = [];
  };
  for (const line of text.split(/\r+\n?|\n/)) {
    const last = held.at(-1);
    if (/^[ \t]/.test(line)) held.push(line.slice(1));
    else if (last?.endsWith("=") && isQuotedPrintable(held)) held.splice(-1, 1, last.slice(0, -1), line);
    else {
      finishLine();
      held.push(line);
    }
  }
  finishLine();
  return found;
}

/** Some programs fold in the middle of a multi-byte character, which is valid UTF-8 only after unfolding. */
function unfoldBytes(block: Buffer): Buffer {
  const whole = Buffer.from(block.toString("latin1").replace(/(?:\r+\n?|\n)[ \t]/g, ""), "latin1");
  return isUtf8(whole) ? whole : block;
}

const isQuotedPrintable = (pieces: readonly string[]): boolean =>
  /^[^:]*;(ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(pieces.slice(0, 8).join("").slice(0, 400));

function parseContentLine(written: string): ContentLine | null {
  // Some programs put the closing quote after the value, so the whole line looks like a parameter.
  const line = findUnquoted(written, ":") < 0 ? written.replace(/"$/, "") : written;
  const colon = findUnquoted(line, ":");
  if (colon < 1) return null;
  const [full = "", ...params] = splitUnquoted(line.slice(0, colon), ";");
  const name = full.slice(full.lastIndexOf(".") + 1).toUpperCase();
  const known = new Map<string, string[]>();
  for (const param of params) {
    const equals = param.indexOf("=");
    // vCard 2.1 writes bare values: `TEL;HOME;VOICE`.
    const key = equals < 0 ? getBareParameterName(param) : param.slice(0, equals).toUpperCase();
    const said = splitUnquoted(equals < 0 ? param : param.slice(equals + 1), ",").map((each) =>
      each.replace(/^"|"$/g, ""),
    );
    // vCard 4 writes several types in one quoted value.
    const values = key === "TYPE" ? said.flatMap((each) => each.split(",")) : said;
    const others = known.get(key);
    if (others === undefined) known.set(key, values);
    else for (const value of values) others.push(value);
  }
  return { name, params: known, value: decodeValue(line.slice(colon + 1), known) };
}

const getBareParameterName = (value: string): string =>
  /^(quoted-printable|base64|8bit|7bit|b)$/i.test(value) ? "ENCODING" : "TYPE";

function decodeValue(value: string, params: ReadonlyMap<string, readonly string[]>): string {
  if (!/^quoted-printable$/i.test(params.get("ENCODING")?.[0] ?? "")) return value;
  const bytes = Buffer.from(
    value.replace(/=([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  const charset = params.get("CHARSET")?.[0];
  try {
    return new TextDecoder(charset ?? "utf-8", { fatal: charset === undefined }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Index of a character outside quotes, or -1. */
function findUnquoted(text: string, char: string): number {
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (text[i] === char && !isQuoted) return i;
  }
  // An unclosed quote is treated as a plain character.
  return isQuoted ? text.indexOf(char) : -1;
}

function splitUnquoted(text: string, separator: string): string[] {
  const parts: string[] = [];
  let rest = text;
  for (let at = findUnquoted(rest, separator); at >= 0; at = findUnquoted(rest, separator)) {
    parts.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  return [...parts, rest];
}

/** Splits at unescaped separators and unescapes the parts. */
export function splitValue(value: string, separator: ";" | ","): string[] {
  const parts = [""];
  for (let i = 0; i < value.length; i += 1) {
    const char = value[i] ?? "";
    if (char === "\\" && i + 1 < value.length) {
      i += 1;
      parts[parts.length - 1] += /[nN]/.test(value[i] ?? "") ? "\n" : (value[i] ?? "");
    } else if (char === separator) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}

export const unescapeText = (value: string): string =>
  value.replace(/\\([nN])|\\([\s\S])/g, (_, line, char) => (line === undefined ? char : "\n"));
