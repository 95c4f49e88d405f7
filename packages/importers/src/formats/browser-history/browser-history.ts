import {
  type Database,
  DatabaseError,
  findWriteAheadLog,
  isSqlite,
  readFromDatabase,
} from "../../core/database/sqlite-file.ts";
import { deriveId } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readListElements } from "../../core/parsing/json-elements.ts";
import { listRemainingEntries, rejectElement } from "../../core/reading.ts";
import { createActivityRecord, defineActivityFormat } from "../../core/records/activity.ts";
import { cleanText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName } from "../../core/text/paths.ts";
import { redactSecrets } from "../../core/text/urls.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry, Tree } from "../../tree/tree.ts";
import { type Browser, detectBrowser } from "./browsers.ts";
import { isTakeout, isTakeoutFile, takeoutChrome, toHistoryRow } from "./takeout.ts";

/** Browser history: each profile's database, or Chrome's history from Takeout. */
export const browserHistory: Importer = {
  ...defineActivityFormat("browser-history", "Browser history (Chrome, Firefox, Safari and others)", "Browser history"),
  version: "1",
  testedWith: "real files",
  // Table names may be anywhere in the file, so the head does not show them.
  sniff: (path, { bytes, text }) => isSqlite(bytes) || isTakeout(path, text),
  async createClaims(found, tree) {
    const entries: Entry[] = [];
    for (const entry of found) if (isTakeoutFile(entry.path) || (await isHistory(entry, tree))) entries.push(entry);
    if (entries.length === 0) return [];
    const logs = new Set(entries.flatMap(({ path }) => [`${path}-wal`, `${path}-shm`, `${path}-journal`]));
    return [
      createClaim("browser-history", "Browser history", entries, {
        companions: tree.entries.filter(({ path }) => logs.has(path)),
      }),
    ];
  },
  read,
};

/** A damaged database with a browser's file name is claimed, so that it is reported. */
async function isHistory(entry: Entry, tree: Tree): Promise<boolean> {
  const look = ({ tables }: Database) => [detectBrowser(tables) !== undefined];
  try {
    for await (const isKnown of readFromDatabase(entry, findWriteAheadLog(entry, tree.entries), look)) return isKnown;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
  }
  return /^(History|History\.db|places\.sqlite)$/.test(getFileName(entry.path));
}

async function* read(claim: Claim, _answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    try {
      const readHistory = (database: Database) => readVisits(database, { path: entry.path, index, start });
      if (isTakeoutFile(entry.path)) yield* readTakeoutVisits(entry, index, start);
      else yield* readFromDatabase(entry, findWriteAheadLog(entry, claim.companions), readHistory);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      yield reject(entry.path, 0, error.code, describeError(error));
    }
    yield mark(index + 1, 0);
  }
}

async function* readTakeoutVisits(entry: Entry, index: number, start: number): AsyncGenerator<Item> {
  for await (const element of readListElements(entry, "Browser History")) {
    if (element.end <= start) continue;
    if (element.failure !== undefined) yield rejectElement(entry, element);
    else yield createVisit(toHistoryRow(element.value, element.offset), takeoutChrome, entry.path);
    yield mark(index, element.end);
  }
}

interface Place {
  readonly path: string;
  readonly index: number;
  readonly start: number;
}

/** A mark after this many visits. */
const visitsPerMark = 1000;

async function* readVisits(database: Database, { path, index, start }: Place): AsyncGenerator<Item> {
  const browser = detectBrowser(database.tables);
  if (browser === undefined) return yield reject(path, 0, "unknown_tables", "no browser history tables found");
  let visits = 0;
  for await (const row of database.query(browser.sql, BigInt(start))) {
    // Marks are ids, so without whole numbers reading could not resume.
    if (typeof row.id !== "bigint") return yield reject(path, 0, "not_a_visit", "ids of visits are not whole numbers");
    visits += 1;
    yield createVisit(row, browser, path);
    if (visits % visitsPerMark === 0) yield mark(index, Number(row.id));
  }
}

function createVisit(row: Record<string, unknown>, browser: Omit<Browser, "sql">, path: string): Item {
  const { id, url, title, time, how, duration } = row;
  const at = parseTime(time, browser);
  if (typeof url !== "string" || url === "" || at === null) {
    const reason = at === null ? "no time" : "no address";
    const raw = JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value));
    return reject(path, Number(id), "not_a_visit", reason, raw);
  }
  const shown = redactSecrets(url);
  const seconds = typeof duration === "bigint" ? Number(duration / 1_000_000n) : 0;
  return createActivityRecord({
    // Derived from raw values, so every copy of the history gives the same id.
    id: deriveId("visit", browser.name, String(time), url),
    title: typeof title === "string" && title.trim() !== "" ? cleanText(title) : shown,
    source: browser.title,
    kind: "visited",
    at,
    url: shown,
    details: browser.describeVisit(how),
    extra: seconds > 0 ? { seconds } : {},
  });
}

/** Browsers use different epochs and units. */
function parseTime(time: unknown, { epoch, perMillisecond }: Omit<Browser, "sql">): string | null {
  if (typeof time === "number") return formatInstant(time / perMillisecond + epoch);
  if (typeof time !== "bigint" || time === 0n) return null;
  // Divide as bigint: the value may exceed the safe integers.
  const milliseconds = perMillisecond >= 1 ? Number(time / BigInt(perMillisecond)) : Number(time) / perMillisecond;
  return formatInstant(milliseconds + epoch);
}
