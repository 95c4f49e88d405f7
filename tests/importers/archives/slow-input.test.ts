import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createBoundedWorker } from "#importers/core/workers/bounded-worker";
import { generators } from "../generators/all.ts";
import type { Files } from "../generators/generator.ts";

/** Input that makes careless parsers try for hours. It is read in a process, so that such a one fails and does not hang the tests. */
const worker = createBoundedWorker<Files, number>(
  {
    module: new URL("./reading-worker.ts", import.meta.url),
    bounds: { maxTaskMs: 60_000, maxHeapMb: 700, maxMemoryMb: 1000 },
  },
  z.number(),
);
afterAll(() => worker.close());

const size = 400_000;
const repeatTo = (text: string, chars = size): string => text.repeat(Math.ceil(chars / text.length));
const buildEvent = (...lines: string[]): string =>
  ["BEGIN:VEVENT", "UID:a", "DTSTART:16010101T000000Z", ...lines, "END:VEVENT"].join("\r\n");
const buildCalendar = (...parts: string[]): Files => ({
  "a.ics": ["BEGIN:VCALENDAR", "VERSION:2.0", ...parts, "END:VCALENDAR", ""].join("\r\n"),
});
const buildContact = (...lines: string[]): Files => ({
  "a.vcf": ["BEGIN:VCARD", "VERSION:2.1", "FN:Ada", ...lines, "END:VCARD", ""].join("\r\n"),
});
const listNumbers = (to: number): string => Array.from({ length: to }, (_, n) => n).join(",");
const everySecond = `BYSECOND=${listNumbers(60)};BYMINUTE=${listNumbers(60)};BYHOUR=${listNumbers(24)}`;
const buildEvernote = (content: string): Files => ({
  "a.enex": `<?xml version="1.0"?><en-export><note><title>a</title><content><![CDATA[<en-note>${content}</en-note>]]></content></note></en-export>`,
});
const buildNotion = (html: string): Files => ({
  "Page 0123456789abcdef0123456789abcdef.html": `<html><head><title>a</title></head><body><article id="01234567-89ab-cdef-0123-456789abcdef" class="page sans">${html}<div class="page-body">x</div></article></body></html>`,
});
const buildNote = (text: string): Files => ({ ".obsidian/app.json": "{}", "a.md": text });

const hostile: readonly (readonly [string, Files])[] = [
  ["a duration of a million million weeks", buildCalendar(buildEvent("DURATION:P999999999999999999W"))],
  [
    "many rules that never come true",
    buildCalendar(...Array.from({ length: 300 }, () => buildEvent("RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"))),
  ],
  ["a rule that never comes true", buildCalendar(buildEvent("RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"))],
  [
    "a rule for every second",
    buildCalendar(buildEvent(`RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;${everySecond};BYSETPOS=-1`)),
  ],
  ["a rule of many days", buildCalendar(buildEvent(`RRULE:FREQ=DAILY;BYDAY=${repeatTo("MO,")}MO`))],
  [
    "a zone that begins again and again",
    buildCalendar("BEGIN:VTIMEZONE", repeatTo("BEGIN:STANDARD\r\n"), "END:VTIMEZONE"),
  ],
  ["a zone of names", buildCalendar("BEGIN:VTIMEZONE", repeatTo("TZID\r\n"), "END:VTIMEZONE", buildEvent())],
  ["a number with many kinds", buildContact(`TEL${repeatTo(";TYPE=HOME")}:1`)],
  ["a note in soft lines", buildContact(`NOTE;ENCODING=QUOTED-PRINTABLE:${repeatTo("word =\r\n")}`)],
  ["a contact of carriage returns", buildContact(repeatTo("\r"))],
  ["spaces before a list", { "a.json": `${repeatTo(" ")}[{}]` }],
  ["comments before a track", { "a.gpx": `${"<!---->".repeat(60)}<kml>` }],
  ["links in links", buildNote(repeatTo("[["))],
  ["targets of links", buildNote(repeatTo("![](a"))],
  ["properties nested deep", buildNote(`---\na: ${"[".repeat(60_000)}\n---\nx`)],
  ["properties that name each other", buildNote(`---\na: &a [1,1,1]\n${repeatTo("b: [*a,*a,*a]\n", 30_000)}---\nx`)],
  ["tags that do not end", buildEvernote(repeatTo("<a "))],
  ["links without an end", buildEvernote(`<a ${repeatTo("href ")}`)],
  ["files that do not end", buildEvernote(repeatTo("<en-media "))],
  ["boxes that do not end", buildEvernote(`<en-todo ${repeatTo('checked="true" ')}`)],
  ["secrets that do not end", buildEvernote(repeatTo("<en-crypt>"))],
  ["properties of a page", buildNotion(repeatTo('<tr class="property-row"><th></th><td>'))],
  ["a book of brackets", { "My Clippings.txt": `a ${repeatTo("(")}\n- Highlight | location 1\n\nx\n==========\n` }],
  ["a date of spaces", { "a.qif": `!Type:Bank\nD1${repeatTo(" ")}x\nT1\n^\n` }],
  [
    "a name of spaces",
    { "a.ofx": `<OFX><STMTTRN><FITID>1<DTPOSTED>20200101<TRNAMT>1<NAME>a${repeatTo(" ")}b</STMTTRN></OFX>` },
  ],
  ["verbatim text that does not end", { "a.ofx": `<OFX><STMTTRN><NAME>${repeatTo("<![CDATA[")}</STMTTRN></OFX>` }],
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
      const nasty = `${content.slice(0, word)}${repeatTo(run)}${content.slice(word)}`;
      expect(await worker.run({ ...Object.fromEntries(files), [path]: nasty })).toBeGreaterThanOrEqual(0);
    }
  });
});
