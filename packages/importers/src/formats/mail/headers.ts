import { hash } from "node:crypto";
import { parseInstant } from "@pdpp/contract/instant";
import { deriveId } from "../../core/identity.ts";
import { cleanText } from "../../core/text/clean.ts";
import { formatInstant } from "../../core/time/times.ts";

/** Derives a mail's id and time from its headers alone, so that plan and reader agree. */

export type Headers = ReadonlyMap<string, readonly string[]>;

const maxHeaderBytes = 1024 * 1024;

export function parseHeaders(mail: Buffer): Headers {
  const beginning = mail.subarray(countLeadingBlanks(mail), maxHeaderBytes);
  // Decode only the headers, not the whole mail.
  const ends = ["\n\n", "\n\r\n"].map((blank) => beginning.indexOf(blank)).filter((at) => at >= 0);
  const head = beginning.toString("latin1", 0, Math.min(...ends, beginning.length));
  const headers = new Map<string, string[]>();
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const others = headers.get(name);
    const value = line.slice(colon + 1).trim();
    if (others === undefined) headers.set(name, [value]);
    else others.push(value);
  }
  return headers;
}

/** A byte order mark and blank lines, which other mail programs skip, too. */
export function countLeadingBlanks(mail: Buffer): number {
  let at = mail[0] === 0xef && mail[1] === 0xbb && mail[2] === 0xbf ? 3 : 0;
  while (mail[at] === 10 || mail[at] === 13) at += 1;
  return at;
}

export const getHeader = (headers: Headers, name: string): string | undefined => headers.get(name)?.[0];

/** Message ids in a header, without brackets. */
export function parseIds(value: string | undefined): string[] {
  if (value === undefined) return [];
  const bracketed = [...value.matchAll(/<([^<>\s]{1,900})>/g)].map(([, id = ""]) => id);
  return (bracketed.length > 0 ? bracketed : value.split(/\s+/)).filter((id) => id !== "").map(cleanText);
}

/** Short and overlong ones are not unique. */
export function findMessageId(headers: Headers): string | undefined {
  const [own] = parseIds(getHeader(headers, "message-id"));
  return own !== undefined && own.length >= 5 && own.length <= 900 ? own : undefined;
}

/** The Message-ID, or a digest of the bytes with normalized line endings. */
export function deriveMailId(headers: Headers, mail: Buffer): string {
  const own = findMessageId(headers);
  if (own !== undefined) return own;
  const bytes = removeAddedHeaders(
    mail.indexOf("\r\n") < 0 ? mail : Buffer.from(mail.toString("latin1").replaceAll("\r\n", "\n"), "latin1"),
  );
  let end = bytes.length;
  while (end > 0 && blanks.includes(bytes[end - 1] ?? 0)) end -= 1;
  return deriveId("mail", hash("sha256", bytes.subarray(0, end), "hex"));
}

/** Mail programs and exports add these to a mailbox file; the mail in the account does not have them. */
const addedHeader =
  /^(?:x-gm-(?:thrid|msgid|labels)|x-gmail-labels|(?:x-)?status|x-keywords|x-mozilla-(?:status2?|keys)|x-uid|x-imap(?:base)?|content-length|lines)[ \t]*:.*\n(?:[ \t].*\n)*/gim;

/** Expects LF line endings. */
function removeAddedHeaders(mail: Buffer): Buffer {
  const start = countLeadingBlanks(mail);
  const blank = mail.indexOf("\n\n", start);
  const end = blank < 0 ? mail.length : blank + 1;
  const head = mail.toString("latin1", start, end);
  const own = head.replace(addedHeader, "");
  if (own === head) return mail;
  return Buffer.concat([mail.subarray(0, start), Buffer.from(own, "latin1"), mail.subarray(end)]);
}

/** The single-byte characters that `trimEnd` removes. */
const blanks: readonly number[] = [9, 10, 11, 12, 13, 32, 0xa0];

/** From the Date header, the Received header, or the mbox envelope. */
export function findMailTime(headers: Headers, envelope: string): { at: string | null; source: string | null } {
  const received = headers.get("received")?.map((value) => value.slice(value.lastIndexOf(";") + 1));
  for (const [source, text] of [
    ["date", getHeader(headers, "date")],
    ["received", received?.at(-1)],
    [
      "envelope",
      /\d.*$/.exec(envelope.replace(/^From \S+ /, ""))?.[0] ? envelope.replace(/^From \S+ /, "") : undefined,
    ],
  ] as const) {
    const at = text === undefined ? null : parseTime(text);
    if (at !== null) return { at, source };
  }
  return { at: null, source: null };
}

/** Zones that `Date` does not know; ambiguous ones are left out. */
// biome-ignore format: a compact table
const zones: Readonly<Record<string, string>> = {
  AEDT: "+1100", AEST: "+1000", BST: "+0100", CEST: "+0200", CET: "+0100", EEST: "+0300", EET: "+0200", HKT: "+0800",
  JST: "+0900", KST: "+0900", MESZ: "+0200", MEST: "+0200", MET: "+0100", MEZ: "+0100", MSK: "+0300", NZDT: "+1300",
  NZST: "+1200", WEST: "+0100", WET: "+0000",
};

/** Lenient date parsing; a missing zone means UTC, as in envelopes. */
function parseTime(text: string): string | null {
  const plain = text
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/([+-]\d{2}):(\d{2})$/, "$1$2")
    .replace(/ ([A-Z]{3,4})$/, (whole, name: string) => (zones[name] === undefined ? whole : ` ${zones[name]}`));
  const instant =
    parseInstant(plain) ?? Date.parse(/([+-]\d{4}|\b(GMT|UTC?|[ECMP][SD]T|Z))\b/.test(plain) ? plain : `${plain} GMT`);
  const written = formatInstant(instant);
  // Out of range: the sender's clock was wrong.
  return written === null || written < "1970" || written > "2100" ? null : written;
}
