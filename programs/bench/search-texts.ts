import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@pdpp/contract/declaration";

/** The texts that search is measured on. */

export const searchManifest: JsonObject = {
  connector_key: "bench-search",
  version: "1",
  streams: [
    {
      name: "messages",
      semantics: "append_only",
      primary_key: ["id"],
      schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, text: { type: "string" } } },
      query: { search: { lexical_fields: ["text"] } },
    },
  ],
};

/** The n-th most common word of 60,000, from letters only: a word that contains digits is split and indexed in parts. */
export const buildWord = (n: number): string =>
  `w${n.toString(36).replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)))}`;

/** Word frequencies as in a natural language: the n-th word has a probability of about 1/n. */
export function* generateTexts(count: number): Generator<string> {
  let state = 7;
  const nextRandom = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
  for (let n = 1; n <= count; n += 1) {
    const words = Array.from({ length: 15 + Math.floor(nextRandom() * 30) }, () =>
      buildWord(Math.floor(60_000 ** nextRandom())),
    );
    if (n % 3 === 0) words.push("common");
    if (n % 120 === 0) words.push("medium");
    if (n % 5000 === 0) words.push("rare");
    if (n % 150 === 0) words.push("alpha");
    if (n % 150 === 0 || n % 170 === 0) words.push("beta");
    if (n % 5 === 0) words.push("often");
    if (n % 101 === 0) words.push("seldom");
    yield words.join(" ");
  }
}

export async function* generateLines(count: number): AsyncGenerator<Uint8Array> {
  let n = 0;
  let block: string[] = [];
  for (const text of generateTexts(count)) {
    n += 1;
    block.push(`${JSON.stringify({ data: { id: `m${n}`, text } })}\n`);
    if (block.length === 1000) {
      yield Buffer.from(block.join(""));
      block = [];
    }
  }
  yield Buffer.from(block.join(""));
}

export function fillRaw(db: DatabaseSync, count: number): void {
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000");
  db.exec("CREATE VIRTUAL TABLE raw USING fts5(text, tokenize = 'porter unicode61')");
  const insert = db.prepare("INSERT INTO raw (rowid, text) VALUES (?, ?)");
  let n = 0;
  db.exec("BEGIN");
  for (const text of generateTexts(count)) {
    n += 1;
    insert.run(n, text);
    if (n % 1000 === 0) db.exec("COMMIT; BEGIN");
  }
  db.exec("COMMIT");
}
