import type { Radicale } from "./radicale.ts";

/** Reads calendar and contact files by other means than the product: enough for what these tests write. */

/** `key`: title, time and calendar. */
export type Content = Map<string, string>;

const find = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}(?:;[^:\r\n]*)?:(.*?)\r?$`, "m").exec(text)?.[1];

const parse = (time: string): number => {
  const [, y, m, d, h, min, s] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(time) ?? [];
  return Date.UTC(Number(y), Number(m) - 1, Number(d), Number(h), Number(min), Number(s));
};

/** Events with times in UTC; rules are daily or weekly, with a count. */
export function readCalendarFiles(server: Radicale, calendars: readonly string[]): Content {
  const content: Content = new Map();
  // The first calendar has the say, and in it the first file.
  for (const calendar of calendars)
    for (const { text } of server.list(calendar))
      for (const [key, value] of readCalendar(text, calendar)) if (!content.has(key)) content.set(key, value);
  return content;
}

function readCalendar(text: string, calendar: string): Content {
  const content: Content = new Map();
  const moved: [string, string][] = [];
  for (const [, component = ""] of text.matchAll(/BEGIN:VEVENT\r?\n([\s\S]*?)END:VEVENT/g)) {
    const [uid = "", title = "", start = ""] = ["UID", "SUMMARY", "DTSTART"].map((name) => find(component, name));
    const describe = (at: number): string => `${title} ${new Date(at).toISOString()} ${calendar}`;
    const name = (at: number): string => JSON.stringify([uid, new Date(at).toISOString()]);
    const replaced = find(component, "RECURRENCE-ID");
    const [, frequency, count] = /FREQ=(DAILY|WEEKLY);COUNT=(\d+)/.exec(find(component, "RRULE") ?? "") ?? [];
    if (replaced !== undefined) moved.push([name(parse(replaced)), describe(parse(start))]);
    else if (frequency === undefined) content.set(JSON.stringify([uid, "single"]), describe(parse(start)));
    for (let n = 0; n < Number(count ?? 0); n += 1) {
      const at = parse(start) + n * (frequency === "DAILY" ? 1 : 7) * 86_400_000;
      content.set(name(at), describe(at));
    }
  }
  for (const [key, value] of moved) content.set(key, value);
  return content;
}

export function readContactFiles(server: Radicale, books: readonly string[]): Content {
  const content: Content = new Map();
  for (const book of books)
    for (const { text } of server.list(book)) {
      const uid = find(text, "UID") ?? "";
      if (!content.has(uid)) content.set(uid, `${find(text, "FN")} ${find(text, "NOTE") ?? ""}`);
    }
  return content;
}
