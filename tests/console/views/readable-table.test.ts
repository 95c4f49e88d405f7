import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { findElement, findElements, getText, hasTag, parseDocument } from "@pdpp/test-support/web/dom";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { stage } from "../../oauth/agent.ts";

const text = { type: "string" };
const manifest: JsonObject = {
  connector_key: "shots",
  version: "1",
  display_name: "Shots",
  streams: [
    {
      name: "shots",
      semantics: "mutable_state",
      primary_key: ["digest"],
      cursor_field: "taken_at",
      presentation: { kind: "photo", fields: { size: "bytes", duration: "length" } },
      relationships: [{ name: "album", stream: "albums", foreign_key: "album", cardinality: "has_one" }],
      schema: {
        type: "object",
        required: ["digest"],
        properties: {
          digest: text,
          album: text,
          taken_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          name: { ...text, x_pdpp_role: "primary-title" },
          etag: text,
          bytes: { type: "integer" },
          length: { type: "integer" },
          starred: { type: "boolean" },
          packed: { ...text, contentEncoding: "base64" },
          people: { type: "array", items: text, x_pdpp_role: "actor" },
          note: { type: ["string", "null"] },
          place: { type: ["string", "null"], x_pdpp_role: "secondary" },
        },
      },
      query: { search: { lexical_fields: ["name"] } },
    },
    {
      name: "albums",
      semantics: "mutable_state",
      primary_key: ["id"],
      schema: { type: "object", required: ["id"], properties: { id: text } },
    },
  ],
};

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

describe.each(surfaceEngines)("a readable table, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  const table = `${site}/stream?source=shots_1&stream=shots`;
  beforeAll(async () => {
    vault = await createVault(engine);
    await vault.store.register(parseManifest(manifest), now);
    await addConnection(vault.store, 1, { connectorKey: "shots", id: "shots_1" }, now);
    const shot = {
      digest,
      album: "a1",
      taken_at: "2026-05-01T10:00:00Z",
      name: "Pier",
      etag: "5d41402abc4b2a76b9719d911017c592",
      bytes: 2_400_000,
      length: 3900,
      starred: true,
      people: ["Ada", "Cem", "Noor", "Kim", "Jo", "Lu", "Mo"],
      note: null,
      place: null,
    };
    await putRecords(vault, "shots_1", "shots", [{ data: shot }]);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  it("[CSL-113] leaves ids out of the default columns, and writes values in words", async () => {
    const page = parseDocument((await owner.open(table)).html);
    expect(findElements(page, hasTag("th")).map((each) => getText(each).trim())).toEqual([
      "Taken at ↓",
      "Name",
      "People",
      "Bytes",
      "Length",
    ]);
    const cells = findElements(page, hasTag("td")).map((each) => getText(each).trim());
    expect(cells.slice(1)).toEqual(["Pier", "Ada, Cem, Noor, Kim, Jo and 2 more", "2.4 MB", "1 h 5 min"]);
    expect(getText(page)).not.toContain(digest);
    const chosen = await owner.open(`${table}&column=digest&column=starred&column=note&column=etag`);
    const values = findElements(parseDocument(chosen.html), hasTag("td")).map(getText);
    expect(values).toEqual([digest, "yes", "", "5d41402abc4b2a76b9719d911017c592"]);
  });

  it("[CSL-172] leaves a column without values out, which can be chosen", async () => {
    expect((await owner.open(table)).html).not.toContain('data-label="Place"');
    expect((await owner.open(`${table}&column=name&column=place`)).html).toContain('data-label="Place"');
  });

  it("[CSL-113] folds ids and empty fields of a record", async () => {
    const page = await owner.open(findLink(await owner.open(table), "Pier"));
    const document = parseDocument(page.html);
    const fields = findElement(document, hasTag("dl", "fields"));
    const labels = fields === undefined ? [] : findElements(fields, hasTag("dt")).map(getText);
    expect(labels).toEqual(["People", "Bytes", "Length", "Starred"]);
    const folded = findElement(document, hasTag("details", "about-it"));
    const technical = folded === undefined ? "" : getText(folded);
    for (const shown of [digest, "a1", "5d41402abc4b2a76b9719d911017c592", "Empty: Place, Note"])
      expect(technical).toContain(shown);
  });

  it("[CSL-114] names each value of a card by its column", async () => {
    const { html } = await owner.open(table);
    expect(html).toContain('<td class="opener" data-label="Name">');
    expect(html).toContain('data-label="People"');
  });

  it("[CSL-115] searches for part of a value", async () => {
    const found = await owner.open(`${table}&field=name&operator=contains&value=pier`);
    expect(found.url).toMatch(/\/explore\?q=pier&source=shots_1&stream=shots&time=words$/);
    const dated = await owner.open(`${table}&field=name&operator=contains&value=March+2026`);
    expect(new URL(dated.url).searchParams.get("q")).toBe("March 2026");
    const empty = await owner.open(`${table}&field=name&operator=contains&value=+`);
    expect([empty.status, new URL(empty.url).pathname]).toEqual([200, "/stream"]);
    expect(findLink(found, "Pier")).toContain("photo?id=");
  });
});
