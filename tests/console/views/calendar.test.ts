import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { findElement, findElements, getText, hasTag, parseDocument } from "@pdpp/test-support/web/dom";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

const text = { type: ["string", "null"] };
const time = { type: ["string", "null"], format: "date-time" };
const range = ["gte", "gt", "lte", "lt"];

const manifest: JsonObject = {
  connector_key: "agenda",
  version: "1",
  display_name: "Agenda",
  streams: [
    {
      name: "events",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "begins",
      consent_time_field: "begins",
      presentation: {
        kind: "event",
        fields: { end: "ends", all_day: "whole", place: "room", recurrence: "rule", series: "of", status: "state" },
      },
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          begins: { ...time, x_pdpp_role: "event-time" },
          ends: time,
          whole: { type: "boolean" },
          subject: { ...text, x_pdpp_role: "primary-title" },
          room: text,
          rule: text,
          of: text,
          state: text,
        },
      },
      query: { range_filters: { begins: range, ends: range }, aggregations: { count: true } },
    },
  ],
};

const lookUp = `<script>alert("calendar")</script>`;

describe.each(surfaceEngines)("the calendar, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await vault.store.register(parseManifest(manifest), now);
    for (const id of ["home", "work", "busy", "past"])
      await addConnection(vault.store, 1, { connectorKey: "agenda", id, label: id }, now);
    await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).setTimeZone("Europe/Berlin");
    const buildEvent = (id: string, begins: string, ends: string | null, subject: string, more: JsonObject = {}) => ({
      data: { id, begins, ends, subject, whole: false, ...more },
    });
    const rule = { rule: "FREQ=WEEKLY;BYDAY=WE", of: "piano" };
    await putRecords(vault, "home", "events", [
      buildEvent("p1", "2026-10-07T14:30:00Z", "2026-10-07T15:10:00Z", "Piano", rule),
      buildEvent("p2", "2026-10-14T14:30:00Z", "2026-10-14T15:10:00Z", "Piano", rule),
      buildEvent("late", "2026-10-27T23:30:00Z", "2026-10-28T00:30:00Z", "Late show", { room: "Club" }),
      buildEvent("trip", "2026-09-20T00:00:00Z", "2026-10-03T00:00:00Z", "Trip", { whole: true }),
      buildEvent("off", "2026-10-20T08:00:00Z", "2026-10-20T09:00:00Z", "Dentist", { state: "cancelled" }),
      buildEvent("odd", "2026-10-21T08:00:00Z", "1900-01-01T00:00:00Z", lookUp),
      buildEvent("ever", "2026-10-30T08:00:00Z", "9999-12-31T23:59:59Z", "For ever"),
      buildEvent("far", "9999-12-31T10:00:00Z", null, "Far away"),
      buildEvent("old", "2024-05-03T10:00:00Z", null, "Long ago"),
    ]);
    await putRecords(vault, "work", "events", [
      buildEvent("w1", "2026-10-07T14:00:00Z", "2026-10-07T16:00:00Z", "Design review"),
    ]);
    await putRecords(vault, "past", "events", [
      buildEvent("e1", "1999-02-03T10:00:00Z", null, "Earlier"),
      buildEvent("e2", "2001-02-03T10:00:00Z", null, "Later"),
    ]);
    const many = Array.from({ length: 1000 }, (_, i) =>
      buildEvent(`m${i}`, `2026-08-${String(1 + (i % 28)).padStart(2, "0")}T10:00:00Z`, null, `Meeting ${i}`),
    );
    await putRecords(vault, "busy", "events", many);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  const open = async (query: string, base = "") => {
    const page = await owner.open(`${site}${base}/calendar?${query}`);
    expect(page.status).toBe(200);
    const document = parseDocument(page.html);
    const listDay = (day: string): string[] => {
      const link = `href="day/${day}"`;
      const at = page.html.indexOf(link);
      const cell = page.html.slice(at, page.html.indexOf("day-name", at + link.length));
      return [
        ...cell.matchAll(/class="event-when">([^<]*)<\/span> <span class="event-what">(?:<s>)?<bdi>([^<]*)/g),
      ].map(([, when, what]) => `${when} ${what}`);
    };
    return { ...page, document, listDay, heading: getText(findElement(document, hasTag("h1")) ?? document) };
  };

  it("[CSL-116] shows the events of a month on their days in the owner's zone", async () => {
    const page = await open("source=home&month=2026-10");
    expect(page.heading).toBe("October 2026");
    expect(page.html).toContain("Times shown in Europe/Berlin.");
    expect(page.listDay("2026-10-07")).toEqual(["16:30 Piano"]);
    // 23:30 UTC is after midnight in Berlin.
    expect(page.listDay("2026-10-27")).toEqual([]);
    expect(page.listDay("2026-10-28")).toEqual(["00:30 Late show"]);
    expect(page.listDay("2026-10-02")).toEqual(["until 2 Oct Trip"]);
    expect(page.listDay("2026-10-03")).toEqual([]);
    expect(findElements(page.document, hasTag("ol", "calendar-days")).length).toBe(1);
    const [previous, next] = [
      await owner.open(findLink(page, "Previous month")),
      await owner.open(findLink(page, "Next month")),
    ];
    expect([previous.url, next.url]).toEqual([
      expect.stringContaining("month=2026-09"),
      expect.stringContaining("month=2026-11"),
    ]);
  });

  it("[CSL-116] shows a week by hours, and all calendars together or one", async () => {
    const week = await open("week=2026-10-08");
    expect(week.heading).toBe("5 to 11 October 2026");
    const slots = [...week.html.matchAll(/<foreignObject x="([^"]+)" y="(\d+)" width="([^"]+)"/g)].map(
      ([, ...at]) => at,
    );
    expect(slots).toEqual([
      ["0.00%", "480", "50.00%"],
      ["50.00%", "510", "50.00%"],
    ]);
    for (const shown of ["Piano", "Design review"]) expect(week.html).toContain(shown);
    const work = await owner.open(findLink(week, "work"));
    expect(work.html).toContain("Design review");
    expect(work.html).not.toContain("Piano");
    const month = await open(new URL(findLink(week, "Month")).search.slice(1));
    expect(month.heading).toBe("October 2026");
  });

  it("[CSL-117] lists a recurring event once with its rule, and strikes a cancelled one through", async () => {
    const page = await open("source=home&month=2026-10");
    const recurring = findElement(page.document, hasTag("section", "repeating"));
    const items = recurring === undefined ? [] : findElements(recurring, hasTag("li")).map(getText);
    expect(items).toEqual(["Piano every Wednesday"]);
    expect(page.html).toContain("<s><bdi>Dentist</bdi></s>");
    const record = await owner.open(findLink(page, "Piano"));
    expect(record.html).toContain(">every Wednesday</data>");
  });

  it("[CSL-118] bounds a month of a thousand events and says how many there are", async () => {
    const page = await open("source=busy&month=2026-08");
    expect(page.html).toContain("1,000 events, the first 400 shown");
    expect(page.html).toMatch(/\d+ more<\/a>/);
    expect(page.html.length).toBeLessThan(200_000);
  });

  it("[CSL-118] shows hostile events and dates", async () => {
    const page = await open("source=home&month=2026-10");
    expect(page.html).not.toContain("<script>alert");
    expect(page.html).toContain("&lt;script&gt;alert");
    expect(page.html).toContain("For ever");
    expect((await open("source=home&month=9998-12")).html).toContain("Next event: 31 December 9999");
    for (const query of [
      "month=2026-13",
      "month=x",
      "week=2026-02-31",
      "week=",
      "month=0000-00",
      "month=9999-12",
      "week=9999-12-31",
      "month=1000-01",
    ])
      expect((await open(query)).heading).not.toContain("Invalid");
  });

  it("[CSL-171] opens on the nearest month with events, unless the URL says which month", async () => {
    const page = await open("source=past");
    expect(page.heading).toBe("February 2001");
    expect(page.listDay("2001-02-03")).toEqual(["11:00 Later"]);
    const month = new Date().toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "Europe/Berlin" });
    expect(page.html).toContain(`No events in ${month}.`);
    const today = await owner.open(findLink(page, "Today"));
    expect(today.html).toContain("Previous event: 3 February 2001");
    expect(today.html).not.toContain("nearest month");
  });

  it("[CSL-116] leads from an empty month to the nearest events", async () => {
    const page = await open("source=home&month=2025-01");
    expect(page.html).toContain("No events");
    expect((await owner.open(findLink(page, "Previous event: 3 May 2024"))).url).toContain("month=2024-05");
    expect((await owner.open(findLink(page, "Next event: 20 September 2026"))).url).toContain("month=2026-09");
  });

  it("[CSL-116] shows an agent's calendar without what it may not see", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const streams = [{ name: "events", fields: ["id", "begins", "ends"], connection_ids: ["home"] }];
    const { grants } = await api.grants.issue({
      client: { name: "R" },
      sources: [{ connector_key: "agenda", streams }],
    });
    const page = await open("month=2026-10", `/as/${grants[0]?.grant_id}`);
    expect(page.listDay("2026-10-07")).toEqual(["16:30 Busy"]);
    expect(page.html).not.toMatch(/Piano|Club|every Wednesday|Design/);
    const table = await owner.open(findLink(page, "Busy"));
    expect(table.url).toContain(`/as/${grants[0]?.grant_id}/record`);
  });

  it("[CSL-116] is linked from the table of a stream of events", async () => {
    const table = await owner.open(`${site}/stream?source=home&stream=events`);
    expect((await owner.open(findLink(table, "Calendar"))).status).toBe(200);
    expect(table.html).toContain('href="calendar?source=home&amp;stream=events"');
  });
});
