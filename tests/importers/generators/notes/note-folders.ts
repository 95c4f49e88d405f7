import { noteFolders } from "#importers/formats/note-folders/note-folders";
import { type Dice, drawSentence, type Generator } from "../generator.ts";

interface Note {
  readonly n: number;
  readonly text: string;
}

const note = (dice: Dice, n: number): Note => ({ n, text: drawSentence(dice) });

/** Notes of a vault: with properties, of a day, and plain ones. */
function buildFile({ n, text }: Note): [path: string, content: string] {
  const properties = `---\ntags: [home, ${n % 3}]\ncreated: 2023-0${1 + (n % 9)}-11\nupdated: "2024-01-0${1 + (n % 9)}T10:00:00+01:00"\nauthor:\n  - "[[Ada]]"\nrating: ${n}\n---\n`;
  const body = `${text} [[Other note|other]] #seen/twice\n\n![[sketch ${n}.png]]\n[site](https://example.org/${n})\n`;
  if (n % 3 === 0) return [`Vault/Ideas/Idea ${n}.md`, `${properties}${body}`];
  const day = String(1 + (n % 28)).padStart(2, "0");
  return n % 3 === 1
    ? [`Vault/Daily/20${10 + Math.floor(n / 28)}-05-${day}.md`, body]
    : [`Vault/Plain ${n}.md`, body.replaceAll("\n", "\r\n")];
}

/** A Bear backup next to the vault. */
function buildBundle({ n, text }: Note): [path: string, content: string][] {
  const info = {
    version: 2,
    "net.shinyfrog.bear": {
      uniqueIdentifier: `BEAR-${n}`,
      creationDate: "2023-10-11T08:08:05Z",
      modificationDate: `20${24 + (text === "changed" ? 1 : 0)}-10-11T08:09:27Z`,
      trashed: n % 2,
      archived: 0,
      pinned: 0,
    },
  };
  const folder = `Backup.bear2bk/Note ${n}.textbundle/`;
  return [
    [`${folder}text.md`, `# Title ${n}\n\n${text}\n![](assets/photo.jpeg)`],
    [`${folder}info.json`, JSON.stringify(info)],
    [`${folder}assets/photo.jpeg`, `photo ${n}`],
  ];
}

/** And a journal of Day One. */
const journal = (notes: readonly Note[]): [path: string, content: string] => [
  "Day One/Journal.json",
  JSON.stringify({
    metadata: { version: "1.0" },
    entries: notes.map(({ n, text }) => ({
      uuid: `DAY-${n}`,
      creationDate: "2024-03-01T10:00:00Z",
      modifiedDate: `20${24 + (text === "changed" ? 1 : 0)}-03-02T10:00:00Z`,
      timeZone: "Europe/Berlin",
      text: `# Day ${n}\\n${text}\\\\.\\n![](dayone-moment:\\/\\/AB${n})`,
      photos: [{ identifier: `AB${n}`, md5: `d41d8cd98f${n}`, type: "jpeg" }],
      tags: ["walk"],
      starred: n % 2 === 0,
      location: { placeName: "Café", country: "France", latitude: 48.8, longitude: 2.3 },
    })),
  }),
];

const settings: readonly [string, string][] = [
  ["Vault/.obsidian/app.json", "{}"],
  ["Vault/.obsidian/templates.json", '{"folder": "Templates"}'],
];

const buildFiles = (notes: readonly Note[], bundles: readonly Note[]): Record<string, string> =>
  Object.fromEntries([
    ...settings,
    ...notes.map(buildFile),
    ...notes.filter(({ n }) => n % 2 === 0).map(({ n }) => [`Vault/files/sketch ${n}.png`, `picture ${n}`] as const),
    ...bundles.flatMap(buildBundle),
    journal(bundles),
    ...bundles.map(({ n }) => [`Day One/photos/d41d8cd98f${n}.jpeg`, `photo ${n}`] as const),
  ]);

export const noteFoldersGenerator: Generator = {
  importer: noteFolders,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => note(dice, n));
    const bundles = all.slice(0, 3);
    const changed = all.slice(0, 2).map(({ n }) => ({ n, text: "changed" }));
    const added = [note(dice, size * 2), note(dice, size * 2 + 1)];
    return {
      older: buildFiles(all, bundles),
      newer: buildFiles([...changed, ...all.slice(2, -2), ...added], [...changed.slice(0, 1), ...bundles.slice(1, -1)]),
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => note(dice, n));
    const large = `# too large\n${"x".repeat(4 * 1024 * 1024)}`;
    return {
      files: {
        ...buildFiles(good, good.slice(0, 1)),
        "Day Two/Journal.json":
          '{"metadata": {}, "entries": [{"creationDate": "2024-01-01T00:00:00Z", "text": 7}, {"no": 1}, {broken}, {"creationDate": "cut',
        "Vault/bomb.md":
          "---\na: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c]\n---\ntext",
        "Vault/open.md": "---\ntitle: [never closed\n---\ntext \ud800",
        "Vault/large.md": large,
        "Vault/Templates/Daily.md": "{{date}}",
        "Vault/odd.md":
          "---\ncreated: 2023-02-31\ntitle: 7\ntags: {a: 1}\n? [complex]\n: key\n---\n![[../../etc/passwd]] ![](%E0%A4%A)",
      },
      good: 4,
    };
  },
  crowd(dice, n) {
    const [path, content] = buildFile({ n: n * 3, text: drawSentence(dice, 400) });
    return { path, content };
  },
};
