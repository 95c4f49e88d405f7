import { expect, it } from "vitest";
import { findFactSentence } from "./fact-sentence.ts";

const note =
  "**For**\n- maps! tides!\n- 15 minutes by bike\n\n**Decision (24.02.)** Signed: 78,500 €, 30 days. First offer was 74,000 €.";

it.each([
  ["the last amount", note, 8, "First offer was 74,000 €."],
  ["a number where there is no amount", "Dear all,\nwe meet in room 12.\nBring cake.", 9, "we meet in room 12."],
  ["no line quoted from another message", "Yes.\n> It costs 40 €\nIt was 35 EUR then", 4, "It was 35 EUR then"],
  ["nothing without a number", "Dear all,\nsee you soon.", 9, undefined],
  ["nothing before the place it starts at", "It costs 40 €.\nSee you soon.", 15, undefined],
  ["nothing too long to show", `It costs ${"very much, about ".repeat(20)} 40 €.`, 0, undefined],
  ["no encoded bytes", `Dear all,\ndata:image/png;base64,${"iVBORw0KGgo1".repeat(8)}\nsee you.`, 9, undefined],
])("[EVI-14] finds %s", (_, text, from, found) => expect(findFactSentence(text, from, 140)).toBe(found));
