import type { OwnerApi } from "@pdpp/contract/owner";
import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { spotify } from "#importers/formats/spotify/spotify";
import type { Files } from "../generators/generator.ts";
import { createMemoryTree, importTree, indexContent, listRecords, openOwner, sumReports } from "../support.ts";

const then = Date.UTC(2026, 0, 1);
const later = Date.UTC(2026, 5, 1);

const formatSample = (device: string, created: string, children = ""): string =>
  `<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Health" device="${device}" unit="count/min" creationDate="2024-01-01 ${created} +0100" startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:00:00 +0100" value="61">${children}</Record>`;

const wrapHealth = (...elements: readonly string[]): Files => ({
  "export.xml": `<?xml version="1.0"?><HealthData locale="en"><ExportDate value="2024-02-01 10:00:00 +0100"/>${elements.join("\n")}</HealthData>`,
});

const watch = formatSample("name:Watch", "10:00:09");
const strap = formatSample("name:Strap", "10:00:07", '<MetadataEntry key="a" value="1"/>');
const reading = formatSample("", "10:00:07");

const play = {
  ts: "2024-01-01T10:00:00Z",
  ms_played: 0,
  master_metadata_track_name: "Song",
  spotify_track_uri: "spotify:track:1",
};
const plays = ["android", "ios", "web"].map((platform) => ({ ...play, platform }));

const formatMail = (body: string, list: string, file: string): string =>
  [
    "Message-ID: <same@example.org>",
    "From: Ada <ada@example.org>",
    "Subject: Minutes",
    "Date: Mon, 1 Jan 2024 10:00:00 +0000",
    ...(list === "" ? [] : [`List-Id: <${list}>`]),
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    body,
    "--b",
    'Content-Type: text/csv; name="a.csv"',
    'Content-Disposition: attachment; filename="a.csv"',
    "",
    file,
    "--b--",
    "",
  ].join("\n");

const mails: Files = {
  "1.eml": formatMail("As agreed.", "", "one,1"),
  "2.eml": formatMail("As agreed.\n--\nlist footer", "", "two,2"),
  "3.eml": formatMail("As agreed.", "team.example.org", "three,3"),
};

/** The same files in the opposite order. */
const reverse = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, content], n) => [`${9 - n}-${path}`, content]));

describe.each(engineNames)("[IMP-27] on %s", (engine) => {
  const withOwner = async <T>(work: (owner: OwnerApi) => Promise<T>): Promise<T> => {
    const vault = await createVault(engine);
    try {
      return await work(await openOwner(vault, () => later));
    } finally {
      await vault.drop();
    }
  };
  const importFiles = async (owner: OwnerApi, files: Files, at = then) =>
    sumReports(await importTree(owner, createMemoryTree(files, at)));

  it.each([
    ["measurements", wrapHealth(watch, strap), wrapHealth(strap, watch), 2],
    ["plays", { "a.json": JSON.stringify(plays) }, { "a.json": JSON.stringify(plays.toReversed()) }, 3],
    ["mails and their attachments", mails, reverse(mails), 6],
  ] as const)("keeps %s that share an id, whatever their order", async (_, files, reversed, count) => {
    const forwards = await withOwner(async (owner) => {
      expect(await importFiles(owner, files)).toMatchObject({ stored: count, changed: 0 });
      const before = await listRecords(owner);
      for (const each of [files, reversed, files])
        expect(await importFiles(owner, each, later)).toMatchObject({ stored: 0, changed: 0, unchanged: count });
      expect(await listRecords(owner)).toEqual(before);
      return indexContent(before);
    });
    const backwards = await withOwner(async (owner) => {
      await importFiles(owner, reversed);
      return indexContent(await listRecords(owner));
    });
    expect(backwards).toEqual(forwards);
  });

  it("attachments follow their mail", () =>
    withOwner(async (owner) => {
      await importFiles(owner, mails);
      const records = await listRecords(owner);
      const named = records
        .filter(({ stream }) => stream === "attachments")
        .map(({ data }) => [
          records.find(({ id, stream }) => stream === "messages" && id === data.message_id)?.data.body_text,
          records.find(({ id, stream }) => stream === "messages" && id === data.message_id)?.data.list_id,
          String(data.text).trim(),
        ]);
      expect(new Set(named)).toEqual(
        new Set([
          ["As agreed.", "<team.example.org>", "three,3"],
          ["As agreed.", null, "one,1"],
          ["As agreed.\n--\nlist footer", null, "two,2"],
        ]),
      );
    }));

  it("a copy that lacks fields is the same item", () =>
    withOwner(async (owner) => {
      const correlation = `<Correlation type="x" startDate="2024-01-01 10:00:00 +0100">${reading}</Correlation>`;
      for (const files of [wrapHealth(strap, correlation), wrapHealth(correlation, strap)]) {
        await importFiles(owner, files);
        const [only, ...others] = await listRecords(owner);
        expect(others).toEqual([]);
        expect(only?.data).toMatchObject({ device: "Strap", extra: { metadata: { a: "1" } } });
      }
    }));

  it.each([
    ["has one of them", 0, 1],
    ["has another version of one", 3, 1],
  ] as const)("are both kept if a newer export, imported before, %s", (_, newerPlay, stored) =>
    withOwner(async (owner) => {
      const newer = { "a.json": JSON.stringify([[...plays, { ...play, platform: "tv" }][newerPlay]]) };
      const older = { "a.json": JSON.stringify(plays.slice(0, 2)) };
      await importFiles(owner, newer, later);
      const [before] = await listRecords(owner);
      expect(await importFiles(owner, older)).toMatchObject({ stored, changed: 0 });
      const after = await listRecords(owner);
      expect(after).toHaveLength(2);
      expect(after).toContainEqual(before);
      for (const [files, at] of [
        [older, then],
        [newer, later],
      ] as const)
        expect(await importFiles(owner, files, at)).toMatchObject({ stored: 0, changed: 0 });
      expect(await listRecords(owner)).toEqual(after);
    }),
  );

  it("in a later export and for a newer importer, the same id is the same item", () =>
    withOwner(async (owner) => {
      await importFiles(owner, wrapHealth(watch));
      expect(await importFiles(owner, wrapHealth(strap), later)).toMatchObject({ stored: 0, changed: 1 });
      const newer = { ...spotify, version: "99" };
      await importFiles(owner, { "a.json": JSON.stringify([play]) });
      const played = { "a.json": JSON.stringify([{ ...play, platform: "tv" }]) };
      const tally = await importTree(owner, createMemoryTree(played, then), { importers: [newer] });
      expect(sumReports(tally)).toMatchObject({ stored: 0, changed: 1 });
    }));

  it("repairs a vault in which items overwrote each other, and keeps all other ids", () =>
    withOwner(async (owner) => {
      const others = Array.from({ length: 5 }, (_, n) => ({ ...play, spotify_track_uri: `spotify:track:${n + 5}` }));
      await importFiles(owner, { "a.json": JSON.stringify([...others, plays[0]]) });
      const ids = (await listRecords(owner)).map(({ id }) => id);
      const whole = { "a.json": JSON.stringify([...others, ...plays]) };
      expect(await importFiles(owner, whole, later)).toMatchObject({ stored: 2, unchanged: 6 });
      expect((await listRecords(owner)).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    }));
});
