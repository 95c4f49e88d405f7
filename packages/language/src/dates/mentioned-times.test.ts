import { describe, expect, test } from "vitest";
import { findMentionedTimes } from "./mentioned-times.ts";

/** For each time in the query: its words, and the days from which and until which its latest range goes; `-` if it is open. */
type Case = [query: string, ...times: string[]];

const clock = { now: Date.parse("2026-11-19T10:00:00Z"), timeZone: "Europe/Berlin" };

const cases: Case[] = [
  ["What did Oona say on 7 May 2026?", "on 7 May 2026 2026-05-06 2026-05-09"],
  ["Where was Oona on 31 Dec 2025", "on 31 Dec 2025 2025-12-30 2026-01-02"],
  ["what did Piet play 5 Jan 2026?", "5 Jan 2026 2026-01-04 2026-01-07"],
  ["boiler 2026-03-14", "2026-03-14 2026-03-13 2026-03-16"],
  ["Rechnung vom 14.3.2026", "vom 14.3.2026 2026-03-13 2026-03-16"],
  ["rent for March 2026", "March 2026 2026-03-01 2026-04-01"],
  ["what did the plumber write last March", "last March 2026-03-01 2026-04-01"],
  ["what was said yesterday", "yesterday 2026-11-17 2026-11-20"],
  ["who called on Monday", "on Monday 2026-11-15 2026-11-18"],
  ["mails of last week", "last week 2026-11-09 2026-11-16"],
  ["spent between March and May 2026", "between March and May 2026 2026-03-01 2026-06-01"],
  ["more in June 2026 than in July 2026?", "in June 2026 2026-06-01 2026-07-01", "in July 2026 2026-07-01 2026-08-01"],
  ["mails before 2026-04-01", "before 2026-04-01 - 2026-04-01"],
  ["what did we do on 7 May", "on 7 May 2026-05-06 2026-05-09"],
  ["trip on 24 December", "on 24 December 2025-12-23 2025-12-26"],
];

/** Names, verbs, numbers, identifiers and quoted text. */
const timeless = [
  "may we march on",
  "mail from April",
  "invoice 2026",
  "VR-2026-03-14",
  '"7 May 2026" otter',
  "room 7",
];

describe("times in a query", () => {
  test.each(cases)("[SRCH-49] finds the times of %s", (query, ...times) => {
    const found = findMentionedTimes(query, clock).map(({ words, range: { since = "-", until = "-" } }) =>
      [words, since.slice(0, 10), until.slice(0, 10)].join(" "),
    );
    expect(found).toEqual(times);
  });

  test.each(timeless)("[SRCH-49] finds no time in %s", (query) => {
    expect(findMentionedTimes(query, clock)).toEqual([]);
  });

  test("[SRCH-49] lists earlier years only if the query names none", () => {
    const listYears = (query: string) =>
      findMentionedTimes(query, clock).flatMap(({ earlier }) => earlier.map(({ since }) => since?.slice(0, 10)));
    expect(listYears("on 7 May").slice(0, 2)).toEqual(["2025-05-06", "2024-05-06"]);
    expect(listYears("in May")[0]).toBe("2025-05-01");
    for (const query of ["on 7 May 2026", "last May", "on Monday", "yesterday"]) expect(listYears(query)).toEqual([]);
  });
});
