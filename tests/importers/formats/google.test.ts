import { formats } from "@pdpp/importers/formats";
import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { deriveId } from "#importers/core/identity";
import { readFixtureFiles, selectRecords, selectRejected } from "../fixtures/fixture-files.ts";
import { createMemoryTree } from "../support.ts";

describe("[IMP-11] Google Timeline from Takeout", () => {
  const duration = { startTimestamp: "2022-01-01T08:00:00Z", endTimestamp: "2022-01-01T12:00:00Z" };
  const buildMonth = (...timelineObjects: object[]) => ({ "2022_JANUARY.json": JSON.stringify({ timelineObjects }) });

  it("includes the points of a trip's path", async () => {
    const points = [
      { latE7: 481200000, lngE7: -115200000, accuracyMeters: 12, timestamp: "2022-01-01T08:10:00Z" },
      { latE7: 481300000, lngE7: -115300000, accuracyMeters: 9, timestampMs: "1641025200000" },
    ];
    const trip = { duration, distance: 1234, activityType: "WALKING", simplifiedRawPath: { points } };
    expect(
      selectRecords(await readFixtureFiles(buildMonth({ activitySegment: trip }), "google-timeline"), "points"),
    ).toMatchObject([
      { at: "2022-01-01T08:10:00Z", latitude: 48.12, longitude: -11.52, source: "path" },
      { at: "2022-01-01T08:20:00.000Z", latitude: 48.13, longitude: -11.53, source: "path" },
    ]);
  });

  it("reads nested places as visits, and uses the visit's center for a place without coordinates", async () => {
    const within = { location: { latitudeE7: 482000000, longitudeE7: 116000000, name: "Cafe" }, duration };
    const items = await readFixtureFiles(
      buildMonth({
        placeVisit: {
          location: { placeId: "ChIJx", name: "Station" },
          duration,
          centerLatE7: 481000000,
          centerLngE7: 115000000,
          childVisits: [within],
        },
      }),
      "google-timeline",
    );
    expect(selectRejected(items)).toEqual([]);
    expect(selectRecords(items, "visits")).toMatchObject([
      { place: "Station", latitude: 48.1, longitude: 11.5 },
      { place: "Cafe", latitude: 48.2, longitude: 11.6 },
    ]);
  });
});

describe("[IMP-11] Google activity", () => {
  const buildPage = (...contents: string[]): string => {
    const buildCell = (content: string): string =>
      `<div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell mdl-cell"><p class="mdl-typography--title">Gemini Apps<br></p></div>` +
      `<div class="content-cell mdl-cell mdl-typography--body-1">${content}</div>` +
      `<div class="content-cell mdl-cell mdl-typography--body-1 mdl-typography--text-right"></div>` +
      `<div class="content-cell mdl-cell mdl-typography--caption"><b>Products:</b><br>&emsp;Gemini Apps<br></div></div></div>`;
    return `<html><body><div class="mdl-grid">${contents.map(buildCell).join("")}</div></body></html>`;
  };

  it("includes Gemini's answers, from JSON and from HTML", async () => {
    const event = {
      header: "Gemini Apps",
      title: "Prompted How long do eggs take?",
      time: "2024-01-15T10:00:00.123Z",
      products: ["Gemini Apps"],
      safeHtmlItem: [{ html: "<p>Soft &amp; warm: <b>six</b> minutes.</p><p>Hard: ten.</p>" }],
    };
    const read = async (files: Record<string, string>) =>
      selectRecords(await readFixtureFiles(files, "google-activity"), "events");
    expect(await read({ "MyActivity.json": JSON.stringify([event]) })).toMatchObject([
      { title: event.title, text: "Soft & warm: six minutes.\n\nHard: ten." },
    ]);
    const html =
      "Prompted\u00a0How long do eggs take?<br>Jan 15, 2024, 10:00:00\u202fAM UTC<br><p>Soft &amp; warm: <b>six</b> minutes.</p><p>Hard: ten.</p>";
    expect(await read({ "MyActivity.html": buildPage(html) })).toMatchObject([
      { title: event.title, happened_at: "2024-01-15T10:00:00.000Z", text: "Soft & warm: six minutes.\nHard: ten." },
    ]);
  });

  it.each([
    ["Watched <a>a film</a><br>Jan 31, 2018, 10:54:50 PM", ["time_zone"]],
    ["Watched <a>a film</a><br>31 Jan 2018, 22:54:50 IST<br>", ["time_zone"]],
    ["Watched <a>a film</a><br>31 Jan 2018, 22:54:50 GMT<br>", []],
  ])("[IMP-10] asks for the time zone if the page does not name it: %s", async (content, questions) => {
    const { claims } = await detect(createMemoryTree({ "watch-history.html": buildPage(content) }, 0), formats);
    expect(claims.flatMap(({ claim }) => claim.questions.map(({ key }) => key))).toEqual(questions);
  });
});

it("[IMP-11] Google Chat: tells files with the same name apart, and finds one with a truncated name", async () => {
  const long = "Minutes of the meeting about the new roof of the house.pdf";
  const buildMessage = (n: number, name: string): object => ({
    creator: { name: "Bob" },
    created_date: `Friday, July 7, 2023 at 10:2${n}:28 AM UTC`,
    attached_files: [{ original_name: name, export_name: `File-${name}` }],
    topic_id: `t${n}`,
    message_id: `AAA/t${n}/t${n}`,
  });
  const messages = ["image.png", "image.png", "a?b.png", long, "image.png"].map((name, n) => buildMessage(n, name));
  const items = await readFixtureFiles(
    {
      "Groups/DM AAA/messages.json": JSON.stringify({ messages }),
      "Groups/DM AAA/File-image.png": "1",
      "Groups/DM AAA/File-image(1).png": "22",
      "Groups/DM AAA/File-a_b.png": "333",
      [`Groups/DM AAA/File-${long.slice(0, 45)}.pdf`]: "4444",
    },
    "google-chat",
  );
  expect(selectRecords(items, "attachments").map(({ name, size_bytes: size }) => [name, size])).toEqual([
    ["image.png", 1],
    ["image.png", 2],
    ["a?b.png", 3],
    [long, 4],
    ["image.png", null],
  ]);
});

it("[IMP-11] reads Chrome's history from Takeout with the same ids as from Chrome's own database", async () => {
  const visits = [
    { page_transition: "LINK", title: "Example", url: "https://example.org/?token=abc", time_usec: 1700000000123456 },
    {
      page_transition_qualifier: "CLIENT_REDIRECT",
      title: "",
      url: "https://example.org/b",
      time_usec: 1700000001000000,
    },
    { title: "never", url: "https://example.org/c" },
  ];
  const items = await readFixtureFiles(
    { "Chrome/Verlauf.json": JSON.stringify({ "Browser History": visits, "Typed Url": [] }) },
    "browser-history",
  );
  expect(selectRecords(items, "events")).toMatchObject([
    {
      id: deriveId("visit", "chromium", "13344473600123456", "https://example.org/?token=abc"),
      title: "Example",
      url: "https://example.org/?token=…",
      happened_at: "2023-11-14T22:13:20.123Z",
      details: ["link"],
    },
    { title: "https://example.org/b", details: ["redirect"] },
  ]);
  expect(selectRejected(items).map(({ code }) => code)).toEqual(["not_a_visit"]);
});
