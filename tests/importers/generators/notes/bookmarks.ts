import { bookmarks } from "#importers/formats/bookmarks/bookmarks";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

interface Bookmark {
  readonly n: number;
  readonly title: string;
}

const drawBookmark = (dice: Dice, n: number): Bookmark => ({ n, title: drawSentence(dice, 3) });
const opening =
  '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n';

const formatBookmark = ({ n, title }: Bookmark): string =>
  `<DT><A HREF="https://example.org/?a=1&amp;n=${n}" ADD_DATE="${1_700_000_000 + n}" TAGS="home,${n % 3}">${title}</A>\n${n % 4 === 0 ? "<DD>A description\n" : ""}`;

/** Every fourth is in a nested folder. */
const buildFile = (all: readonly Bookmark[]): string =>
  `${opening}${all.map((each) => (each.n % 4 === 3 ? `<DT><H3 ADD_DATE="1700000000">Cooking</H3>\n<DL><p>\n<DT><H3>Soups &amp; more</H3>\n<DL><p>${formatBookmark(each)}</DL><p>\n</DL><p>\n` : formatBookmark(each))).join("")}</DL><p>\n`;

export const bookmarksGenerator: Generator = {
  importer: bookmarks,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawBookmark(dice, n));
    const renamed = all.slice(0, 2).map(({ n }) => ({ n, title: "renamed" }));
    const added = [drawBookmark(dice, size * 2), drawBookmark(dice, size * 2 + 1)];
    return {
      older: { "bookmarks.html": buildFile(all) },
      newer: { "bookmarks_2.html": buildFile([...renamed, ...all.slice(2, -2), ...added]) },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => formatBookmark(drawBookmark(dice, n)));
    return {
      files: {
        "bookmarks.html": `${opening}${good[0]}<DT><A HREF="">nowhere</A><DT><A>none</A>${good[1]}<DT><A HREF="javascript:alert(1)" ADD_DATE="99999999999999999999">odd \ud800</A></DL></DL></DL>${good[2]}<DT><A HREF="https://cut`,
      },
      good: 3,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("bookmarks.html", bytes, (n) => formatBookmark(drawBookmark(dice, n)), [opening, "", "</DL><p>"]),
};
