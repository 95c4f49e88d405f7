import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@pdpp/contract/declaration";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCalendarService, findHorizon } from "#connectors/dav/calendars";
import { collectCollections } from "#connectors/dav/collect-collections";
import { DavClient } from "#connectors/dav/dav-client";
import { discoverCollections } from "#connectors/dav/discover";
import type { ConnectorRun } from "#connectors/kit/run-connector";
import { calendarPath, type FakeServer, startFakeServer } from "./fake-server.ts";
import { component, event } from "./radicale.ts";

describe("a collection of calendars", () => {
  let server: FakeServer;
  let folder: string;
  let cursors: Record<string, Json>;
  beforeEach(async () => {
    server = await startFakeServer();
    folder = mkdtempSync(join(tmpdir(), "pdpp-state-"));
    cursors = {};
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    server.close();
  });

  const put = (name: string, lines: readonly string[]): void => {
    server.objects.set(`${calendarPath}${name}.ics`, { text: lines.join("\r\n"), etag: `"${lines.join()}"` });
    server.ctag = String(Math.random());
  };

  interface Outcome {
    readonly put: string[];
    readonly deleted: string[];
    readonly skipped: string[];
    hasMore: boolean;
  }

  /** Runs at this time; saves its cursors unless it is interrupted. */
  async function collect(now: number, { maxObjects = 10_000, isSaved = true } = {}): Promise<Outcome> {
    const outcome: Outcome = { put: [], deleted: [], skipped: [], hasMore: false };
    const staged: Record<string, Json> = {};
    const nothing = async (): Promise<undefined> => undefined;
    const run: ConnectorRun = {
      isFullRefresh: false,
      cursors,
      stateFolder: folder,
      wants: () => true,
      putRecord: async (_stream, key) => !key.includes("long") && outcome.put.push(key) > 0,
      deleteRecord: async (_stream, key) => void outcome.deleted.push(key),
      saveCursor: async (stream, cursor) => {
        staged[stream] = cursor;
      },
      showProgress: nothing,
      skip: async (_stream, reason, message) => void outcome.skipped.push(`${reason}: ${message}`),
      requestNextRun: async () => {
        outcome.hasMore = true;
      },
      canPutBlobs: false,
      putBlob: nothing,
    };
    const horizon = findHorizon(now);
    const service = createCalendarService(undefined, horizon);
    const client = new DavClient(new URL(server.url), undefined);
    const found = await discoverCollections(client, service, [`${server.url}.well-known/caldav`]);
    const options = { wanted: found, found, keepsAbsent: false, horizon, maxObjects };
    await collectCollections(run, client, service, options);
    if (isSaved) cursors = { ...cursors, ...staged };
    return outcome;
  }

  it("[COL-113] expands rules without an end as months pass, and reads nothing else again", async () => {
    const rule = "DTSTART:20260101T090000Z";
    put("endless", event("endless", "Rent", [rule, "RRULE:FREQ=MONTHLY"]));
    put("ended", event("ended", "Course", [rule, "RRULE:FREQ=MONTHLY;UNTIL=20260601T000000Z"]));
    put("single", event("single", "Dentist"));
    const october = await collect(Date.UTC(2026, 9, 5));
    expect(october.put).toHaveLength(34 + 5 + 1 + 1);
    expect(await collect(Date.UTC(2026, 9, 31))).toMatchObject({ put: [], deleted: [], hasMore: false });
    server.seen.length = 0;
    const november = await collect(Date.UTC(2026, 10, 1));
    const added = november.put.filter((key) => !october.put.includes(key));
    expect(added).toEqual(['["endless","2028-12-01T09:00:00.000Z"]']);
    expect(november.deleted).toEqual([]);
    const downloads = server.seen.flatMap(({ body }) =>
      [...body.matchAll(/<d:href>([^<]*)</g)].map(([, href]) => href),
    );
    expect(downloads).toEqual([`${calendarPath}endless.ics`]);
  });

  it("[COL-115] saves long collections on the way, and deletes only when all is read", async () => {
    const now = Date.UTC(2026, 10, 5);
    for (let n = 0; n < 950; n += 1) put(`e${String(n).padStart(3, "0")}`, event(`e${n}`, `Event ${n}`));
    const all = new Set<string>();
    for (let runs = 1; ; runs += 1) {
      const { put: keys, hasMore } = await collect(now, { maxObjects: 400 });
      for (const key of keys) all.add(key);
      // An interrupted run in between changes nothing.
      await collect(now, { maxObjects: 200, isSaved: false });
      if (!hasMore) {
        expect(runs).toBe(3);
        break;
      }
    }
    expect(all.size).toBe(950);
    for (const name of ["e000", "e500"]) server.objects.delete(`${calendarPath}${name}.ics`);
    for (let n = 100; n < 600; n += 1) put(`e${n}`, event(n === 500 ? "e0" : `e${n}`, `Changed ${n}`));
    const first = await collect(now, { maxObjects: 200 });
    expect(first).toMatchObject({ deleted: [], hasMore: true });
    expect(first.put).toHaveLength(200);
    const rest = [await collect(now, { maxObjects: 200 }), await collect(now, { maxObjects: 200 })];
    expect(rest.map(({ hasMore }) => hasMore)).toEqual([true, false]);
    // e0 is now in another object, and e500 in none.
    expect(rest.flatMap(({ deleted }) => deleted)).toEqual(['["e500","single"]']);
    expect(await collect(now)).toMatchObject({ put: [], deleted: [], hasMore: false });
  });

  it("[COL-117] names a record that is too long for the protocol, and goes on", async () => {
    put("long", event("long", "Long"));
    put("short", event("short", "Short"));
    const { put: keys, skipped } = await collect(Date.UTC(2026, 10, 5));
    expect(keys).toEqual(['["short","single"]']);
    expect(skipped).toEqual(["too_long: Main, long: it is longer than 16 MiB"]);
  });

  it("[COL-113] keeps ids that are names of JavaScript's own", async () => {
    const odd = ["constructor", "__proto__", "toString"];
    for (const uid of odd) put(uid, event(uid, uid));
    put("series", [
      ...event("valueOf", "Series", ["DTSTART:20261101T090000Z", "RRULE:FREQ=DAILY;COUNT=2"]).slice(0, -1),
      ...component("valueOf", "Moved", ["RECURRENCE-ID:20261102T090000Z", "DTSTART:20261102T100000Z"]),
      "END:VCALENDAR",
    ]);
    const now = Date.UTC(2026, 10, 5);
    expect((await collect(now)).put).toHaveLength(5);
    server.objects.clear();
    server.ctag = "empty";
    expect((await collect(now)).deleted).toHaveLength(5);
  });
});
