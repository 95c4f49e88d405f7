import { browserHistory } from "#importers/formats/browser-history/browser-history";
import { type Dice, drawSentence, type Generator } from "../generator.ts";
import { encodeDatabase } from "../sqlite-bytes.ts";

interface Visit {
  readonly n: number;
  readonly title: string;
}

const visit = (dice: Dice, n: number): Visit => ({ n, title: drawSentence(dice, 4) });
const since1601 = 11_644_473_600_000_000n;
const toChromeTime = (n: number): bigint => BigInt(Date.UTC(2025, 0, 1) + n * 60_000) * 1000n + since1601;

const buildChrome = (visits: readonly Visit[], more = ""): Uint8Array =>
  encodeDatabase((database) => {
    database.exec(
      "CREATE TABLE urls(id INTEGER PRIMARY KEY,url LONGVARCHAR,title LONGVARCHAR,visit_count INTEGER);" +
        "CREATE TABLE visits(id INTEGER PRIMARY KEY,url INTEGER NOT NULL,visit_time INTEGER NOT NULL,transition INTEGER NOT NULL,visit_duration INTEGER NOT NULL);",
    );
    const url = database.prepare("INSERT INTO urls VALUES (?, ?, ?, 1)");
    const row = database.prepare("INSERT INTO visits VALUES (?, ?, ?, ?, ?)");
    for (const [i, { n, title }] of visits.entries()) {
      url.run(i + 1, `https://ada:secret@example.org/${n}?access_token=abc${n}&q=${n}`, title);
      row.run(i + 1, i + 1, toChromeTime(n), n % 3 === 0 ? 0x80000001 : 0, BigInt(n) * 1_000_000n);
    }
    if (more !== "") database.exec(more);
  });

const buildFirefox = (visits: readonly Visit[]): Uint8Array =>
  encodeDatabase((database) => {
    database.exec(
      "CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER);" +
        "CREATE TABLE moz_historyvisits(id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER, visit_type INTEGER, session INTEGER);",
    );
    const place = database.prepare("INSERT INTO moz_places VALUES (?, ?, ?, 1)");
    const row = database.prepare("INSERT INTO moz_historyvisits VALUES (?, 0, ?, ?, ?, 0)");
    for (const [i, { n, title }] of visits.entries()) {
      place.run(i + 1, `https://example.net/${n}`, title);
      row.run(i + 1, i + 1, BigInt(Date.UTC(2025, 1, 1) + n * 60_000) * 1000n, 1 + (n % 8));
    }
  });

export const browserHistoryGenerator: Generator = {
  importer: browserHistory,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => visit(dice, n));
    // A page that was visited again has another title now; the oldest visits are forgotten.
    const renamed = all.slice(4, 6).map(({ n }) => ({ n, title: "renamed" }));
    const added = [visit(dice, size * 2), visit(dice, size * 2 + 1)];
    return {
      older: { "Profile 1/History": buildChrome(all), "firefox/places.sqlite": buildFirefox(all) },
      newer: {
        "Profile 1/History": buildChrome([...renamed, ...all.slice(6), ...added]),
        "firefox/places.sqlite": buildFirefox(all.slice(2)),
      },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => visit(dice, n));
    const bad =
      "INSERT INTO visits VALUES (90, 999, 13380000000000000, 0, 0), (91, 1, 0, 0, 0), (92, 1, 9223372036854775807, 0, 0), (93, 2, 13380000000000000, -1, -5);" +
      "INSERT INTO urls VALUES (5, 'https://nul.example/' || char(0) || 'x', x'00ff', 1); INSERT INTO visits VALUES (94, 5, 13380000000000000, 0, 0);";
    const whole = buildChrome(good, bad);
    return {
      files: {
        "a/History": whole,
        "b/History": whole.subarray(0, 5000),
        "c/places.sqlite": encodeDatabase((database) =>
          database.exec(
            "CREATE TABLE moz_places(id, url, title); CREATE VIEW moz_historyvisits AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, id AS place_id, 1 AS visit_date, 1 AS visit_type FROM n",
          ),
        ),
      },
      good: 4,
    };
  },
  crowd: (dice, n) => ({
    path: `Profile ${n}/History`,
    content: buildChrome(Array.from({ length: 400 }, (_, i) => visit(dice, n * 400 + i))),
  }),
};
