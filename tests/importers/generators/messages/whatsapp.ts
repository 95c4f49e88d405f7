import { whatsapp } from "#importers/formats/whatsapp/whatsapp";
import { type Dice, drawSentence, type Generator, people } from "../generator.ts";

const padTwo = (n: number): string => String(n).padStart(2, "0");

/** As an Android phone writes it, day first. */
const stamp = (n: number): string => {
  const at = new Date(Date.UTC(2024, 0, 1) + n * 7_919_000);
  return `${padTwo(at.getUTCDate())}/${padTwo(at.getUTCMonth() + 1)}/${at.getUTCFullYear()}, ${padTwo(at.getUTCHours())}:${padTwo(at.getUTCMinutes())}`;
};

function drawLine(dice: Dice, n: number): string {
  if (n % 17 === 3) return `${stamp(n)} - Ada changed the group description`;
  if (n % 13 === 5) return `${stamp(n)} - Ada: IMG-20240101-WA${n % 3}.jpg (file attached)`;
  const more = dice.chance(0.1) ? `\n${drawSentence(dice)}` : "";
  return `${stamp(n)} - ${dice.pick(people)}: ${drawSentence(dice)}${more}`;
}

export const whatsappGenerator: Generator = {
  importer: whatsapp,
  pair(dice, size) {
    // Equal messages within a minute are two messages.
    const twice = `${stamp(1)} - Ada: ok`;
    const all = [...Array.from({ length: size * 4 }, (_, n) => drawLine(dice, n)), twice, twice];
    const [name, media] = ["WhatsApp Chat with Ada.txt", { "IMG-20240101-WA0.jpg": Buffer.from("jpeg") }];
    // The app gives the newest messages only; and what was sent since.
    const newer = [...all.slice(5), ...Array.from({ length: 6 }, (_, n) => drawLine(dice, size * 4 + n))];
    return { older: { [name]: `${all.join("\n")}\n`, ...media }, newer: { [name]: newer.join("\r\n"), ...media } };
  },
  hostile: () => ({
    files: {
      "WhatsApp Chat with Eve.txt": [
        "\u200e[31/12/2023, 11:59:58\u202fPM] Eve: \u200eleft-to-right",
        "[٣١/١٢/٢٠٢٣, ١١:٥٩:٥٩\u00a0م] أمينة: مرحبا",
        "[45/13/2024, 10:00:00] Eve: no such day",
        "[01/01/2024, 25:61:61] Eve: no such time",
        "[01/01/2024, 00:00:01] Eve: nul \u0000 here",
        "[01/01/2024, 00:00:02] Messages are end-to-end encrypted",
        "[01/01/2024, 00:00:03] Eve: <attached: ../../etc/passwd.txt>",
        `[01/01/2024, 00:00:04] Eve: ${"x".repeat(100_000)}`,
        "[01/01/2024, 00:00:05] Eve: [01/01/2024, 00:00:05] Eve: quoted",
      ].join("\n"),
    },
    good: 7,
  }),
  endless: (dice, bytes) => ({
    path: "WhatsApp Chat with Ada.txt",
    *pieces() {
      for (let n = 0, written = 0; written < bytes; n += 1) {
        const text = `${drawLine(dice, n)}\n`;
        written += text.length;
        yield text;
      }
    },
  }),
};
