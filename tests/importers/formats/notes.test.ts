import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { selectRecords } from "../fixtures/fixture-files.ts";
import type { Files } from "../generators/generator.ts";
import { answers, createMemoryTree } from "../support.ts";

async function readNotes(files: Files, key: string) {
  const tree = createMemoryTree(files, 0);
  const claims = (await detect(tree, formats)).claims.filter(({ importer }) => importer.key === key);
  const items = await Promise.all(claims.map(({ importer, claim }) => Array.fromAsync(importer.read(claim, answers))));
  const records = items.flat();
  return { notes: selectRecords(records, "notes"), files: selectRecords(records, "attachments") };
}

describe("[IMP-11] notes in folders", () => {
  it("Obsidian: reads text between two rules as text, and ends properties at a line of dashes", async () => {
    const { notes } = await readNotes(
      {
        ".obsidian/app.json": "{}",
        "a.md": "---\nIt begins with a rule.\n---\nIt goes on.\n",
        "b.md": "---\nstatus: open---\ntitle: B\n---\nText\n",
        "c.md": "---\n---\nText\n",
      },
      "note-folders",
    );
    expect(notes.map(({ title, body }) => [title, body])).toEqual([
      ["a", "---\nIt begins with a rule.\n---\nIt goes on."],
      ["B", "Text"],
      ["c", "Text"],
    ]);
  });

  it("Day One: titles an entry that begins with a picture by its first words", async () => {
    const entry = {
      uuid: "A1",
      creationDate: "2024-01-31T10:00:00Z",
      text: "![](dayone-moment://6F1)\n\n# Trip\nWe went\\.",
      photos: [{ md5: "abc", type: "jpeg", identifier: "6F1" }],
    };
    const { notes, files } = await readNotes(
      { "Journal.json": JSON.stringify({ metadata: {}, entries: [entry] }), "photos/abc.jpeg": "p" },
      "note-folders",
    );
    expect(notes).toMatchObject([{ title: "Trip", body: "# Trip\nWe went." }]);
    expect(files).toMatchObject([{ id: "A1/6F1", size_bytes: 1 }]);
  });

  it("finds linked files, even outside the folder of the notes", async () => {
    const { files } = await readNotes(
      {
        ".obsidian/app.json": "{}",
        "sub/a.md": "![[img/one/pic.png]] ![](../img/two/pic.png)",
        "img/one/pic.png": "1",
        "img/two/pic.png": "22",
        "z/pic.png": "333",
      },
      "note-folders",
    );
    expect(files.map(({ id, name, size_bytes }) => [id, name, size_bytes])).toEqual([
      ["sub/a.md/pic.png", "pic.png", 1],
      ["sub/a.md/img/two/pic.png", "pic.png", 2],
    ]);
    const joplin = await readNotes(
      {
        "export/Book/Sub/Note.md": "![a](../../_resources/aa.png) [doc](../../_resources/d.pdf) [[Other]]",
        "export/_resources/aa.png": "1",
        "export/_resources/d.pdf": "22",
      },
      "note-folders",
    );
    expect(joplin.files.map(({ name, size_bytes }) => [name, size_bytes])).toEqual([
      ["aa.png", 1],
      ["d.pdf", 2],
    ]);
    expect(joplin.notes).toMatchObject([{ id: "Note.md", links: ["Other"] }]);
    const logseq = await readNotes(
      { "journals/2024_01_31.md": "- ![](../assets/p.png)", "pages/A.md": "- b", "assets/p.png": "1" },
      "note-folders",
    );
    expect(logseq.notes[0]).toMatchObject({ updated_at: "2024-01-31T00:00:00+01:00", attachments: ["p.png"] });
  });
});

describe("[IMP-11] Notion pages", () => {
  it.each([
    ["February 5, 2025 3:04 PM", "2025-02-05T15:04:00.000Z"],
    ["February 5, 2025 15:04", "2025-02-05T15:04:00.000Z"],
    ["February 5, 2025", "2025-02-05T00:00:00.000Z"],
    ["2025/02/05 15:04", "2025-02-05T15:04:00.000Z"],
    ["2025/02/05 9:04 (UTC)", "2025-02-05T09:04:00.000Z"],
    ["February 5, 2025 3:04 PM (GMT+5:30)", "2025-02-05T09:34:00.000Z"],
    ["5 February 2025 15:04", "2025-02-05T15:04:00.000Z"],
    ["05/02/2025 15:04", null],
    ["soon", null],
  ])("parses the time %s as %s", async (written, at) => {
    const { notes } = await readNotes(
      { "Page 15f0080aa5a380c6b16cfed449a03a8b.md": `# Page\n\nCreated: ${written}\nTags: a\n\nBody\n` },
      "notion",
    );
    expect(notes).toMatchObject([{ created_at: at, body: "Body" }]);
  });
});

describe("[IMP-11] Evernote notes", () => {
  it("replaces task boxes with check boxes", async () => {
    const buildTask = (title: string, status: string, weight: string, more = "") =>
      `<task><title>${title}</title><taskStatus>${status}</taskStatus><sortWeight>${weight}</sortWeight><taskGroupNoteLevelID>g1</taskGroupNoteLevelID>${more}</task>`;
    const enml = `<en-note><div>Before</div><div style="--en-task-group:true; --en-id:g1;"><div>Content not supported</div><div>A placeholder</div></div><div>Behind</div></en-note>`;
    const { notes } = await readNotes(
      {
        "a.enex": `<?xml version="1.0"?><en-export><note><title>To do</title><created>20210722T085928Z</created><content><![CDATA[${enml}]]></content>${buildTask("Milk &amp; bread", "open", "Q", "<dueDate>20220528T215959Z</dueDate>")}${buildTask("Rent", "completed", "C")}</note></en-export>`,
      },
      "evernote",
    );
    expect(notes.map(({ body }) => body)).toEqual(["Before\n[x] Rent\n[ ] Milk & bread (2022-05-28)\nBehind"]);
  });
});
