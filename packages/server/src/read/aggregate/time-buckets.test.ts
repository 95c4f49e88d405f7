import { isTimeZone } from "@pdpp/evidence/text/local-time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findBucket,
  findInstantAfter,
  type Granularity,
  granularities,
  listBuckets,
  type TimeBucket,
} from "./time-buckets.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const lengths = {
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 31 * DAY,
  quarter: 92 * DAY,
  year: 366 * DAY,
};

const changes: Record<string, string[]> = {
  "Europe/Berlin": ["1893-03-31T23:06:32Z", "1945-05-24T00:00Z", "2026-03-29T01:00Z", "2026-10-25T01:00Z"],
  "America/New_York": ["1883-11-18T17:00Z", "2026-03-08T07:00Z", "2026-11-01T06:00Z"],
  "America/St_Johns": ["1988-04-03T03:31Z", "2006-04-02T03:31Z", "2006-10-29T02:31Z", "2011-11-06T02:31Z"],
  "Australia/Lord_Howe": ["1981-02-28T14:00Z", "2026-04-04T15:00Z", "2026-10-03T15:30Z"],
  "Asia/Kathmandu": ["1985-12-31T18:30Z", "2026-01-01T00:00Z"],
  "Pacific/Apia": ["1892-07-04T12:00Z", "2011-12-30T10:00Z", "2012-03-31T14:00Z"],
  "America/Sao_Paulo": ["2017-10-15T03:00Z", "2018-02-18T02:00Z", "2018-11-04T03:00Z"],
  "America/Juneau": ["1867-10-19T00:31:13Z", "2026-11-01T10:00Z"],
  "Africa/Casablanca": ["2018-05-13T02:00Z", "2018-06-17T02:00Z", "2025-02-23T02:00Z", "2025-04-06T02:00Z"],
  UTC: ["2026-01-01T00:00Z"],
};
const zones = Object.keys(changes);

const anyTime = fc.integer({ min: Date.UTC(1860, 0, 1), max: Date.UTC(2120, 0, 1) });
const zoneAndInstant = fc.constantFrom(...zones).chain((zone) => {
  const near = (reach: number) =>
    fc
      .tuple(fc.constantFrom(...changes[zone]!), fc.integer({ min: -reach, max: reach }))
      .map(([change, distance]) => Date.parse(change) + distance);
  return fc.tuple(fc.constant(zone), fc.oneof(anyTime, near(3 * HOUR), near(2 * MINUTE), near(3 * DAY)));
});
const granularity = fc.constantFrom(...granularities);

const formats = new Map(
  zones.map((zone) => [
    zone,
    new Intl.DateTimeFormat("en-US-u-ca-gregory-hc-h23", {
      timeZone: zone,
      ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    }),
  ]),
);

/** Truncates the calendar fields that Intl shows. */
function modelKey(granularity: Granularity, zone: string, instant: number): string {
  const parts = Object.fromEntries(
    formats
      .get(zone)!
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const { year, hour, minute } = parts;
  let { month, day } = parts;
  if (granularity === "minute") return `${year}-${month}-${day}T${hour}:${minute}`;
  if (granularity === "hour") return `${year}-${month}-${day}T${hour}:00`;
  if (granularity === "week") {
    const date = new Date(`${year}-${month}-${day}T00:00Z`);
    while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
    return date.toISOString().slice(0, 10);
  }
  if (granularity !== "day") day = "01";
  if (granularity === "quarter")
    month = { "0": "01", "1": "04", "2": "07", "3": "10" }[Math.floor((Number(month) - 1) / 3)];
  if (granularity === "year") month = "01";
  return `${year}-${month}-${day}`;
}

const holds = (bucket: TimeBucket, instant: number) =>
  bucket.ranges.filter(({ from, to }) => from <= instant && instant < to).length;
const keysHolding = (buckets: TimeBucket[], instant: number) =>
  buckets.flatMap((bucket) => Array<string>(holds(bucket, instant)).fill(bucket.key));
const keys = (buckets: TimeBucket[]) => buckets.map(({ key }) => key);
const hours = ({ ranges }: TimeBucket) => ranges.map(({ from, to }) => (to - from) / HOUR);
const ascending = (list: string[]) => expect(list).toEqual([...new Set(list)].sort());

describe("against the fields that Intl shows", () => {
  test("puts an instant into the bucket of its local time", () => {
    fc.assert(
      fc.property(zoneAndInstant, granularity, ([zone, instant], granularity) => {
        const bucket = findBucket(granularity, zone, instant);
        expect(bucket.key).toBe(modelKey(granularity, zone, instant));
        expect(holds(bucket, instant)).toBe(1);
        expect(holds(bucket, instant + 0.5)).toBe(1);
        for (const { from, to } of bucket.ranges) {
          expect(modelKey(granularity, zone, from)).toBe(bucket.key);
          expect(modelKey(granularity, zone, to - 1)).toBe(bucket.key);
          expect(modelKey(granularity, zone, from - 1)).not.toBe(bucket.key);
          expect(modelKey(granularity, zone, to)).not.toBe(bucket.key);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("lists ascending buckets without gaps or overlaps", () => {
    fc.assert(
      fc.property(zoneAndInstant, granularity, fc.integer({ min: 1, max: 150 }), ([zone, from], granularity, count) => {
        const buckets = listBuckets(granularity, zone, from, count);
        expect(buckets).toHaveLength(count);
        ascending(keys(buckets));
        const ranges = buckets.flatMap((bucket) => bucket.ranges).sort((one, other) => one.from - other.from);
        let covered = from;
        let previous = Number.NEGATIVE_INFINITY;
        for (const range of ranges) {
          expect(range.from).toBeGreaterThanOrEqual(previous);
          previous = range.to;
          if (range.from <= covered) covered = Math.max(covered, range.to);
        }
        expect(covered).toBeGreaterThanOrEqual(findInstantAfter(granularity, zone, buckets.at(-1)!.key));
      }),
      { numRuns: 500 },
    );
  });

  test("puts exactly the instants of a key into its bucket", () => {
    const spans = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(zoneAndInstant, granularity, spans, ([zone, from], granularity, spans) => {
        const buckets = listBuckets(granularity, zone, from, 100);
        const last = buckets.at(-1)!.key;
        for (const share of spans) {
          const instant = from + Math.floor(share * 110 * lengths[granularity]);
          const key = modelKey(granularity, zone, instant);
          expect(keysHolding(buckets, instant)).toEqual(key <= last ? [key] : []);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("finds the first instant with a greater key", () => {
    fc.assert(
      fc.property(zoneAndInstant, granularity, ([zone, instant], granularity) => {
        const { key } = findBucket(granularity, zone, instant);
        const after = findInstantAfter(granularity, zone, key);
        expect(modelKey(granularity, zone, after) > key).toBe(true);
        for (const before of [1, MINUTE, HOUR, DAY]) {
          expect(modelKey(granularity, zone, after - before) <= key).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("paging", () => {
  /** Visits nonempty buckets the way an aggregation does: from the last key, skipping empty stretches. */
  function pages(granularity: Granularity, zone: string, data: number[], size: number): TimeBucket[] {
    const visited: TimeBucket[] = [];
    let from = Math.min(...data);
    let after: string | undefined;
    while (from !== Number.POSITIVE_INFINITY) {
      const page = listBuckets(granularity, zone, from, size, after);
      visited.push(...page);
      const end = page.at(-1)!.key;
      after = end;
      from = Math.min(...data.filter((instant) => instant >= findInstantAfter(granularity, zone, end)));
    }
    return visited;
  }

  test("visits every instant once and no key twice, even while clocks are set back", () => {
    const distances = fc.array(fc.integer({ min: 0, max: 6 * HOUR }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        zoneAndInstant,
        granularity,
        distances,
        fc.integer({ min: 1, max: 90 }),
        ([zone, start], granularity, distances, size) => {
          const data = distances.map((distance) => start + distance);
          const visited = pages(granularity, zone, data, size);
          ascending(keys(visited));
          for (const instant of data) {
            expect(keysHolding(visited, instant)).toEqual([modelKey(granularity, zone, instant)]);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("starts with the smallest key still to come when clocks are about to be set back", () => {
    const secondPassToCome = Date.parse("2026-10-25T00:30Z");
    expect(findBucket("minute", "Europe/Berlin", secondPassToCome).key).toBe("2026-10-25T02:30");
    expect(keys(listBuckets("minute", "Europe/Berlin", secondPassToCome, 2))).toEqual([
      "2026-10-25T02:00",
      "2026-10-25T02:01",
    ]);
    expect(keys(listBuckets("minute", "Europe/Berlin", secondPassToCome, 1, "2026-10-25T02:29"))).toEqual([
      "2026-10-25T02:30",
    ]);
  });
});

describe("fixed examples", () => {
  const from = (granularity: Granularity, zone: string, instant: string, count: number) =>
    listBuckets(granularity, zone, Date.parse(instant), count);

  test("days of 23 and 25 hours", () => {
    expect(from("day", "Europe/Berlin", "2026-03-28T12:00Z", 3).map(hours)).toEqual([[24], [23], [24]]);
    expect(from("day", "Europe/Berlin", "2026-10-24T12:00Z", 3).map(hours)).toEqual([[24], [25], [24]]);
    expect(from("day", "America/New_York", "2026-11-01T12:00Z", 1)).toEqual([
      { key: "2026-11-01", ranges: [{ from: Date.parse("2026-11-01T04:00Z"), to: Date.parse("2026-11-02T05:00Z") }] },
    ]);
  });

  test("an hour that is skipped, an hour that lasts two, and half hours", () => {
    expect(keys(from("hour", "Europe/Berlin", "2026-03-29T00:30Z", 2))).toEqual([
      "2026-03-29T01:00",
      "2026-03-29T03:00",
    ]);
    expect(from("hour", "Europe/Berlin", "2026-10-24T23:30Z", 3).map(hours)).toEqual([[1], [2], [1]]);
    expect(from("hour", "Australia/Lord_Howe", "2026-04-04T13:30Z", 3).map(hours)).toEqual([[1], [1.5], [1]]);
    expect(from("hour", "Australia/Lord_Howe", "2026-10-03T14:40Z", 3).map(hours)).toEqual([[1], [0.5], [1]]);
  });

  test("a minute that comes twice", () => {
    const start = Date.parse("2026-10-25T00:15Z");
    expect(findBucket("minute", "Europe/Berlin", start + HOUR)).toEqual({
      key: "2026-10-25T02:15",
      ranges: [
        { from: start, to: start + MINUTE },
        { from: start + HOUR, to: start + HOUR + MINUTE },
      ],
    });
  });

  test("days entered twice, when clocks went back at 00:01", () => {
    const days = from("day", "America/St_Johns", "2006-10-28T12:00Z", 3);
    expect(keys(days)).toEqual(["2006-10-28", "2006-10-29", "2006-10-30"]);
    expect(days.map(hours)).toEqual([[24, 59 / 60], [1 / 60, 24], [24]]);
  });

  test("a day that never was, and a day without its first hour", () => {
    expect(keys(from("day", "Pacific/Apia", "2011-12-29T12:00Z", 2))).toEqual(["2011-12-29", "2011-12-31"]);
    expect(hours(findBucket("week", "Pacific/Apia", Date.parse("2011-12-29T12:00Z")))).toEqual([6 * 24]);
    expect(keys(from("minute", "Pacific/Apia", "2011-12-30T09:59Z", 2))).toEqual([
      "2011-12-29T23:59",
      "2011-12-31T00:00",
    ]);
    expect(from("day", "America/Sao_Paulo", "2018-11-04T12:00Z", 1).map(hours)).toEqual([[23]]);
  });

  test("weeks start on Monday, quarters in January, April, July and October", () => {
    expect(keys(from("week", "UTC", "2027-01-03T23:59Z", 2))).toEqual(["2026-12-28", "2027-01-04"]);
    expect(keys(from("month", "UTC", "2024-02-29T12:00Z", 2))).toEqual(["2024-02-01", "2024-03-01"]);
    expect(keys(from("quarter", "Asia/Kathmandu", "2025-12-31T18:15Z", 3))).toEqual([
      "2026-01-01",
      "2026-04-01",
      "2026-07-01",
    ]);
    expect(keys(from("year", "Asia/Kathmandu", "2025-12-31T18:14:59Z", 2))).toEqual(["2025-01-01", "2026-01-01"]);
  });
});

describe("the ends of time", () => {
  test.each(granularities)("by %s, extends the first and last bucket to all instants beyond", (granularity) => {
    for (const zone of zones) {
      for (const early of [Number.NEGATIVE_INFINITY, -8.64e15, Date.parse("-000001-06-01T00:00Z")]) {
        const [first, second] = listBuckets(granularity, zone, early, 2) as [TimeBucket, TimeBucket];
        expect(first.key.slice(0, 10)).toBe("0000-01-01");
        expect(first.ranges).toEqual([{ from: -8.64e15, to: second.ranges[0]!.from }]);
        expect(findBucket(granularity, zone, early)).toEqual(first);
      }
      for (const late of [Number.POSITIVE_INFINITY, 8.64e15, Date.parse("+010000-06-01T00:00Z")]) {
        const [last, ...none] = listBuckets(granularity, zone, late, 2) as [TimeBucket];
        expect(none).toEqual([]);
        expect(last.key.slice(0, 4)).toBe("9999");
        expect(last.ranges.at(-1)!.to).toBe(8.64e15);
        expect(findBucket(granularity, zone, late)).toEqual(last);
        expect(findInstantAfter(granularity, zone, last.key)).toBe(8.64e15);
        expect(listBuckets(granularity, zone, late, 2, last.key)).toEqual([]);
      }
    }
  });

  test("keeps the century of keys in the first century", () => {
    const instant = Date.parse("0042-08-15T12:00Z");
    const at = (granularity: Granularity) => findBucket(granularity, "UTC", instant).key;
    expect(granularities.map(at)).toEqual([
      ...["0042-08-15T12:00", "0042-08-15T12:00", "0042-08-15", "0042-08-11", "0042-08-01", "0042-07-01", "0042-01-01"],
    ]);
  });
});

test("rejects an invalid key", () => {
  expect(() => listBuckets("day", "UTC", 0, 1, "yesterday")).toThrow(RangeError);
});

test("accepts IANA time zone names only", () => {
  for (const zone of [...zones, "Etc/GMT+5", "europe/berlin"]) expect(isTimeZone(zone)).toBe(true);
  for (const none of [
    "",
    "Berlin",
    "Europe/Atlantis",
    "+02:00",
    "2026-01-01T00:00Z",
    "2026-01-01T00:00[UTC]",
    " UTC",
  ]) {
    expect(isTimeZone(none)).toBe(false);
  }
});
