import { DatabaseSync } from "node:sqlite";
/**
 * A careful use of a plain FTS5 table: stemmed, matching any word, without stop words. Has its own stop words so that it does not change
 * with ours.
 */
export interface PlainIndex {
  find(q: string, limit: number): readonly string[];
  close(): void;
}

export function createPlainIndex(docs: readonly { readonly id: string; readonly text: string }[]): PlainIndex {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize = 'porter unicode61')");
  const insert = db.prepare("INSERT INTO plain (rowid, text) VALUES (?, ?)");
  db.exec("BEGIN");
  for (const [n, { text }] of docs.entries()) insert.run(n, text);
  db.exec("COMMIT");
  const ranked = db.prepare("SELECT rowid AS n FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?");
  return {
    find(q, limit) {
      const words = buildMatch(q);
      return words === "" ? [] : ranked.all(words, limit).map(({ n }) => docs[n as number]!.id);
    },
    close: () => db.close(),
  };
}

function buildMatch(q: string): string {
  const words = [...new Set(q.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])];
  const telling = words.filter((word) => !stopWords.has(word));
  return (telling.length > 0 ? telling : words).map((word) => `"${word}"`).join(" OR ");
}

const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can could
  did do does doing don down during each few for from further had has have having he her here hers herself him himself his how i if
  in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own
  s same she should so some such t than that the their theirs them themselves then there these they this those through to too under
  until up very was we were what when where which while who whom why will with would you your yours yourself yourselves`
    .trim()
    .split(/\s+/),
);
