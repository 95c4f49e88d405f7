import fc from "fast-check";
import { expect, it } from "vitest";
import { type MailBlock, splitQuotes } from "./quotes.ts";

const listLines = (blocks: readonly MailBlock[]): string[] =>
  blocks.flatMap((block) => (block.kind === "quote" ? [...block.intro, ...listLines(block.blocks)] : block.lines));

const describe = (blocks: readonly MailBlock[]): unknown[] =>
  blocks.map((block) =>
    block.kind === "quote"
      ? { intro: block.intro.join(" ").trim(), lines: block.lineCount, inner: describe(block.blocks) }
      : `${block.kind}: ${block.lines.join("|")}`,
  );

it("[CSL-109] folds a quote with the line that says whose it is, one fold for each level", () => {
  const text = [
    "Dear Ada,",
    "",
    "done.",
    "",
    "On 20 Feb 2026, Ada Brambleby wrote:",
    "> Thank you!",
    ">",
    "> On 19 Feb 2026, Noor wrote:",
    ">> We'd love to have you.",
    "",
    "-- ",
    "Noor",
  ].join("\n");
  expect(describe(splitQuotes(text))).toEqual([
    "text: Dear Ada,||done.|",
    {
      intro: "On 20 Feb 2026, Ada Brambleby wrote:",
      lines: 4,
      inner: [
        "text: Thank you!|",
        { intro: "On 19 Feb 2026, Noor wrote:", lines: 1, inner: ["text: We'd love to have you."] },
      ],
    },
    "text: ",
    "signature: -- |Noor",
  ]);
});

it("[CSL-109] folds an earlier mail below a separator, and no text of the mail itself", () => {
  expect(describe(splitQuotes("Yes.\n-----Original Message-----\nFrom: Noor\nWhen?"))).toEqual([
    "text: Yes.",
    { intro: "-----Original Message-----", lines: 2, inner: ["text: From: Noor|When?"] },
  ]);
  expect(describe(splitQuotes("Please bring:\n> milk"))).toEqual([
    "text: Please bring:",
    { intro: "", lines: 1, inner: ["text: milk"] },
  ]);
  expect(describe(splitQuotes("no quotes"))).toEqual(["text: no quotes"]);
  expect(describe(splitQuotes(""))).toEqual(["text: "]);
});

it("[CSL-109] keeps every line, in order, without its markers", () => {
  const line = fc.constantFrom(
    "",
    "text",
    "> one",
    ">> two",
    "> > two",
    " > spaced",
    ">",
    "-- ",
    "On 1 May 2026, Ada wrote:",
    "-----Original Message-----",
    "________________________________",
    "From: Noor <noor@example.net>",
    `${">".repeat(40)} deep`,
  );
  const strip = (text: string): string => text.replace(/^(?: ?> ?)+/, "");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const found = listLines(splitQuotes(lines.join("\n")));
      expect(found.map(strip)).toEqual((lines.length === 0 ? [""] : lines).map(strip));
    }),
  );
});
