import { notion } from "#importers/formats/notion/notion";
import { type Dice, drawSentence, type Generator } from "../generator.ts";

interface Page {
  readonly n: number;
  readonly title: string;
  readonly text: string;
}

const drawPage = (dice: Dice, n: number): Page => ({
  n,
  title: `${drawSentence(dice, 2)} ${n}`,
  text: drawSentence(dice),
});

const formatId = (n: number): string => (n + 4096).toString(16).padStart(32, "1590080aa5a38024");
const cleanTitle = (title: string): string => title.replace(/[^\p{L}\p{N} ]/gu, "");

/** Every other page is HTML; those of Markdown belong to a database and have properties. */
function buildFile({ n, title, text }: Page): [path: string, content: string] {
  const name = `${cleanTitle(title)} ${formatId(n)}`;
  if (n % 2 === 0)
    return [
      `Export/${name}.html`,
      `<html><head><meta charset="utf-8"/><title>${title}</title><style>p { color: red }</style></head><body><article><header><h1>${title}</h1></header><div class="page-body"><p>${text}</p><figure><img src="${encodeURIComponent(name)}/sketch%20${n}.png"/></figure><a href="https://example.org/${n}">more</a></div></article></body></html>`,
    ];
  return [
    `Export/Recipes ${formatId(0)}/${name}.md`,
    `# ${title}\n\nCreated: February ${1 + (n % 28)}, 2025 3:04 PM\nLast edited time: March 1, 2025 9:30 AM\nTags: soup, ${n % 3}\n\n${text}\n\n![sketch](sketch%20${n}.png)\n`,
  ];
}

function buildFiles(pages: readonly Page[]): Record<string, string> {
  const found: Record<string, string> = { "Export/index.html": "<html><body>all pages</body></html>" };
  for (const each of pages) {
    const [path, content] = buildFile(each);
    found[path] = content;
    const folder = each.n % 2 === 0 ? path.replace(/\.html$/, "/") : path.slice(0, path.lastIndexOf("/") + 1);
    if (each.n % 4 < 2) found[`${folder}sketch ${each.n}.png`] = `picture ${each.n}`;
  }
  found[`Export/Recipes ${formatId(0)}.csv`] = "Name,Tags\n";
  return found;
}

export const notionGenerator: Generator = {
  importer: notion,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawPage(dice, n + 1));
    const changed = all.slice(0, 2).map((each) => ({ ...each, text: "changed" }));
    const added = [drawPage(dice, size * 2 + 1), drawPage(dice, size * 2 + 2)];
    return { older: buildFiles(all), newer: buildFiles([...changed, ...all.slice(2, -2), ...added]) };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => drawPage(dice, n));
    return {
      files: {
        ...buildFiles(good),
        [`Export/empty ${formatId(90)}.md`]: " \n",
        [`Export/odd ${formatId(91)}.md`]: "# \u0000 title\nCreated: never\n[a](%E0%A4%A)\n![[x",
        [`Export/odd ${formatId(92)}.html`]:
          '<html><title>&lt;b&gt;</title><tr class="property-row">\ud800<div class="page-body"><p>open',
      },
      good: 5,
    };
  },
  crowd(dice, n) {
    const [path, content] = buildFile({ ...drawPage(dice, n + 1), text: drawSentence(dice, 400) });
    return { path, content };
  },
};
