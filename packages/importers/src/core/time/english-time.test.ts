import { expect, it } from "vitest";
import { parseEnglishTime } from "./english-time.ts";
import { formatLocalTime, resolveTime } from "./times.ts";

it.each([
  ["Monday, August 25, 2014 at 5:29:21 PM UTC", "2014-08-25T17:29:21", 0],
  ["Jan 31, 2018, 10:54:50\u202fPM", "2018-01-31T22:54:50", null],
  ["Feb 8, 2017, 12:32:39 AM PST", "2017-02-08T00:32:39", -480],
  ["Sept 1, 2024, 13:05 GMT+5:30", "2024-09-01T13:05:00", 330],
  ["Jan 1, 2024, 12:00:00 PM IST", "2024-01-01T12:00:00", null],
  // In Britain, Australia and India the day comes first.
  ["31 Jan 2018, 22:54:50 GMT", "2018-01-31T22:54:50", 0],
  ["7 Jul 2020, 10:21:28\u202fpm AEST", "2020-07-07T22:21:28", 600],
  ["9 Sept 2023, 12:21:28 BST", "2023-09-09T12:21:28", 60],
  ["Monday, 25 August 2014 at 17:29:21 UTC", "2014-08-25T17:29:21", 0],
  ["Monday 25 August 2014 at 17:29:21 UTC", "2014-08-25T17:29:21", 0],
])("[IMP-11] reads %s", (text, local, offset) => {
  const found = parseEnglishTime(text);
  expect([found === null ? null : formatLocalTime(found.local), found?.offset]).toEqual([local, offset]);
});

it("[IMP-11] uses the offset, or the zone if there is no offset", () => {
  expect(resolveTime(parseEnglishTime("Feb 8, 2017, 12:32:39 AM PST"), "Europe/Berlin")).toEqual({
    sentAt: "2017-02-08T08:32:39.000Z",
  });
  expect(resolveTime(parseEnglishTime("Feb 8, 2017, 12:32:39 AM"), "Europe/Berlin")).toMatchObject({
    sentAt: "2017-02-08T00:32:39+01:00",
    zone: "Europe/Berlin",
  });
});

it.each([
  "Feb 31, 2018, 10:54:50 PM",
  "31.01.2018, 22:54:50 MEZ",
  "Foo 3, 2018, 10:00:00 AM",
  "31 Foo 2018, 10:00:00",
  "",
])("[IMP-11] rejects %s as a time", (text) => expect(parseEnglishTime(text)).toBeNull());
