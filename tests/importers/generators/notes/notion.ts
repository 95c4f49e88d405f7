import { notion } from "#importers/formats/notion/notion";
import { type Dice, type Generator, sentence } from "../generator.ts";

interface Page {
  readonly n: number;
  readonly title: string;
  readonly text: string;
}

const page = (dice: Dice, n: number): Page => ({ n, title: `${sentence(dice, 2)} ${n}`, text: sentence(dice) });

const idOf = (n: number): string => (n + 4096).toString(16).padStart(32, "1590080aa5a38024");
const shown = (title: string): string => title.replace(/[^\p{L}\p{N} ]/gu, "");

/** Every other page is HTML; those of Markdown belong to a database and have properties. */
function fileOf({ n, title, text }: Page): [path: string, content: string] {
  const name = `${shown(title)} ${idOf(n)}`;
  if (n % 2 === 0)
    return [
      `Export/${name}.html`,
      `<html><head><meta charset="utf-8"/><title>${title}</title><style>p { color: red }</style></head><body><article><header><h1>${title}</h1></header><div class="page-body"><p>${text}</p><figure><img src="${encodeURIComponent(name)}/sketch%20${n}.png"/></figure><a href="https://example.org/${n}">more</a></div></article></body></html>`,
    ];
  return [
    `Export/Recipes ${idOf(0)}/${name}.md`,
    `# ${title}\n\nCreated: February ${1 + (n % 28)}, 2025 3:04 PM\nLast edited time: March 1, 2025 9:30 AM\nTags: soup, ${n % 3}\n\n${text}\n\n![sketch](sketch%20${n}.png)\n`,
  ];
}

function files(pages: readonly Page[]): Record<string, string> {
  const found: Record<string, string> = { "Export/index.html": "<html><body>all pages</body></html>" };
  for (const each of pages) {
    const [path, content] = fileOf(each);
    found[path] = content;
    const folder = each.n % 2 === 0 ? path.replace(/\.html$/, "/") : path.slice(0, path.lastIndexOf("/") + 1);
    if (each.n % 4 < 2) found[`${folder}sketch ${each.n}.png`] = `picture ${each.n}`;
  }
  found[`Export/Recipes ${idOf(0)}.csv`] = "Name,Tags\n";
  return found;
}

export const notionGenerator: Generator = {
  importer: notion,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => page(dice, n + 1));
    const changed = all.slice(0, 2).map((each) => ({ ...each, text: "changed" }));
    const added = [page(dice, size * 2 + 1), page(dice, size * 2 + 2)];
    return { older: files(all), newer: files([...changed, ...all.slice(2, -2), ...added]) };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => page(dice, n));
    return {
      files: {
        ...files(good),
        [`Export/empty ${idOf(90)}.md`]: " \n",
        [`Export/odd ${idOf(91)}.md`]: "# \u0000 title\nCreated: never\n[a](%E0%A4%A)\n![[x",
        [`Export/odd ${idOf(92)}.html`]:
          '<html><title>&lt;b&gt;</title><tr class="property-row">\ud800<div class="page-body"><p>open',
      },
      good: 5,
    };
  },
  crowd(dice, n) {
    const [path, content] = fileOf({ ...page(dice, n + 1), text: sentence(dice, 400) });
    return { path, content };
  },
};
