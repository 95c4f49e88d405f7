import { cleanText } from "../../core/text/clean.ts";

/** Groups without text of the mail. */
const silent = /^(\*|fonttbl|colortbl|stylesheet|info|pict|object|themedata|generator|listtable|listoverridetable)$/;

/** The text of RTF, as far as mails need it. */
export function extractRtfText(rtf: string): string {
  if (!rtf.startsWith("{\\rtf")) return "";
  const steps = rtf.matchAll(
    /([{}])|\\'([0-9a-f]{2})|\\u(-?\d+) ?\??|\\([a-z]+)(-?\d+)? ?|\\([^a-z])|([^\\{}\r\n]+)/gi,
  );
  const decoder = new TextDecoder("windows-1252");
  const hidden: boolean[] = [false];
  let text = "";
  for (const [, brace, hex, code, word, value, symbol, plain] of steps) {
    if (brace === "{") hidden.push(hidden.at(-1) ?? false);
    else if (brace === "}") hidden.pop();
    else if (symbol === "*" || (word !== undefined && silent.test(word))) hidden[hidden.length - 1] = true;
    // Text that stands for HTML tags, in mails that were HTML.
    else if (word === "htmlrtf") hidden[hidden.length - 1] = value !== "0";
    else if (hidden.at(-1)) continue;
    else if (hex !== undefined) text += decoder.decode(Uint8Array.of(Number.parseInt(hex, 16)));
    else if (code !== undefined) text += String.fromCharCode(Number(code) & 0xffff);
    else if (word === "par" || word === "line") text += "\n";
    else if (word === "tab") text += "\t";
    else if (symbol !== undefined) text += symbol === "~" ? " " : /[\\{}]/.test(symbol) ? symbol : "";
    else if (plain !== undefined) text += plain;
  }
  return cleanText(text.toWellFormed()).trim();
}
