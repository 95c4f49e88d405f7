import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryTree, importTree } from "../../importers/support.ts";
import { countChanges, createDavWorld, type DavWorld } from "./dav-world.ts";
import {
  component,
  contact,
  event,
  hasRadicale,
  password,
  type Radicale,
  radicaleMissing,
  startRadicale,
} from "./radicale.ts";

const modified = (day: number): string => `LAST-MODIFIED:202610${String(day).padStart(2, "0")}T000000Z`;
const photo = Buffer.from("not a picture, but bytes").toString("base64");

describe.skipIf(!hasRadicale)(`an export and its live source${hasRadicale ? "" : ` (${radicaleMissing})`}`, () => {
  let server: Radicale;
  beforeAll(async () => {
    server = await startRadicale();
    server.createCalendar("home", "Home");
    server.createAddressBook("people");
    server.write("home", "one.ics", event("one", "Dentist", ["DTSTART:20261103T090000Z", modified(1)]));
    const series = ["DTSTART;TZID=Europe/Berlin:20261103T090000", "RRULE:FREQ=WEEKLY", modified(1)];
    const moved = ["RECURRENCE-ID;TZID=Europe/Berlin:20261110T090000", "DTSTART;TZID=Europe/Berlin:20261110T110000"];
    server.write(
      "home",
      "two.ics",
      event("two", "Choir", series).toSpliced(-1, 0, ...component("two", "Choir concert", moved)),
    );
    server.write(
      "home",
      "three.ics",
      event("three", "Holiday", ["DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227"]),
    );
    server.write(
      "people",
      "ada.vcf",
      contact("ada", "Ada", ["EMAIL;TYPE=home:ada@example.org", `PHOTO;ENCODING=b;TYPE=JPEG:${photo}`]),
    );
    server.write("people", "bo.vcf", contact("bo", "Bo", ["TEL;TYPE=cell:+49 30 1234", "BDAY:1990-01-02"]));
  });
  afterAll(() => server.stop());

  /** The whole collection as one file, as its server exports it. */
  async function download(collection: string): Promise<string> {
    const authorization = `Basic ${Buffer.from(`ada:${password}`).toString("base64")}`;
    return (await fetch(`${server.url}ada/${collection}/`, { headers: { authorization } })).text();
  }
  const importFile = (world: DavWorld, file: string, text: string, modifiedAt = Date.now()) =>
    importTree(world.owner, createMemoryTree({ [file]: text }, modifiedAt));
  const open = (builtin: "caldav" | "carddav"): Promise<DavWorld> =>
    createDavWorld(builtin, { DAV_URL: server.url, DAV_USER: "ada" });

  it.each([
    ["caldav", "home", "home.ics", 100],
    ["carddav", "people", "people.vcf", 2],
  ] as const)("[COL-116] are one set of records in either order, with %s", async (builtin, collection, file, least) => {
    const [first, second] = [await open(builtin), await open(builtin)];
    try {
      const text = await download(collection);
      await first.sync();
      const live = await first.read();
      expect(live.size).toBeGreaterThanOrEqual(least);
      const [after] = await importFile(first, file, text);
      const counts = Object.values(after?.streams ?? {});
      expect(counts).toMatchObject([{ stored: 0, changed: 0 }]);
      expect(await first.read()).toEqual(live);

      await importFile(second, file, text);
      const imported = await second.read();
      const run = await second.sync();
      expect(run).toMatchObject({ status: "succeeded" });
      expect(countChanges(run)).toMatchObject({ changed: 0, deleted: 0 });
      expect(await second.read()).toEqual(live);
      // Endless rules reach a few days further in the live source.
      for (const [key, data] of imported) expect(live.get(key)).toEqual(data);
      expect((await first.sync()).tally.read).toBe(0);
    } finally {
      await first.drop();
      await second.drop();
    }
  });

  it("[COL-116] keeps live records when an older export is imported", async () => {
    const world = await open("caldav");
    try {
      const before = await download("home");
      server.write("home", "one.ics", event("one", "Dentist tomorrow", ["DTSTART:20261104T090000Z", modified(2)]));
      await world.sync();
      const live = await world.read();
      await importFile(world, "old.ics", before, Date.UTC(2026, 9, 5));
      expect(await world.read()).toEqual(live);
      // Without modification times the export cannot look newer either.
      await importFile(world, "undated.ics", before.replace(/LAST-MODIFIED:.*\r\n/g, ""), Date.UTC(2026, 9, 6));
      expect(await world.read()).toEqual(live);
    } finally {
      await world.drop();
    }
  });

  it("[COL-116] deletes an imported record whose event was deleted after a live run", async () => {
    const world = await open("caldav");
    try {
      server.write("home", "four.ics", event("four", "Dinner"));
      await importFile(world, "home.ics", await download("home"));
      await world.sync();
      server.remove("home", "four.ics");
      expect(countChanges(await world.sync())).toEqual({ stored: 0, changed: 0, deleted: 1 });
    } finally {
      await world.drop();
    }
  });
});
