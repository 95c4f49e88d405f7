import { describe, expect, it } from "vitest";
import { asideOf, fixturesMissing, itemsOf, recordsOf } from "./fixture-files.ts";

const notes = "notes-obsidian-importer/tests";

describe.skipIf(fixturesMissing !== "")(`[IMP-11] notes of others${fixturesMissing}`, () => {
  it("Evernote: reads every notebook, with check boxes, encrypted parts and files", async () => {
    const items = await itemsOf(`${notes}/evernote`, "evernote");
    expect([recordsOf(items, "notes").length, asideOf(items).length]).toEqual([86, 0]);
    const one = (title: string) => recordsOf(items, "notes").find((note) => note.title === title);
    expect(one("Test")).toMatchObject({ created_at: "2018-10-06T11:46:58.000Z", body: "note with latlong" });
    expect(one("Encryption")?.body).toContain("[encrypted]");
    expect(one("checkboxes")?.body).toMatch(/\[ \]\s+Checkbox not completed\n\[x\]\s+Checkbox done/);
    expect(recordsOf(items, "attachments").find(({ mime_type }) => mime_type === "application/pdf")).toBeDefined();
  });

  it("Evernote: decodes HTML entities, and finds files by digest", async () => {
    const items = await itemsOf("dogsheep/evernote/tests/example-note.enex", "evernote");
    const [note] = recordsOf(items, "notes");
    expect(note?.body).toMatch(/This note includes two images\. š\./);
    expect(recordsOf(items, "attachments").length).toBe(3);
  });

  it("Notion: reads HTML and Markdown pages in a nested archive", async () => {
    const items = await itemsOf(`${notes}/notion/notion-testspace.zip`, "notion");
    expect(
      recordsOf(items, "notes")
        .map(({ title }) => title)
        .sort(),
    ).toEqual(["Attachment Tests", "Block Reference", "Formatting Tests", "Notion-Testspace"]);
    expect(recordsOf(items, "attachments").length).toBe(5);
    const habits = await itemsOf(`${notes}/notion/Notion.Test.Export.zip`, "notion");
    const pages = recordsOf(habits, "notes");
    expect(pages.length).toBeGreaterThan(270);
    expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length);
    expect(pages.filter(({ folder }) => folder === "Habit Tracker").length).toBeGreaterThan(200);
  });

  it("Obsidian: reads properties and dates in names, and skips templates", async () => {
    const items = await itemsOf("obsidian-kepano", "note-folders");
    const one = (id: string) => recordsOf(items, "notes").find((note) => note.id === id);
    expect(recordsOf(items, "notes").length).toBe(51);
    expect(items.filter(({ kind }) => kind === "skipped").length).toBe(52);
    expect(one("Clippings/Buy wisely.md")).toMatchObject({
      author: "Steph Ango",
      source_url: "https://stephango.com/buy-wisely",
      folder: "Clippings",
    });
    expect(one("Daily/2023-09-12.md")).toMatchObject({ updated_at: "2023-09-12T00:00:00+02:00", time_source: "name" });
  });

  it("Bear: reads which notes are in the trash, and their dates", async () => {
    const items = await itemsOf(`${notes}/bear/backup-2.bear2bk`, "note-folders");
    const one = (title: string) => recordsOf(items, "notes").find((note) => note.title === title);
    expect(one("Trashed file")).toMatchObject({ is_trashed: true, created_at: "2023-10-11T08:10:15.000Z" });
    expect(recordsOf(items, "attachments").map(({ name }) => name)).toContain("llama.png");
  });
});
