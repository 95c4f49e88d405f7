import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { type ImportPage, openImportPage, readStage } from "@pdpp/test-support/web/import-page";
import { findLink, site } from "@pdpp/test-support/web/owner-pages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { createOwner } from "#server/owner/owner";
import { writeZip } from "../importers/archives/zip-writer.ts";
import { chatgptGenerator } from "../importers/generators/messages/chatgpt.ts";
import { whatsappGenerator } from "../importers/generators/messages/whatsapp.ts";

const chat = ["13/01/2024, 10:00 - Ada: boiler", "13/01/2024, 10:01 - Ben: which one?", "14/01/2024, 09:00 - Ada: old"];
const chatFile = { "WhatsApp Chat with Ada.txt": chat.join("\n") };

describe.each(surfaceEngines)("the import page, on %s", (engine) => {
  let vault: TestVault;
  let room: ImportPage;
  beforeAll(async () => {
    vault = await createVault(engine);
    room = await openImportPage(vault);
  });
  afterAll(async () => {
    await room.close();
    await vault.drop();
  });
  const uploads = () => readdirSync(join(vault.dataDir, "uploads"));

  it("[CSL-30] shows the plan with its questions, and writes nothing until it is confirmed", async () => {
    const planned = await room.until(await room.drop(chatFile), "planned");
    for (const shown of [
      "Review import",
      "Nothing has been saved yet",
      "Messages",
      '2024-01-13</span> to <span class="on">2024-01-14',
      "Import 4 records",
    ])
      expect(planned.html).toContain(shown);
    expect(planned.html).toMatch(/id="ask-time_zone"[\s\S]*<option value="Europe\/Berlin"/);
    expect(planned.html).toMatch(/Which name in &quot;[^<]*&quot; is you\?[\s\S]*<option value="Ben">Ben<\/option>/);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    expect([await owner.connections.list(), await owner.imports.list()]).toEqual([[], []]);
    // Only the server's user can read the uploaded files.
    const [place = ""] = uploads();
    expect(statSync(join(vault.dataDir, "uploads", place, "files")).mode & 0o777).toBe(0o700);
    const refused = await room.owner.send(planned, { time_zone: "Nowhere/At-all" });
    expect((await room.until(refused, "planned")).html).toContain("is not a time zone");
    const unsaid = await room.owner.send(planned, { time_zone: "" });
    expect((await room.until(unsaid, "planned")).html).toContain("Please answer");

    const left = await room.owner.send(planned, {}, `${new URL(planned.url).pathname}/cancel`);
    expect(left.html).toContain("Nothing was saved");
    expect([uploads(), await owner.connections.list()]).toEqual([[], []]);
  });

  it("[CSL-145] says how to get each export, and which formats were not tested with a real one", async () => {
    const { html } = await room.owner.open(`${site}/import`);
    expect(html.split("<details>").length - 1).toBeGreaterThanOrEqual(formats.length);
    expect(html).toContain("In the chat: menu, More, Export chat.");
    expect(html.split("Not yet tested with a real export.").length - 1).toBe(
      formats.filter(({ testedWith }) => testedWith === "unproven").length,
    );
  });

  it("[CSL-30] [CSL-34] imports the export, reports it, and keeps the history", async () => {
    const planned = await room.until(await room.drop(chatFile), "planned");
    const begun = await room.owner.send(planned, {
      time_zone: "Europe/Berlin",
      me: "Ada",
      "label whatsapp": "My phone",
    });
    const done = await room.until(begun, "over");
    expect(done.html).toContain("Import report");
    // [CSL-145] The report leads to the data in its own view, to agents and to the next import.
    for (const href of ["/conversation", "/agents", "/import"])
      expect(done.html).toMatch(new RegExp(`class="button" href="${href}`));
    expect(done.html).toMatch(/Messages<\/bdi><\/a><\/th>\s*<td class="number">3<\/td>/);
    for (const shown of ["My phone", "Europe/Berlin", "WhatsApp Chat with Ada.txt", "Everything was imported."])
      expect(done.html).toContain(shown);
    expect(done.html).toMatch(/<code>[0-9a-f]{64}<\/code>/);
    await expect.poll(uploads).toEqual([]);
    const reader = await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).reader();
    const { data } = await reader.queryRecords({ stream: "messages", connection_id: "whatsapp", limit: 10 });
    expect(data).toHaveLength(3);
    expect(JSON.stringify(data)).toContain("2024-01-13T10:00:00+01:00");

    const list = await room.owner.open(`${site}/import`);
    expect((await room.owner.open(findLink(list, "WhatsApp"))).url).toBe(done.url);
    // Importing the same file again finds its source, and adds nothing, even if it is read again.
    const again = await room.until(await room.drop(chatFile), "planned");
    expect(again.html).toContain("Unchanged since the last import");
    expect(again.html).toMatch(/<option value="whatsapp" selected="">My phone<\/option>/);
    // The previous answers are preselected, and the script doesn't replace them.
    expect(again.html).toMatch(
      /id="ask-time_zone" name="time_zone" list="time-zones" value="Europe\/Berlin" autocomplete/,
    );
    expect(again.html).toMatch(/<option value="Ada" selected="">Ada<\/option>/);
    expect(again.html).toContain("Same as last time.");
    const answers = { time_zone: "Europe/Berlin", me: "Ada", again: "1" };
    const settled = await room.until(await room.owner.send(again, answers), "over");
    expect(settled.html).toMatch(/Messages<\/bdi><\/a><\/th>\s*<td class="number">0<\/td><td class="number">3<\/td>/);
  });

  it("[CSL-30] accepts archives and several files, and a second source with its own name", async () => {
    const files = chatgptGenerator.pair(createRandom(1), 6).older;
    const items = Object.entries(files).map(([name, content]) => ({ name, content }));
    const archive = new Uint8Array(writeZip([...items, { name: "../up.txt", content: "x" }]));
    const other = { "WhatsApp Chat with Cem.txt": chat.join("\n"), "chatgpt.zip": archive };
    const planned = await room.until(await room.drop(other), "planned");
    expect(planned.html).toContain("ChatGPT");
    expect(planned.html).toContain("1 unrecognized file");
    expect(planned.html).toContain("up.txt");
    const given = { time_zone: "UTC", "into whatsapp": "", "label whatsapp": "Work phone" };
    const nameless = await room.owner.send(planned, { ...given, "label whatsapp": "" });
    expect((await room.until(nameless, "planned")).html).toContain("Choose a source for WhatsApp");
    const done = await room.until(await room.owner.send(planned, given), "over");
    expect(done.html).toContain("Work phone");
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    expect((await owner.connections.list()).map(({ connection_id }) => connection_id).sort()).toEqual([
      "chatgpt",
      "whatsapp",
      "whatsapp-2",
    ]);
    // With several sources, one has to be chosen.
    const third = await room.until(await room.drop(chatFile), "planned");
    expect(third.html).toContain("Choose, or name a new source");
    await room.owner.send(third, {}, `${new URL(third.url).pathname}/cancel`);
  });

  it("[CSL-34] lists rejected items with their reasons, page by page", async () => {
    const { files } = whatsappGenerator.hostile(createRandom(3));
    const many = Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name.split("/").at(-1) ?? name,
        new Uint8Array(Buffer.from(content)),
      ]),
    );
    const planned = await room.until(await room.drop(many), "planned");
    const done = await room.until(
      await room.owner.send(planned, { time_zone: "UTC", date_order: "dmy", "label whatsapp": "Broken" }),
      "over",
    );
    const total = Number(/Rejected items: ([\d,]+)/.exec(done.html)?.[1]?.replaceAll(",", "") ?? "0");
    expect(total).toBeGreaterThan(0);
    expect(done.html.match(/at byte/g)?.length).toBe(Math.min(50, total));
    expect((await room.owner.open(`${site}/`)).html).toContain("See details");

    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const importId = new URL(done.url).pathname.split("/").at(-1) ?? "";
    const all = await owner.imports.listRejected(importId);
    const walked: unknown[] = [];
    for (let after: string | undefined; ; ) {
      const page = await owner.imports.loadRejectedPage(importId, 2, after);
      walked.push(...page.items);
      if (page.next === null) break;
      after = page.next;
    }
    expect(walked).toEqual(all);
    await expect(owner.imports.loadRejectedPage(importId, 2, "x")).rejects.toThrow(/this page does not exist/);
    const ids: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await owner.imports.loadHistory(2, before);
      ids.push(...page.imports.map(({ import_id }) => import_id));
      if (page.next === null) break;
      before = page.next;
    }
    expect(ids).toEqual((await owner.imports.list()).map(({ import_id }) => import_id));
    expect(readStage(await room.owner.open(`${site}/import?before=1`))).toBe("over");
  });
});
