import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { addPictureSources, addTracks } from "@pdpp/test-support/vaults/pictures";
import { createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

describe.each(surfaceEngines)("places, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    await addPictureSources(vault);
    await addTracks(vault);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  const api = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  const issue = async (fields: string[]): Promise<string> => {
    const streams = [{ name: "activities", connection_ids: ["watch"], fields }];
    const sources = [{ connector_key: "tracks", streams }];
    return (await api().grants.issue({ client: { name: "Reader" }, sources })).grants[0]?.grant_id ?? "";
  };
  const putTrack = (id: string, more: object): Promise<unknown> =>
    putRecords(vault, "watch", "activities", [
      { data: { id, name: id, kind: "track", started_at: "2024-05-01T08:00:00Z", distance_unit: "m", ...more } },
    ]);
  const deleteTrack = (record_id: string): Promise<unknown> =>
    api().records.delete({ stream: "activities", connection_id: "watch", record_id });

  /** Those without a date are looked for in the background. */
  const openWithUndated = async (): Promise<string> => {
    let html = "";
    const open = async () => {
      html = (await owner.open(`${site}/places`)).html;
      return html;
    };
    await expect.poll(open).toContain(">Planned<");
    return html;
  };

  it("[CSL-128] draws the newest track and lists all, with distance and duration in words", async () => {
    const html = await openWithUndated();
    for (const words of ["Round the island", "11.8 km", "4 h 42 min", "Ferry &lt;b&gt;", "6.7 km", "1 h 10 min"])
      expect(html).toContain(words);
    expect(html.match(/class="track chosen" d="M[\d. LM-]+"/g)).toHaveLength(1);
    expect(html.match(/class="track other"/g)).toHaveLength(2);
    expect(html.match(/class="track gap other"/g)).toHaveLength(1);
    expect(html).toMatch(/<circle class="start"[^>]*><\/circle><circle class="end"/);
    expect(html).toContain("310 m climb");
    expect(html).toContain("no map is loaded from elsewhere");
    expect(html).not.toMatch(/NaN|Infinity|https?:\/\/(?!localhost)/);
    expect(Buffer.byteLength(html)).toBeLessThan(200_000);
  });

  it("[CSL-128] chooses another track, and a month", async () => {
    const page = await owner.open(`${site}/places`);
    const ferry = await owner.open(findLink(page, "Ferry"));
    expect(ferry.html).toContain('<li class="chosen"><a href="places?id=watch%2Factivities%3AFerry');
    const june = await owner.open(`${site}/places?month=2026-06`);
    expect(june.html).toContain("Only a start");
    expect(june.html).not.toContain("Round the island");
    expect((await owner.open(`${site}/places?month=2020-01`)).html).toContain("Nothing in January 2020.");
    expect((await owner.open(`${site}/places?month=x&show=places`)).status).toBe(200);
  });

  it("[CSL-128] survives hostile coordinates and lines of 100,000 points", async () => {
    const line = Array.from({ length: 100_000 }, (_, n) => [n % 2 === 0 ? 1e300 : (n % 90) - 45, (n % 360) - 180]);
    await putTrack("huge", { name: "Huge", started_at: "2027-01-02T00:00:00Z", line });
    const { html, status } = await owner.open(`${site}/places`);
    expect(status).toBe(200);
    expect(html).toContain("Huge");
    expect(html).not.toMatch(/NaN|Infinity|1e300/);
    expect(Buffer.byteLength(html)).toBeLessThan(200_000);
    const nowhere = await owner.open(`${site}/places?id=${encodeURIComponent("watch/activities:Nowhere")}`);
    expect(nowhere.url).toContain("/record?id=");
    await deleteTrack("huge");
  });

  const openTrack = async (name: string): Promise<string> =>
    (await owner.open(`${site}/places?id=${encodeURIComponent(`watch/activities:${name}`)}`)).html;
  const readStops = (html: string): [number, number, string][] =>
    JSON.parse((/data-stops="([^"]*)"/.exec(html)?.[1] ?? "[]").replaceAll("&quot;", '"'));

  it("[CSL-129] has a height profile with a slider over its time", async () => {
    const html = await openTrack("Round the island");
    expect(html).toMatch(/<path class="profile-area" d="M0\.0 44\.0L[\d. LZ]+"/);
    expect(html).toContain("Height: 5 m to 64 m.");
    const stops = readStops(html);
    expect(stops).toHaveLength(60);
    expect(stops[0]?.[2]).toBe("06:50, height 5 m, 0 m so far");
    expect(stops.at(-1)?.[2]).toBe("11:32, height 64 m, 11.8 km so far");
  });

  it("[CSL-129] has a table of a few points, which needs no scripts, and a slider that scripts reveal", async () => {
    const html = await openTrack("Round the island");
    expect(html).toMatch(/<input id="along" type="range" hidden/);
    const table = /<details class="track-table" open[\s\S]*?<\/details>/.exec(html)?.[0] ?? "";
    expect(table.match(/<tr>/g)).toHaveLength(6);
    for (const words of ["Start", "06:50", "5 m", "End", "11:32", "64 m", "11.8 km"]) expect(table).toContain(words);
  });

  it("[CSL-129] estimates times that were not recorded, and says what is missing", async () => {
    const ferry = await openTrack("Ferry <b>");
    const stops = readStops(ferry);
    expect(stops[0]?.[2]).toBe("About 09:00, 0 m so far");
    expect(ferry).toContain("No heights or times were recorded on the way.");
    expect(ferry).toContain("Time, estimated");
    const planned = await openTrack("Planned");
    expect(readStops(planned)[0]?.[2]).toBe("0 m so far");
  });

  it("[CSL-129] draws the speed if there are times but no heights", async () => {
    const line = Array.from({ length: 30 }, (_, n) => [47 + n / 1000, 2]);
    const line_seconds = line.map((_, n) => n * 60 + (n < 15 ? 0 : 1200));
    await putTrack("Speedy", { line, line_seconds, line_gaps: [15] });
    const html = await openTrack("Speedy");
    expect(readStops(html).some(([, , text]) => /^08:2\d, not recorded, 1\.6 km so far$/.test(text))).toBe(true);
    expect(html).toContain("Speed: up to 6.7 km/h. No heights were recorded.");
    expect(html).toContain('class="profile-line"');
    expect(html).not.toContain("profile-area");
    await deleteTrack("Speedy");
  });

  it("[CSL-129] survives hostile heights and times, and sends at most 120 positions", async () => {
    const line = Array.from({ length: 3000 }, (_, n) => [47 + n / 10_000, 2]);
    await putTrack("Hostile", {
      line,
      line_heights: [1e308, null, -1e308, ...line.map((_, n) => (n % 7 === 0 ? 12 : 1e300))],
      line_seconds: line.map((_, n) => (n % 4 === 0 ? -n : n * 1e6)),
      line_gaps: [-1, 12, 2999, 1_000_000],
    });
    const html = await openTrack("Hostile");
    expect(html).not.toMatch(/NaN|Infinity|1e\+?30/);
    const stops = readStops(html);
    expect(stops).toHaveLength(120);
    expect(Buffer.byteLength(html)).toBeLessThan(200_000);
    await deleteTrack("Hostile");
  });

  it("[CSL-151] lists tracks without a date last, counts them, and shows them like a month", async () => {
    const html = await openWithUndated();
    const list = html.slice(html.indexOf('class="track-list"'));
    expect([...list.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, words]) => words)).toEqual([
      "July 2026",
      "June 2026",
      "May 2026",
      "No date",
    ]);
    expect(list.indexOf(">Planned<")).toBeGreaterThan(list.indexOf("No date"));
    expect(html).toContain("5 tracks");
    expect(html).toMatch(/<option value="none">No date \(1\)/);
    const undated = (await owner.open(`${site}/places?month=none`)).html;
    expect(undated).toContain("Planned");
    expect(undated).not.toContain("Round the island");
    expect(await openTrack("Planned")).toMatch(/<option value="none" selected/);
  });

  it("[CSL-151] finds those without a date among more dated ones than a page has", async () => {
    const at = (n: number): string => new Date(Date.UTC(2025, 0, 1) + n * 3_600_000).toISOString();
    const data = (n: number) => ({ id: `m${n}`, name: `m${n}`, kind: "track", started_at: at(n), distance_unit: "m" });
    const many = Array.from({ length: 250 }, (_, n) => ({ data: data(n) }));
    await putRecords(vault, "watch", "activities", many);
    const undated = async () => (await owner.open(`${site}/places?month=none`)).html;
    await expect.poll(undated).toContain("Planned");
    expect(findLink(await owner.open(`${site}/places`), "1 track without a date")).toContain("month=none");
    for (const { data: each } of many) await deleteTrack(each.id);
  });

  it("[CSL-128] shows only what a grant includes", async () => {
    const drawn = await owner.open(`${site}/as/${await issue(["id", "name", "started_at", "line"])}/places`);
    expect(drawn.html).toContain("track chosen");
    // The distance is measured along the line, because the recorded one is not granted.
    expect(drawn.html).not.toMatch(/<span>11\.8 km|4 h 42 min|310 m /);
    // Neither are the heights, the times and the end.
    expect(drawn.html).not.toMatch(/height 5 m|Height: |11:32|profile-area|profile-line/);
  });

  it("[CSL-152] shows no map under a grant without coordinates, and says why", async () => {
    const named = await issue(["id", "name", "started_at"]);
    const page = await owner.open(`${site}/as/${named}/places`);
    expect(page.html).toContain("There is no map, because this access does not include coordinates.");
    expect(page.html).not.toContain('<svg class="map"');
    expect(page.html).toContain("5 tracks");
    const table = await owner.open(findLink(page, "Activities"));
    expect(table.html).toContain("Round the island");
    expect(table.url).toContain(`/as/${named}/stream`);
  });

  it("[CSL-151] lists everything under No date if the grant does not include dates", async () => {
    const { html } = await owner.open(`${site}/as/${await issue(["id", "name", "line"])}/places`);
    expect(html).toContain("<h2>No date</h2>");
    expect(html).not.toMatch(/July|June|2026-|06:50/);
  });
});
