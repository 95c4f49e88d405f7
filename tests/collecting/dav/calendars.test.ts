import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countChanges, createDavWorld, type DavWorld } from "./dav-world.ts";
import { component, event, hasRadicale, type Radicale, radicaleMissing, startRadicale } from "./radicale.ts";

const weekly = (uid: string, title: string, start: string, more: readonly string[] = []): string[] =>
  event(uid, title, [`DTSTART:${start}`, "RRULE:FREQ=WEEKLY;COUNT=4", ...more]);

const nothing = { stored: 0, changed: 0, deleted: 0 };

describe.skipIf(!hasRadicale)(`calendars of Radicale${hasRadicale ? "" : ` (${radicaleMissing})`}`, () => {
  let server: Radicale;
  let world: DavWorld;
  beforeAll(async () => {
    server = await startRadicale();
    server.createCalendar("home", "Home");
    server.createCalendar("work", "Work");
    server.createAddressBook("people");
    server.write("home", "one.ics", event("one", "Dentist"));
    server.write("home", "with space & more.ics", event("two", "Concert"));
    server.write("work", "three.ics", weekly("three", "Planning", "20261103T090000Z"));
    world = await createDavWorld("caldav", { DAV_URL: server.url, DAV_USER: "ada" });
  });
  afterAll(async () => {
    await world.drop();
    await server.stop();
  });

  const titles = async (): Promise<string[]> =>
    [...(await world.read())].map(([key, { title, calendar }]) => `${key} ${title} (${calendar})`).sort();
  const syncAndCount = async () => {
    const run = await world.sync();
    expect(run, JSON.stringify(run.error)).toMatchObject({ status: "succeeded" });
    expect(run.skipped).toBeUndefined();
    return countChanges(run);
  };

  it("[COL-110] [COL-112] finds the calendars from the server's address, collects them, and then nothing", async () => {
    expect(await syncAndCount()).toEqual({ stored: 6, changed: 0, deleted: 0 });
    expect(await titles()).toEqual([
      "one single Dentist (Home)".replace("one single", '["one","single"]'),
      '["three","2026-11-03T09:00:00.000Z"] Planning (Work)',
      '["three","2026-11-10T09:00:00.000Z"] Planning (Work)',
      '["three","2026-11-17T09:00:00.000Z"] Planning (Work)',
      '["three","2026-11-24T09:00:00.000Z"] Planning (Work)',
      '["two","single"] Concert (Home)',
    ]);
    const second = await world.sync();
    expect(second).toMatchObject({ status: "succeeded", tally: { read: 0 } });
  });

  it("[COL-112] [COL-114] follows what is added, changed and deleted, and reads nothing else", async () => {
    server.write("home", "one.ics", event("one", "Dentist later", ["DTSTART:20261104T090000Z"]));
    server.write("home", "four.ics", event("four", "Dinner"));
    server.remove("home", "with space & more.ics");
    const run = await world.sync();
    expect(run.tally.read).toBe(3);
    expect(countChanges(run)).toEqual({ stored: 1, changed: 1, deleted: 1 });
    expect((await titles()).filter((title) => !title.includes("three"))).toEqual([
      '["four","single"] Dinner (Home)',
      '["one","single"] Dentist later (Home)',
    ]);
  });

  it("[COL-113] deletes occurrences that a series has lost, and keeps changed ones", async () => {
    const changed = component("three", "Planning elsewhere", [
      "RECURRENCE-ID:20261110T090000Z",
      "DTSTART:20261110T110000Z",
    ]);
    const series = weekly("three", "Planning", "20261103T090000Z", ["EXDATE:20261117T090000Z"]);
    server.write("work", "three.ics", series.toSpliced(-1, 0, ...changed));
    expect(await syncAndCount()).toEqual({ stored: 0, changed: 2, deleted: 0 });
    const moved = (await world.read()).get('["three","2026-11-10T09:00:00.000Z"]');
    expect(moved).toMatchObject({ title: "Planning elsewhere", starts_at: "2026-11-10T11:00:00Z", is_moved: true });
    expect((await world.read()).get('["three","2026-11-17T09:00:00.000Z"]')).toMatchObject({ status: "cancelled" });
    // From Tuesdays to Wednesdays.
    server.write("work", "three.ics", weekly("three", "Planning", "20261104T090000Z"));
    expect(await syncAndCount()).toEqual({ stored: 4, changed: 0, deleted: 4 });
    expect((await titles()).filter((title) => title.includes("three"))).toEqual(
      ["04", "11", "18", "25"].map((day) => `["three","2026-11-${day}T09:00:00.000Z"] Planning (Work)`),
    );
  });

  it("[COL-114] keeps a record that moves to another calendar, or is in two", async () => {
    const dinner = event("four", "Dinner");
    server.remove("home", "four.ics");
    server.write("work", "four.ics", dinner);
    expect(await syncAndCount()).toEqual({ stored: 0, changed: 1, deleted: 0 });
    expect((await world.read()).get('["four","single"]')).toMatchObject({ calendar: "Work" });
    // Back, against the order in which calendars are read.
    server.remove("work", "four.ics");
    server.write("home", "renamed.ics", dinner);
    expect(await syncAndCount()).toEqual({ stored: 0, changed: 1, deleted: 0 });
    server.write("work", "copy.ics", event("four", "Dinner of the team"));
    expect(await syncAndCount()).toEqual(nothing);
    server.remove("home", "renamed.ics");
    expect(await syncAndCount()).toEqual({ stored: 0, changed: 1, deleted: 0 });
    expect((await world.read()).get('["four","single"]')).toMatchObject({ title: "Dinner of the team" });
    server.remove("work", "copy.ics");
    expect(await syncAndCount()).toEqual({ stored: 0, changed: 0, deleted: 1 });
  });

  it("[COL-112] compares etags when the server refuses its sync tokens", async () => {
    server.write("home", "five.ics", event("five", "Swimming"));
    expect(await syncAndCount()).toEqual({ stored: 1, changed: 0, deleted: 0 });
    server.forgetTokens("home");
    server.write("home", "six.ics", event("six", "Running"));
    server.remove("home", "five.ics");
    const run = await world.sync();
    expect(countChanges(run)).toEqual({ stored: 1, changed: 0, deleted: 1 });
    expect(run.tally.read).toBe(2);
  });

  it("[COL-112] starts over when its files are lost", async () => {
    rmSync(join(world.dataDir, "sources"), { recursive: true });
    server.write("home", "six.ics", event("six", "Running faster"));
    const run = await world.sync();
    expect(countChanges(run)).toEqual({ stored: 0, changed: 1, deleted: 0 });
    expect(run.tally.read).toBe(6);
    server.remove("home", "six.ics");
    expect(await syncAndCount()).toEqual({ stored: 0, changed: 0, deleted: 1 });
    // The key of the deleted one is in files of earlier runs, so its tombstone is sent again.
    const full = await world.sync({ mode: "full_refresh" });
    expect(full).toMatchObject({ status: "succeeded", tally: { read: 6 } });
    expect(countChanges(full)).toEqual(nothing);
  });

  it("[COL-114] follows calendars that are renamed, added and deleted", async () => {
    server.createCalendar("home", "Ours");
    server.createCalendar("club", "Club");
    server.write("club", "match.ics", event("match", "Match"));
    expect(await syncAndCount()).toEqual({ stored: 1, changed: 1, deleted: 0 });
    expect((await world.read()).get('["one","single"]')).toMatchObject({ calendar: "Ours" });
    server.remove("club");
    expect(await syncAndCount()).toEqual({ stored: 0, changed: 0, deleted: 1 });
    expect(await titles()).toHaveLength(5);
  });

  it("[COL-117] says that the password was rejected, and keeps its cursors", async () => {
    const before = await world.sync();
    expect(before.tally.read).toBe(0);
    const run = await world.sync({ password: "wrong" });
    expect(run).toMatchObject({
      status: "failed",
      error: { code: "wrong_credentials", recovery: "refresh_credentials" },
    });
    expect(run.error?.message).toBe(`127.0.0.1:${server.port} rejected the user or password`);
    expect((await world.sync()).tally.read).toBe(0);
  });

  it("[COL-114] keeps what is gone if the source is set to", async () => {
    const keeping = await createDavWorld("caldav", { DAV_URL: server.url, DAV_USER: "ada", DAV_ABSENT: "keep" });
    try {
      await keeping.sync();
      const size = (await keeping.read()).size;
      server.remove("home", "one.ics");
      server.write("work", "three.ics", weekly("three", "Planning", "20261105T090000Z"));
      expect(countChanges(await keeping.sync())).toEqual({ stored: 4, changed: 0, deleted: 4 });
      expect((await keeping.read()).size).toBe(size);
      expect((await keeping.read()).has('["one","single"]')).toBe(true);
    } finally {
      await keeping.drop();
    }
  });

  it("[COL-110] collects only the chosen calendars", async () => {
    const chosen = await createDavWorld("caldav", {
      DAV_URL: server.url,
      DAV_USER: "ada",
      DAV_COLLECTIONS: "Work, Gone",
    });
    try {
      const run = await chosen.sync();
      expect(run.skipped).toMatchObject([
        { reason: "not_found", message: "there is no Gone; the server has: Ours, Work" },
      ]);
      const calendars = [...(await chosen.read()).values()].map(({ calendar }) => calendar);
      expect(new Set(calendars)).toEqual(new Set(["Work"]));
    } finally {
      await chosen.drop();
    }
  });
});
