import { expect, it } from "vitest";
import { parseWrittenTime } from "./european-time.ts";
import { formatLocalTime } from "./times.ts";

it.each([
  ["Jan 31, 2018, 10:54:50\u202fPM UTC", "2018-01-31T22:54:50", 0],
  ["31.01.2018, 22:54:50 MEZ", "2018-01-31T22:54:50", 60],
  ["1.7.2018, 08:05:09 MESZ", "2018-07-01T08:05:09", 120],
  ["31 janv. 2018, 22:54:50 CET", "2018-01-31T22:54:50", 60],
  ["14 juil. 2018, 22:54:50 UTC+2", "2018-07-14T22:54:50", 120],
  ["14 juin 2018, 22:54:50 CEST", "2018-06-14T22:54:50", 120],
  ["31 ene 2018, 22:54:50 CET", "2018-01-31T22:54:50", 60],
  ["31 de jan. de 2018, 22:54:50 BRT", "2018-01-31T22:54:50", -180],
  ["31 mrt 2018, 22:54:50 CEST", "2018-03-31T22:54:50", 120],
  ["31. maj 2018 22.54.50 CEST", "2018-05-31T22:54:50", 120],
  ["Montag, 25. August 2014 um 17:29:21 UTC", "2014-08-25T17:29:21", 0],
  ["Mittwoch, 5. März 2014 um 17:29:21 UTC", "2014-03-05T17:29:21", 0],
  ["lundi 25 août 2014 à 17:29:21 UTC", "2014-08-25T17:29:21", 0],
  ["lunes, 25 de agosto de 2014, 17:29:21 UTC", "2014-08-25T17:29:21", 0],
  ["lunedì 25 agosto 2014 alle ore 17:29:21 UTC", "2014-08-25T17:29:21", 0],
  ["segunda-feira, 25 de agosto de 2014 às 17:29:21 UTC", "2014-08-25T17:29:21", 0],
  ["31.01.2018, 22:54:50", "2018-01-31T22:54:50", null],
])("[IMP-11] reads %s", (text, local, offset) => {
  const found = parseWrittenTime(text);
  expect([found === null ? null : formatLocalTime(found.local), found?.offset]).toEqual([local, offset]);
});

it.each(["31.02.2018, 22:54:50 MEZ", "31 foo 2018, 22:54:50", "01/02/2018, 22:54:50", "Kanal 24 News 2018", ""])(
  "[IMP-11] rejects %s as a time",
  (text) => expect(parseWrittenTime(text)).toBeNull(),
);
