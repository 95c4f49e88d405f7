import { googleKeep } from "#importers/formats/google-keep/google-keep";
import { type Dice, drawSentence, type Generator } from "../generator.ts";

const drawNote = (n: number): number => 1_690_000_000_000_000 + n * 61_000_000;

const note = (dice: Dice, n: number): Record<string, unknown> => ({
  ...(n % 5 === 2 ? { attachments: [{ filePath: "picture.jpeg", mimetype: "image/jpeg" }] } : {}),
  color: n % 4 === 0 ? "RED" : "DEFAULT",
  isTrashed: n % 6 === 5,
  isPinned: false,
  isArchived: n % 6 === 4,
  ...(n % 3 === 1
    ? { listContent: [1, 2].map((m) => ({ text: drawSentence(dice, 2), isChecked: m === 1 })) }
    : { textContent: drawSentence(dice) }),
  title: n % 7 === 3 ? "" : drawSentence(dice, 3),
  userEditedTimestampUsec: drawNote(n) + 5,
  createdTimestampUsec: drawNote(n),
  ...(n % 3 === 0 ? { labels: [{ name: "house" }, { name: "garden" }] } : {}),
});

const buildFile = (n: number): string => `Takeout/Keep/note ${n}.json`;

export const googleKeepGenerator: Generator = {
  importer: googleKeep,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => note(dice, n));
    const beside = { "Takeout/Keep/picture.jpg": Buffer.from("jpeg"), "Takeout/Keep/Labels.txt": "house\n" };
    const edited = { ...all[4], textContent: "as it is now", userEditedTimestampUsec: drawNote(900) };
    const kept = all.slice(2).map((each, n): [string, string] => [buildFile(n + 2), JSON.stringify(each)]);
    return {
      older: { ...beside, ...Object.fromEntries(all.map((each, n) => [buildFile(n), JSON.stringify(each)])) },
      newer: {
        ...beside,
        ...Object.fromEntries(kept),
        [buildFile(4)]: JSON.stringify(edited),
        [buildFile(900)]: JSON.stringify(note(dice, size * 2)),
      },
    };
  },
  hostile: (dice) => ({
    files: {
      "Keep/a.json": JSON.stringify(note(dice, 1)),
      "Keep/b.json": `{"isTrashed": false, "createdTimestampUsec": 1690426307496000, "title": "cut`,
      "Keep/c.json": `\ufeff{"textContent": "nul \\u0000 half \\ud800", "isPinned": "maybe", "labels": 3, "userEditedTimestampUsec": 1e300}`,
      "Keep/d.json": `{"createdTimestampUsec": 1690426307496000, "isTrashed": false, }`,
    },
    good: 2,
  }),
  crowd: (dice, n) => ({
    path: buildFile(n),
    content: JSON.stringify({ ...note(dice, n), textContent: drawSentence(dice, 400) }),
  }),
};
