import { vcard } from "#importers/formats/vcard/vcard";
import { type Dice, drawSentence, type Generator, people } from "../generator.ts";

interface Person {
  readonly n: number;
  readonly name: string;
  readonly note: string;
  readonly revised: number;
}

const drawPerson = (dice: Dice, n: number): Person => ({
  n,
  name: `${dice.pick(people)} ${n}`,
  note: drawSentence(dice),
  revised: 2020,
});

/** Every third has no id; every fourth uses the oldest version. */
function formatCard({ n, name, note, revised }: Person): string {
  const quoted = Buffer.from(note)
    .toString("hex")
    .replace(/../g, (hex) => `=${hex.toUpperCase()}`);
  const lines =
    n % 4 === 1
      ? [
          "VERSION:2.1",
          `N;CHARSET=UTF-8:${name};;;;`,
          `NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:${quoted.slice(0, 60)}=`,
          quoted.slice(60),
          "TEL;HOME;VOICE:+49 30 1234",
        ]
      : [
          "VERSION:3.0",
          `FN:${name}`,
          `item1.EMAIL;TYPE=INTERNET:p${n}@example.org`,
          `NOTE:${note.replaceAll(",", "\\,")}`,
          "ADR;TYPE=home:;;Street 1\\, back;Town;;12345;",
          "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ",
        ];
  return [
    "BEGIN:VCARD",
    ...lines,
    ...(n % 3 === 2 ? [] : [`UID:person-${n}`]),
    `REV:${revised}-01-01T00:00:00Z`,
    "END:VCARD",
    "",
  ].join("\r\n");
}

export const vcardGenerator: Generator = {
  importer: vcard,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawPerson(dice, n));
    const changed = all.slice(0, 2).map((each) => ({ ...each, note: "moved", revised: 2024 }));
    const added = [drawPerson(dice, size * 2), drawPerson(dice, size * 2 + 1)];
    return {
      older: { "contacts.vcf": all.map(formatCard).join("") },
      newer: { "contacts.vcf": [...changed, ...all.slice(2, -2), ...added].map(formatCard).join("\r\n") },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => formatCard(drawPerson(dice, n)));
    const nobody = "BEGIN:VCARD\r\nVERSION:3.0\r\nX-NOTHING:1\r\nEND:VCARD\r\n";
    const odd =
      'BEGIN:VCARD\r\r\nVERSION:2.1\r\r\nFN:nul \u0000 and "quote\r\r\nTEL;TYPE="a;b:+1\r\r\nBDAY:--0412\r\r\nREV:0000-99-99\r\r\nAGENT:\r\r\nBEGIN:VCARD\r\r\nFN:inner\r\r\nEND:VCARD\r\r\nEND:VCARD\r\n';
    return {
      files: {
        "broken.vcf": [good[0], nobody, odd, good[1], "garbage between\r\n", good[2], "BEGIN:VCARD\r\nFN:cut off"].join(
          "",
        ),
      },
      good: 4,
    };
  },
  endless: (dice, bytes) => ({
    path: "contacts.vcf",
    *pieces() {
      for (let n = 0, size = 0; size < bytes; n += 1) {
        const text = formatCard(drawPerson(dice, n));
        size += text.length;
        yield text;
      }
    },
  }),
};
