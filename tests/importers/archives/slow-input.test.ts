import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, describe, expect, it } from "vitest";
import { createBoundedWorker } from "#importers/core/workers/bounded-worker";
import { generators } from "../generators/all.ts";
import type { Files } from "../generators/generator.ts";

/** Input that makes careless parsers try for hours. It is read in a thread, so that such a one fails and does not hang the tests. */
const worker = createBoundedWorker<Files, number>({
  module: new URL("./reading-worker.ts", import.meta.url),
  bounds: { maxTaskMs: 60_000, maxHeapMb: 700, maxExternalMb: 700 },
});
afterAll(() => worker.close());

const size = 400_000;
const times = (text: string, chars = size): string => text.repeat(Math.ceil(chars / text.length));
const event = (...lines: string[]): string =>
  ["BEGIN:VEVENT", "UID:a", "DTSTART:16010101T000000Z", ...lines, "END:VEVENT"].join("\r\n");
const calendar = (...parts: string[]): Files => ({
  "a.ics": ["BEGIN:VCALENDAR", "VERSION:2.0", ...parts, "END:VCALENDAR", ""].join("\r\n"),
});
const contact = (...lines: string[]): Files => ({
  "a.vcf": ["BEGIN:VCARD", "VERSION:2.1", "FN:Ada", ...lines, "END:VCARD", ""].join("\r\n"),
});
const numbers = (to: number): string => Array.from({ length: to }, (_, n) => n).join(",");
const everySecond = `BYSECOND=${numbers(60)};BYMINUTE=${numbers(60)};BYHOUR=${numbers(24)}`;
const evernote = (content: string): Files => ({
  "a.enex": `<?xml version="1.0"?><en-export><note><title>a</title><content><![CDATA[<en-note>${content}</en-note>]]></content></note></en-export>`,
});
const notion = (html: string): Files => ({
  "Page 0123456789abcdef0123456789abcdef.html": `<html><head><title>a</title></head><body><article id="01234567-89ab-cdef-0123-456789abcdef" class="page sans">${html}<div class="page-body">x</div></article></body></html>`,
});
const note = (text: string): Files => ({ ".obsidian/app.json": "{}", "a.md": text });

const hostile: readonly (readonly [string, Files])[] = [
  ["a duration of a million million weeks", calendar(event("DURATION:P999999999999999999W"))],
  [
    "many rules that never come true",
    calendar(...Array.from({ length: 300 }, () => event("RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"))),
  ],
  ["a rule that never comes true", calendar(event("RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"))],
  ["a rule for every second", calendar(event(`RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;${everySecond};BYSETPOS=-1`))],
  ["a rule of many days", calendar(event(`RRULE:FREQ=DAILY;BYDAY=${times("MO,")}MO`))],
  ["a zone that begins again and again", calendar("BEGIN:VTIMEZONE", times("BEGIN:STANDARD\r\n"), "END:VTIMEZONE")],
  ["a zone of names", calendar("BEGIN:VTIMEZONE", times("TZID\r\n"), "END:VTIMEZONE", event())],
  ["a number with many kinds", contact(`TEL${times(";TYPE=HOME")}:1`)],
  ["a note in soft lines", contact(`NOTE;ENCODING=QUOTED-PRINTABLE:${times("word =\r\n")}`)],
  ["a contact of carriage returns", contact(times("\r"))],
  ["spaces before a list", { "a.json": `${times(" ")}[{}]` }],
  ["comments before a track", { "a.gpx": `${"<!---->".repeat(60)}<kml>` }],
  ["links in links", note(times("[["))],
  ["targets of links", note(times("![](a"))],
  ["properties nested deep", note(`---\na: ${"[".repeat(60_000)}\n---\nx`)],
  ["properties that name each other", note(`---\na: &a [1,1,1]\n${times("b: [*a,*a,*a]\n", 30_000)}---\nx`)],
  ["tags that do not end", evernote(times("<a "))],
  ["links without an end", evernote(`<a ${times("href ")}`)],
  ["files that do not end", evernote(times("<en-media "))],
  ["boxes that do not end", evernote(`<en-todo ${times('checked="true" ')}`)],
  ["secrets that do not end", evernote(times("<en-crypt>"))],
  ["properties of a page", notion(times('<tr class="property-row"><th></th><td>'))],
  ["a book of brackets", { "My Clippings.txt": `a ${times("(")}\n- Highlight | location 1\n\nx\n==========\n` }],
  ["a date of spaces", { "a.qif": `!Type:Bank\nD1${times(" ")}x\nT1\n^\n` }],
  [
    "a name of spaces",
    { "a.ofx": `<OFX><STMTTRN><FITID>1<DTPOSTED>20200101<TRNAMT>1<NAME>a${times(" ")}b</STMTTRN></OFX>` },
  ],
  ["verbatim text that does not end", { "a.ofx": `<OFX><STMTTRN><NAME>${times("<![CDATA[")}</STMTTRN></OFX>` }],
];

describe("[IMP-18] input crafted to be slow", () => {
  it.each(hostile)("%s", async (_, files) => {
    expect(await worker.run(files)).toBeGreaterThanOrEqual(0);
  });

  const runs = [" ", "(", "<a ", '"', "\\", "a", "[", "\n", "=", ";"].slice(0, chooseRuns(2, 10));
  const texts = generators.flatMap(({ importer: { key }, pair }) => {
    const files = Object.entries(pair(createRandom(7), 3).older).flatMap(([path, content]) =>
      typeof content === "string" ? [[path, content] as const] : [],
    );
    return files.length === 0 ? [] : [[key, files] as const];
  });
  it.each(texts)("a run of one character in a file of %s", async (_, files) => {
    const [[path, content]] = [files[0] ?? ["", ""]];
    const word = content.slice(content.length / 4).search(/[a-z]{4}/) + Math.floor(content.length / 4) + 2;
    for (const run of runs) {
      const nasty = `${content.slice(0, word)}${times(run)}${content.slice(word)}`;
      expect(await worker.run({ ...Object.fromEntries(files), [path]: nasty })).toBeGreaterThanOrEqual(0);
    }
  });
});
