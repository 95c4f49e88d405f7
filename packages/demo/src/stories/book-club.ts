import { addDays } from "../local-time.ts";
import type { Script } from "../script.ts";

/** Invented books by invented authors. */
const books: readonly (readonly [
  date: string,
  title: string,
  author: string,
  host: string,
  pages: number,
  verdict: string,
])[] = [
  [
    "2025-11-26",
    "The Saltmarsh Ledger",
    "Imogen Thackwray",
    "Nell",
    312,
    "Slow for eighty pages and then I read until two. The ledger entries are the best part; Bertil skipped them, of course.",
  ],
  [
    "2025-12-17",
    "Winterlicht, zweiter Teil",
    "Arvid Moorstein",
    "Leonie",
    268,
    "Nobody had read the first part. It didn't matter, or it mattered so much that we didn't notice.",
  ],
  [
    "2026-01-28",
    "A Field Guide to Leaving",
    "Ottoline Greaves-Adeyemi",
    "Ada",
    224,
    "Hit me in the middle of the Tidewater talks. The chapter about the desk drawers!",
  ],
  [
    "2026-02-25",
    "Der Kartograf von Nirgendwo",
    "Ulf Tannhagen",
    "Bertil",
    401,
    "A man draws a country that doesn't exist and then gets letters from it. Too long by a hundred letters.",
  ],
  [
    "2026-03-25",
    "Les heures bleues de Madame Cros",
    "Solange Perrinet-Vaux",
    "Priya",
    189,
    "Read it in French, slowly. The others had the translation and laughed in other places.",
  ],
  [
    "2026-04-29",
    "Copper Weather",
    "Dashiell Mbeki-Thorne",
    "Nell",
    356,
    "Weather as a character. Four of five loved it, Leonie wants her evening back.",
  ],
  [
    "2026-05-27",
    "Nine Ways to Cross a River",
    "Rosalind Achebe-Holt",
    "Leonie",
    240,
    "Short stories. The fifth crossing (the one with the piano on the raft) is perfect.",
  ],
  [
    "2026-06-24",
    "Das Haus der kleinen Uhren",
    "Mirjam Seelenbinder",
    "Ada",
    298,
    "We sat in the courtyard until eleven. Dornbusch came down to complain and stayed for wine.",
  ],
  [
    "2026-07-15",
    "The Lighthouse Accountant",
    "Fergus Pellamore",
    "Bertil",
    333,
    "Funny! Took it to Morvanec to finish the last chapter beside a real lighthouse.",
  ],
  [
    "2026-08-26",
    "Sommer, rückwärts",
    "Thea Vandenholt",
    "Priya",
    211,
    "Told from the end. Best read twice, says Priya, who has read it twice.",
  ],
  [
    "2026-09-30",
    "An Atlas of Small Apologies",
    "Nkechi Farrow",
    "Nell",
    275,
    "I called Felix afterwards. That's the review.",
  ],
  [
    "2026-10-28",
    "Nebelhorn",
    "Jasper Quillon",
    "Leonie",
    390,
    "A crime novel, finally. Everyone guessed the cook. It was the cook.",
  ],
];

export function bookClub(s: Script): void {
  for (const [index, [date, title, author, host, pages, verdict]] of books.entries()) {
    const guests = [
      "nell",
      "leonie",
      index % 3 === 0 ? "bertil:tentative" : "bertil",
      index % 4 === 1 ? "priya:declined" : "priya",
    ];
    s.event({
      id: "ev_seitenweise",
      title: `Seitenweise: ${title}`,
      calendar: "ada",
      start: `${date} 19:30`,
      length: 150,
      location: host === "Ada" ? "home" : `at ${host}'s`,
      guests,
      description: `${title}, ${author}, ${pages} pages. Host: ${host}.`,
      made: `${addDays(date, -27)} 21:05`,
      recurrence: { frequency: "monthly", interval: 1, by_day: ["-1WE"], until: "2026-10-28", skipped: [] },
    });
    s.note({
      at: `${date} 23:05`,
      title: `Seitenweise: ${title}`,
      notebook: "Reading",
      tags: ["book club", host.toLowerCase()],
      body: `${author}, ${pages} pages. At ${host}'s.\n\n${verdict}\n\nMy mark: ${"★".repeat(3 + ((index * 7) % 3))}${"☆".repeat(2 - ((index * 7) % 3))}`,
    });
    if (index % 2 === 0) {
      s.order({
        id: `LW-${70311 + index * 137}`,
        shop: "Lesewolke",
        at: `${addDays(date, -20)} 21:40`,
        items: [
          [
            `${title} (${author})`,
            "books",
            1,
            1290 + ((index * 310) % 900),
            { pages, binding: index % 4 === 0 ? "paperback" : "hardcover" },
          ],
        ],
        shipping: 0,
      });
    }
  }
  s.chat(
    "books",
    "2025-11-26 23:20",
    `
nell> Next: Leonie's turn to choose. Nothing with a dead horse this time please
leonie> Winterlicht, zweiter Teil. Kein Pferd. Ein Elch, aber der lebt ::😂 ada
bertil> I vote for anything under 270 pages.`,
  );
  s.chat(
    "books",
    "2026-06-24 23:31",
    `
ada> for the record: Herr Dornbusch wants to join. he says the clocks in the book are technically wrong
bertil> Finally a serious reader ::👏 nell
priya> he brought his own glass!! he had a plan`,
  );
  s.chat(
    "books",
    "2026-10-28 23:02",
    `
leonie> It was the cook 👩‍🍳
bertil> It's always the cook.
ada> I thought it was the foghorn ::😂 nell
nell> november is at mine, I vote for "The Last Librarian of Ost"`,
  );
}
