import { createHash } from "node:crypto";
import { evernote } from "#importers/formats/evernote/evernote";
import { type Dice, drawSentence, type Generator, people } from "../generator.ts";

interface Note {
  readonly n: number;
  readonly title: string;
  readonly text: string;
  readonly author: string;
  readonly updated: number;
}

const note = (dice: Dice, n: number): Note => ({
  n,
  title: `${drawSentence(dice, 3)} ${n}`,
  text: drawSentence(dice),
  author: dice.pick(people),
  updated: 2021,
});

const picture = Buffer.from("a picture");
const digest = createHash("md5").update(picture).digest("hex");
const padTwo = (n: number): string => String(n % 60).padStart(2, "0");

function formatNote({ n, title, text, author, updated }: Note): string {
  const media = n % 3 === 0 ? `<en-media hash="${digest}" type="image/png"/>` : "";
  const resource =
    n % 3 === 0
      ? `<resource><data encoding="base64">${picture.toString("base64")}</data><mime>image/png</mime><resource-attributes><file-name>drawing ${n}.png</file-name></resource-attributes></resource>`
      : "";
  const content = `<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note><div>${text}&nbsp;&scaron;</div><div><en-todo checked="${n % 2 === 0}"/>to do</div>${media}</en-note>`;
  return `<note><title>${title}</title><content><![CDATA[${content}]]></content><created>202001${padTwo(1 + (n % 28))}T10${padTwo(n / 60)}${padTwo(n)}Z</created><updated>${updated}0301T120000Z</updated><tag>tag ${n % 4}</tag><note-attributes><author>${author}</author><source-url>https://example.org/?a=1&amp;b=${n}</source-url></note-attributes>${resource}</note>\n`;
}

const opening =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export3.dtd">\n<en-export export-date="20240101T000000Z" application="Evernote" version="10">\n';

export const evernoteGenerator: Generator = {
  importer: evernote,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => note(dice, n));
    const changed = all.slice(0, 2).map((each) => ({ ...each, text: "changed", updated: 2023 }));
    const added = [note(dice, size * 2), note(dice, size * 2 + 1)];
    const buildFile = (notes: readonly Note[]): string => `${opening}${notes.map(formatNote).join("")}</en-export>`;
    return {
      older: { "Household.enex": buildFile(all) },
      newer: { "Household.enex": buildFile([...changed, ...all.slice(2, -2), ...added]) },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => formatNote(note(dice, n)));
    const unclosed = "<note><title>never closed</title><content>\n";
    const wrong = "<note><title>a & b</title></note>\n";
    const odd =
      '<note><title>control \u0001</title></note><note><content><![CDATA[<en-note>&bogus; \ud800<div></en-note>]]></content><created>00000000T999999Z</created><resource><data encoding="hex">00</data></resource></note>\n';
    return {
      files: {
        "broken.enex": `${opening}${good[0]}${unclosed}${good[1]}${wrong}${odd}${good[2]}<note><title>cut off`,
      },
      good: 4,
    };
  },
  endless: (dice, bytes) => ({
    path: "Household.enex",
    *pieces() {
      yield opening;
      for (let n = 0, size = 0; size < bytes; n += 1) {
        const text = formatNote(note(dice, n));
        size += text.length;
        yield text;
      }
    },
  }),
};
