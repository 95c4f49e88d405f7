import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asideOf, fixtures, fixturesMissing, itemsOf, recordsOf } from "./fixture-files.ts";

describe.skipIf(fixturesMissing !== "")(`[IMP-11] tracks and health of others${fixturesMissing}`, () => {
  it("FIT: points and distance agree with what other programs read from the same files", async () => {
    for (const name of [
      "compressed-speed-distance",
      "garmin-edge-500-activity",
      "garmin-edge-820-bike",
      "garmin-fenix-5-bike",
      "garmin-fenix-5-run",
      "garmin-fenix-5-walk",
    ]) {
      const folder = "fit-fitparse/tests/files";
      const rows = readFileSync(join(fixtures, folder, `${name}-records.csv`), "utf8")
        .trim()
        .split("\n");
      const column = (rows[0] ?? "").split(",").findIndex((title) => /^distance/i.test(title));
      const [activity] = recordsOf(await itemsOf(`${folder}/${name}.fit`, "tracks"), "activities");
      // The list of the first has one point less than the file.
      if (name !== "compressed-speed-distance") expect([name, activity?.point_count]).toEqual([name, rows.length - 1]);
      expect(activity?.distance).toBeCloseTo(Number(rows.at(-1)?.split(",")[column]), 0);
    }
  });

  it("FIT: every file is an activity or is named as something else, chained and broken ones too", async () => {
    const items = await itemsOf("fit-fitparse", "tracks");
    const activities = recordsOf(items, "activities");
    expect([activities.length, asideOf(items).length]).toEqual([32, 0]);
    const left = items.flatMap((item) => (item.kind === "skipped" ? [item.reason] : []));
    expect(new Set(left)).toEqual(
      new Set(
        ["settings", "a planned workout", "a weight", "daily monitoring"].map((it) => `it holds ${it}, and no track`),
      ),
    );
    const one = (name: string) => activities.find((each) => each.name === name);
    expect(one("sample_mulitple_header")).toMatchObject({ sport: "swimming, transition, cycling, running" });
    expect(one("nick")).toMatchObject({ extra: { note: "the file is not whole: the file ends in the middle of it" } });
    expect(one("garmin-edge-500-activity")).toMatchObject({
      started_at: "2011-09-25T13:00:21.000Z",
      sport: "cycling",
      start_latitude: 43.71339,
    });
  });

  it("GPX: all versions, with times and without, planned routes and places", async () => {
    const items = await itemsOf("gpx-gpxpy", "tracks");
    const activities = recordsOf(items, "activities");
    expect([activities.length, asideOf(items).length]).toEqual([71, 0]);
    const kinds = new Set(activities.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(["track", "route", "waypoints"]));
    expect(activities.filter(({ started_at }) => started_at !== null).length).toBeGreaterThan(20);
    expect(activities.filter(({ distance }) => Number(distance) > 1000).length).toBeGreaterThan(20);
    for (const { line } of activities) expect(Array.isArray(line) && line.length <= 101).toBe(true);
  });

  it("Apple Health: units with a slash, escaped devices, routes by either path", async () => {
    const items = await itemsOf("dogsheep/healthkit/tests/zip_contents", "apple-health");
    const [weight, heart] = recordsOf(items, "samples");
    expect(weight).toMatchObject({ type: "BodyMassIndex", value: 22.5312, started_at: "2016-04-18T08:25:32-07:00" });
    expect(heart).toMatchObject({ value: 72, unit: "count/min", device: "Apple Watch (Watch2,4)" });
    const runs = await itemsOf("apple-health/tests/fixtures/export.zip", "apple-health");
    const workouts = runs.filter((item) => item.kind === "record" && item.stream === "workouts");
    expect(workouts.length).toBe(8);
    expect(workouts.filter((item) => "blob" in item).length).toBeGreaterThan(2);
    expect(recordsOf(runs, "workouts").find(({ source }) => source === "Synthetic & Run Club")).toMatchObject({
      distance: 2,
      distance_unit: "km",
      energy: 900,
      duration_minutes: 12.5,
    });
  });
});
