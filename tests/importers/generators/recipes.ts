import type { Importer } from "#importers/core/importer";
import { formats } from "#importers/formats/formats";
import { createEndlessFile, type Dice, drawSentence, formatIsoDay, type Generator, people } from "./generator.ts";

type Cells = readonly string[];

function findFormat(key: string): Importer {
  const found = formats.find((each) => each.key === key);
  if (found === undefined) throw new Error(`there is no format ${key}`);
  return found;
}

interface Table {
  readonly importer: Importer;
  readonly path: string;
  readonly columns: Cells;
  /** Lines before the table. */
  readonly preamble?: string;
  row(dice: Dice, n: number): Cells;
  /** The same thing, as a later export has it. */
  changed(row: Cells): Cells;
  /** Invalid rows. */
  readonly bad: readonly Cells[];
}

const formatLine = (cells: Cells): string =>
  cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");

/** Exports of a table: with other line ends, quotes and marks in the later one. */
function createGenerator({ importer, path, columns, preamble = "", row, changed, bad }: Table): Generator {
  const opening = `${preamble}${formatLine(columns)}`;
  return {
    importer,
    pair(dice, size) {
      const all = Array.from({ length: size * 2 }, (_, n) => row(dice, n));
      const added = [row(dice, size * 2), row(dice, size * 2 + 1)];
      return {
        older: { [path]: `\ufeff${[opening, ...all.map(formatLine)].join("\r\n")}\r\n` },
        newer: {
          [path]: [opening, ...[...all.slice(0, 2).map(changed), ...all.slice(2, -2), ...added].map(formatLine)].join(
            "\n",
          ),
        },
      };
    },
    hostile(dice) {
      const good = [1, 2, 3].map((n) => formatLine(row(dice, n)));
      const odd = formatLine(row(dice, 4).map((cell, i) => (i === 0 ? cell : `${cell}\u0000`)));
      return {
        files: {
          [path]: [opening, good[0], ...bad.map(formatLine), good[1], odd, good[2], '"never closed'].join("\n"),
        },
        good: 3,
      };
    },
    endless: (dice, bytes) =>
      createEndlessFile(path, bytes, (n) => formatLine(row(dice, n)), [`${opening}\n`, "\n", "\n"]),
  };
}

const formatDay = (n: number): string => formatIsoDay(n % 1400);
const formatAmericanDay = (n: number): string =>
  `${formatDay(n).slice(5, 7)}/${formatDay(n).slice(8)}/${formatDay(n).slice(0, 4)}`;

export const netflixGenerator = createGenerator({
  importer: findFormat("netflix"),
  path: "ViewingActivity.csv",
  columns: [
    "Profile Name",
    "Start Time",
    "Duration",
    "Attributes",
    "Title",
    "Supplemental Video Type",
    "Device Type",
    "Bookmark",
    "Latest Bookmark",
    "Country",
  ],
  row: (dice, n) => [
    "Ada",
    `${formatDay(n)} 20:0${n % 10}:00`,
    "00:41:10",
    "",
    `${drawSentence(dice, 3)}: Season 1`,
    "",
    "TV, large",
    "00:41:10",
    "Not latest view",
    "DE",
  ],
  changed: (row) => row.with(2, "00:50:00"),
  bad: [["Ada", "yesterday", "", "", "A film"], ["Ada", "2024-02-31 20:00:00", "", "", "A film"], []],
});

export const goodreadsGenerator = createGenerator({
  importer: findFormat("goodreads"),
  path: "goodreads_library_export.csv",
  columns: [
    "Book Id",
    "Title",
    "Author",
    "Author l-f",
    "ISBN",
    "ISBN13",
    "My Rating",
    "Number of Pages",
    "Date Read",
    "Date Added",
    "Bookshelves",
    "Exclusive Shelf",
    "My Review",
    "Private Notes",
  ],
  row: (dice, n) => [
    `${n + 1}`,
    drawSentence(dice, 3),
    dice.pick(people),
    "",
    '="0"',
    `="978${n}"`,
    `${n % 6}`,
    "300",
    n % 2 === 0 ? formatDay(n).replaceAll("-", "/") : "",
    formatDay(n).replaceAll("-", "/"),
    "sea, ships",
    "read",
    drawSentence(dice),
    "",
  ],
  changed: (row) => row.with(6, "5").with(12, "better the second time"),
  bad: [
    ["", "no id"],
    ["7", "no day", "Ada"],
    ["8", ""],
  ],
});

export const letterboxdGenerator = createGenerator({
  importer: findFormat("letterboxd"),
  path: "diary.csv",
  columns: ["Date", "Name", "Year", "Letterboxd URI", "Rating", "Rewatch", "Tags", "Watched Date"],
  row: (dice, n) => [
    formatDay(n),
    drawSentence(dice, 2),
    "1999",
    `https://boxd.it/${n}`,
    "4.5",
    n % 2 === 0 ? "Yes" : "",
    "cinema, friends",
    formatDay(n),
  ],
  changed: (row) => row.with(4, "3"),
  bad: [
    ["2024-01-01", "no address"],
    ["never", "no day", "1999", "https://boxd.it/x"],
  ],
});

export const readwiseGenerator = createGenerator({
  importer: findFormat("readwise"),
  path: "readwise-data.csv",
  columns: [
    "Highlight",
    "Book Title",
    "Book Author",
    "Amazon Book ID",
    "Note",
    "Color",
    "Tags",
    "Location Type",
    "Location",
    "Highlighted at",
    "Document tags",
  ],
  row: (dice, n) => [
    drawSentence(dice),
    `Book ${n % 4}`,
    dice.pick(people),
    "",
    n % 3 === 0 ? "a note\nof two lines" : "",
    "yellow",
    "sea",
    "location",
    `${n}`,
    `${formatDay(n)} 10:00:00+00:00`,
    "",
  ],
  changed: (row) => row.with(6, "sea,changed"),
  bad: [["", "Book"], []],
});

export const paypalGenerator = createGenerator({
  importer: findFormat("paypal"),
  path: "Download.CSV",
  columns: [
    "Date",
    "Time",
    "TimeZone",
    "Name",
    "Type",
    "Status",
    "Currency",
    "Gross",
    "Fee",
    "Net",
    "From Email Address",
    "To Email Address",
    "Transaction ID",
    "Item Title",
    "Balance",
  ],
  row: (dice, n) => [
    formatAmericanDay(n),
    "10:00:00",
    "PST",
    dice.pick(people),
    "Express Checkout Payment",
    "Completed",
    "USD",
    `-1,${100 + (n % 900)}.00`,
    "0.00",
    `-1,${100 + (n % 900)}.00`,
    "ada@example.org",
    "shop@example.org",
    `TX${n}`,
    drawSentence(dice, 2),
    "0.00",
  ],
  changed: (row) => row.with(5, "Pending"),
  bad: [
    ["01/01/2024", "10:00:00", "PST", "nobody"],
    ["13/13/2024", "10:00:00", "PST", "x", "t", "Completed", "USD", "1", "0", "1", "", "", "TXbad"],
  ],
});

export const bankCsvGenerator = createGenerator({
  importer: findFormat("bank-csv"),
  path: "account-statement.csv",
  columns: [
    "Type",
    "Product",
    "Started Date",
    "Completed Date",
    "Description",
    "Amount",
    "Fee",
    "Currency",
    "State",
    "Balance",
  ],
  row: (dice, n) => [
    "CARD_PAYMENT",
    "Current",
    `${formatDay(n)} 10:00:00`,
    `${formatDay(n)} 12:00:00`,
    drawSentence(dice, 2),
    `-${1 + (n % 90)}.50`,
    "0.00",
    "EUR",
    "COMPLETED",
    "100.00",
  ],
  changed: (row) => row.with(8, "REVERTED"),
  bad: [
    ["CARD_PAYMENT", "Current", "never"],
    ["CARD_PAYMENT", "Current", "2024-01-01 10:00:00", "", "x", "a lot", "", "EUR", "COMPLETED"],
  ],
});

export const linkedinGenerator = createGenerator({
  importer: findFormat("linkedin"),
  path: "Connections.csv",
  preamble:
    'Notes:\n"When exporting your connection data, you may notice that some of the email addresses are missing."\n\n',
  columns: ["First Name", "Last Name", "URL", "Email Address", "Company", "Position", "Connected On"],
  row: (dice, n) => [
    dice.pick(people),
    `${n}`,
    n % 3 === 0 ? "" : `https://www.linkedin.com/in/${n}`,
    "",
    drawSentence(dice, 2),
    "Engineer",
    `${1 + (n % 28)} Jan 2024`,
  ],
  changed: (row) => row.with(5, "Head of engineering"),
  bad: [["", "", "", "a@b.example", "Company"]],
});

export const redditGenerator = createGenerator({
  importer: findFormat("reddit"),
  path: "comments.csv",
  columns: ["id", "permalink", "date", "ip", "subreddit", "gildings", "link", "parent", "body", "media"],
  row: (dice, n) => [
    `c${n}`,
    `https://www.reddit.com/r/food/comments/p${n}/x/c${n}/`,
    `${formatDay(n)} 10:00:00 UTC`,
    "192.0.2.1",
    "food",
    "0",
    `https://www.reddit.com/r/food/comments/p${n}/x/`,
    n % 2 === 0 ? "" : `c${n - 1}`,
    drawSentence(dice),
    "",
  ],
  changed: (row) => row.with(8, "edited"),
  bad: [
    ["", "no id"],
    ["c7", "", "never"],
  ],
});
