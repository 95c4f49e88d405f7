import { kindle } from "#importers/formats/kindle/kindle";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

const formatClipping = (n: number, text: string, hour = 1): string =>
  `Book ${n % 5} (Ada Lovelace)\r\n- Your ${n % 4 === 0 ? "Note" : "Highlight"} on page ${n} | Location ${n * 10}-${n * 10 + 4} | Added on Monday, January ${1 + (n % 28)}, 2024 ${hour}:0${n % 10}:30 PM\r\n\r\n${text}\r\n==========\r\n`;

const drawClipping = (dice: Dice, n: number): string => formatClipping(n, drawSentence(dice));

export const kindleGenerator: Generator = {
  importer: kindle,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawClipping(dice, n + 1));
    // Marked again, with another end: the old one stays before it.
    const again = [formatClipping(1, "marked again", 5), formatClipping(2, "marked again", 6)];
    return {
      older: { "My Clippings.txt": `\ufeff${all.join("")}` },
      newer: {
        "My Clippings.txt": `\ufeff${[...all.slice(0, -2), ...again, drawClipping(dice, 91), drawClipping(dice, 92)].join("")}`,
      },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => drawClipping(dice, n));
    return {
      files: {
        "My Clippings.txt": `${good[0]}only a title\r\n==========\r\n${good[1]}Ein Buch\r\n- Ihre Markierung bei Position 120-125 | Hinzugefügt am Montag\r\n\r\nText \u0000\r\n==========\r\n==========\r\n${good[2]}Cut (off)\r\n- Your`,
      },
      good: 4,
    };
  },
  endless: (dice, bytes) => createEndlessFile("My Clippings.txt", bytes, (n) => drawClipping(dice, n), ["", "", ""]),
};
