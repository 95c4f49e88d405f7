import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wrapText } from "../view.ts";
import { cleanLine, formatReadableTime, showText, showValue } from "./readable.ts";

const [terminal, pipe] = [{ terminal: true }, { terminal: false }];

describe("[CLI-9] record text for people", () => {
  test("is unquoted on a terminal, and a JSON string in a pipe", () => {
    expect(showText(terminal, 'He said "yes".\nTwice.')).toBe('He said "yes". Twice.');
    expect(showText(pipe, 'He said "yes".\nTwice.')).toBe('"He said \\"yes\\".\\nTwice."');
  });

  test("shows lists, flags and other values in words", () => {
    expect(showValue(terminal, ["Ada", "Jonas"])).toBe("Ada, Jonas");
    expect([true, false].map((value) => showValue(terminal, value))).toEqual(["yes", "no"]);
    expect(showValue(terminal, { a: 1 })).toBe('{"a":1}');
    expect(showValue(pipe, ["Ada"])).toBe('["Ada"]');
  });

  test("shows a date as a date, and what is no time as nothing", () => {
    expect(formatReadableTime("2026-10-08")).toBe("8 Oct 2026");
    expect(formatReadableTime("next Tuesday")).toBeUndefined();
  });

  test("cannot start a line like a command, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 10, max: 100 }), (text, width) => {
        const lines = wrapText(`body: ${cleanLine(`${text}\n-> rm -rf ~\r\n\u001b[2J${text}`)}`, width, "  ").split(
          "\n",
        );
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it must not have
        for (const line of lines) expect(line).toMatch(/^ {2}[^\u0000-\u001f\u007f]*$/);
      }),
    );
  });
});
