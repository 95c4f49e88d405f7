import { googleActivity } from "#importers/formats/google-activity/google-activity";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

const products = ["Search", "YouTube", "Maps", "Chrome"];

function drawEvent(dice: Dice, n: number): Record<string, unknown> {
  const header = products[n % 4] ?? "Search";
  const time = new Date(Date.UTC(2024, 0, 1) + n * 977_001).toISOString();
  return {
    header,
    title: `${n % 4 === 1 ? "Watched" : "Searched for"} ${drawSentence(dice)}`,
    titleUrl: `https://www.example.org/?q=${n}`,
    ...(n % 4 === 1 ? { subtitles: [{ name: drawSentence(dice, 2), url: "https://www.example.org/channel" }] } : {}),
    time,
    products: [header],
  };
}

const formatCell = (title: string, when: string): string =>
  `<div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell mdl-cell"><p>Search<br></p></div>` +
  `<div class="content-cell mdl-cell mdl-typography--body-1">Visited&nbsp;<a href="https://example.org/?a&amp;b">${title}</a><br>${when}</div>` +
  `<div class="content-cell mdl-typography--caption"><b>Products:</b><br>&emsp;Search<br></div></div></div>`;

export const googleActivityGenerator: Generator = {
  importer: googleActivity,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawEvent(dice, n));
    const details = all.map((each, n) => (n === 5 ? { ...each, details: [{ name: "From Google Ads" }] } : each));
    return {
      older: { "Takeout/Meine Aktivitäten/Suche/MeineAktivitäten.json": JSON.stringify(all, null, 2) },
      newer: {
        "Takeout/My Activity/MyActivity.json": JSON.stringify([drawEvent(dice, size * 2), ...details.slice(3)]),
      },
    };
  },
  hostile(dice) {
    const items = [
      JSON.stringify(drawEvent(dice, 0)),
      "true",
      '{"header": "Search", "title": "when?", "time": "yesterday"}',
      '{"header": "Search", "time": }',
      JSON.stringify({ ...drawEvent(dice, 1), title: "nul \u0000 \ud800", products: "one", subtitles: [7, {}] }),
      '{"header": "cut',
    ];
    const page = [
      formatCell("one", "Jan 31, 2018, 10:54:50\u202fPM"),
      formatCell("zwei", "31.01.2018, 22:54:50 MEZ"),
      formatCell("never", "Feb 31, 2018, 10:54:50 PM UTC"),
      formatCell("three <b>bold", "Feb 8, 2017, 12:32:39 AM PST"),
      '<div class="outer-cell"><div class="content-cell">cut off',
    ];
    return {
      files: {
        "a.json": `[${items.join(",")}`,
        "a.html": `<html><body>${page.join("\n")}`,
        "b.html": `${page[0]}${"<i>".repeat(5000)}`,
      },
      good: 4,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("MyActivity.json", bytes, (n) => JSON.stringify(drawEvent(dice, n)), ["[", ",", "]"]),
};
