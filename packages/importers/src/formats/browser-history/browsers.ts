/** Where a browser keeps its history, and how it stores times. */
export interface Browser {
  readonly name: string;
  readonly title: string;
  /** Selects visits after an id, ordered by id. */
  readonly sql: string;
  /** Its epoch, in milliseconds since 1970. */
  readonly epoch: number;
  readonly perMillisecond: number;
  /** How the page was reached. */
  describeVisit(how: unknown): string[];
}

const since1601 = -11_644_473_600_000;
const since2001 = 978_307_200_000;
const toInteger = (value: unknown): number =>
  typeof value === "bigint" || typeof value === "number" ? Number(value) : -1;

/** The low byte is the transition type; the high bits mark redirects. */
function describeChromiumTransition(how: unknown): string[] {
  const transition = toInteger(how);
  if (transition === -1) return [];
  // biome-ignore format: a compact table
  const kinds = [
    "link", "typed", "bookmark", "frame", "frame", "typed", "start page", "form", "reload", "typed", "typed",
  ];
  const kind = kinds[transition & 0xff];
  const isRedirect = ((transition >>> 0) & 0xc0000000) !== 0;
  return [...(kind === undefined ? [] : [kind]), ...(isRedirect ? ["redirect"] : [])];
}

function describeFirefoxVisit(how: unknown): string[] {
  const kinds = ["", "link", "typed", "bookmark", "frame", "redirect", "redirect", "download", "frame", "reload"];
  const kind = kinds[toInteger(how)] ?? "";
  return kind === "" ? [] : [kind];
}

export function detectBrowser(tables: ReadonlyMap<string, ReadonlySet<string>>): Browser | undefined {
  const has = (table: string, ...columns: string[]): boolean =>
    columns.every((column) => tables.get(table)?.has(column) === true);
  if (has("visits", "id", "url", "visit_time", "transition") && has("urls", "id", "url", "title")) {
    const duration = has("visits", "visit_duration") ? "v.visit_duration" : "0";
    return {
      name: "chromium",
      title: "Chrome",
      sql: `SELECT v.id AS id, u.url AS url, u.title AS title, v.visit_time AS time, v.transition AS how, ${duration} AS duration
        FROM visits v LEFT JOIN urls u ON u.id = +v.url WHERE v.id > ? ORDER BY v.id`,
      epoch: since1601,
      perMillisecond: 1000,
      describeVisit: describeChromiumTransition,
    };
  }
  if (
    has("moz_historyvisits", "id", "place_id", "visit_date", "visit_type") &&
    has("moz_places", "id", "url", "title")
  ) {
    // Firefox on phones uses the same tables with milliseconds.
    const isPhone = has("moz_historyvisits", "is_local");
    return {
      name: isPhone ? "firefox-mobile" : "firefox",
      title: "Firefox",
      sql: `SELECT v.id AS id, p.url AS url, p.title AS title, v.visit_date AS time, v.visit_type AS how
        FROM moz_historyvisits v LEFT JOIN moz_places p ON p.id = +v.place_id WHERE v.id > ? ORDER BY v.id`,
      epoch: 0,
      perMillisecond: isPhone ? 1 : 1000,
      describeVisit: describeFirefoxVisit,
    };
  }
  if (has("visits", "_id", "history_guid", "date", "visit_type") && has("history", "guid", "url", "title")) {
    return {
      name: "firefox-mobile-legacy",
      title: "Firefox",
      sql: `SELECT v._id AS id, h.url AS url, h.title AS title, v.date AS time, v.visit_type AS how
        FROM visits v LEFT JOIN history h ON h.guid = +v.history_guid WHERE v._id > ? ORDER BY v._id`,
      epoch: 0,
      perMillisecond: 1000,
      describeVisit: describeFirefoxVisit,
    };
  }
  if (has("history_visits", "id", "history_item", "visit_time", "title") && has("history_items", "id", "url")) {
    return {
      name: "safari",
      title: "Safari",
      sql: `SELECT v.id AS id, i.url AS url, v.title AS title, v.visit_time AS time, v.redirect_source AS how
        FROM history_visits v LEFT JOIN history_items i ON i.id = +v.history_item WHERE v.id > ? ORDER BY v.id`,
      epoch: since2001,
      perMillisecond: 0.001,
      describeVisit: (how) => (how === null || how === undefined ? [] : ["redirect"]),
    };
  }
  if (has("History", "url", "title", "atime", "redirect")) {
    return {
      name: "qutebrowser",
      title: "qutebrowser",
      sql: `SELECT rowid AS id, url, title, atime AS time, redirect AS how FROM History WHERE rowid > ? ORDER BY rowid`,
      epoch: 0,
      perMillisecond: 0.001,
      describeVisit: (how) => (toInteger(how) === 1 ? ["redirect"] : []),
    };
  }
  return undefined;
}
