import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeZip } from "../archives/zip-writer.ts";
import { chatgptGenerator } from "../generators/messages/chatgpt.ts";

interface Plan {
  plan: {
    format: string;
    connection_id: string;
    new: boolean;
    questions: { key: string }[];
    streams: { stream: string; records: number; already_here: number }[];
  }[];
  not_understood: { path: string; reason: string }[];
  report?: { connection_id: string; read: number; streams: Record<string, unknown>[] }[];
  import_id?: string;
}

const chat = [
  "13/01/2024, 10:00 - Ada: boiler",
  "13/01/2024, 10:01 - Ben: which one?",
  "14/01/2024, 09:00 - Ada: the old one",
];

describe("pdpp import", () => {
  let vault: CliVault;
  let folder: string;
  beforeAll(() => {
    vault = createCliVault({ isInProcess: true });
    folder = join(vault.directory, "exports");
    mkdirSync(folder);
    writeFileSync(join(folder, "WhatsApp Chat with Ada.txt"), chat.join("\n"));
    writeFileSync(join(folder, "other.bin"), "what is this");
    const files = chatgptGenerator.pair(createRandom(1), 6).older;
    const items = Object.entries(files).map(([name, content]) => ({ name, content }));
    writeFileSync(join(folder, "chatgpt.zip"), writeZip([...items, { name: "../up.txt", content: "x" }]));
  });
  afterAll(() => vault.drop());

  it("[IMP-1] [IMP-2] a dry run says what it found and writes nothing", async () => {
    const plan = await vault.json<Plan>(["import", folder, "--dry-run"]);
    expect(plan.plan.map(({ format, connection_id, new: fresh }) => [format, connection_id, fresh])).toEqual([
      ["whatsapp", "whatsapp", true],
      ["chatgpt", "chatgpt", true],
    ]);
    expect(plan.plan[0]?.questions.map(({ key }) => key)).toEqual(["time_zone", "me"]);
    expect(plan.plan[0]?.streams[0]).toEqual({
      stream: "messages",
      records: 3,
      from: "2024-01-13",
      to: "2024-01-14",
      already_here: 0,
    });
    expect(plan.not_understood.map(({ path }) => path)).toEqual(["chatgpt.zip/../up.txt", "other.bin"]);
    expect((await vault.json<{ data: unknown[] }>(["connector", "list"])).data).toEqual([]);
    const text = await vault.run(["import", folder, "--dry-run"]);
    expect(text.stdout).toContain("3 messages, 2024-01-13 to 2024-01-14");
    expect([text.code, text.stderr]).toEqual([0, expect.stringContaining("Nothing has been imported.")]);
  });

  it("[IMP-10] [IMP-2] without a terminal it names the missing option and writes nothing", async () => {
    const noZone = await vault.run(["import", join(folder, "WhatsApp Chat with Ada.txt"), "--yes"]);
    expect([noZone.code, noZone.stderr]).toEqual([
      64,
      expect.stringMatching(/Add --time-zone Europe\/Berlin, for example/),
    ]);
    const noYes = await vault.run(["import", folder, "--time-zone", "Europe/Berlin"]);
    expect([noYes.code, noYes.stderr]).toEqual([64, expect.stringMatching(/--yes/)]);
    const wrong = await vault.run(["import", folder, "--time-zone", "Berlin"]);
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringMatching(/such as Europe\/Berlin/)]);
    expect((await vault.json<{ data: unknown[] }>(["connection", "list"])).data).toEqual([]);
  });

  it("[IMP-3] [IMP-8] imports an export, the same one again and a newer one, and says where records came from", async () => {
    const given = ["--time-zone", "Europe/Berlin", "--me", "Ada", "--yes"];
    const first = await vault.json<Plan>(["import", folder, ...given]);
    expect(first.report?.[0]).toMatchObject({
      connection_id: "whatsapp",
      read: 4,
      streams: [
        { stream: "messages", stored: 3, changed: 0, unchanged: 0, aside: 0, skipped: 0 },
        { stream: "conversations", stored: 1 },
      ],
    });
    const unchanged = await vault.run(["import", folder, ...given]);
    expect([unchanged.code, unchanged.stderr]).toEqual([
      0,
      expect.stringMatching(/ {2}unchanged since the last import \(\d{4}-\d\d-\d\d\)\n/),
    ]);
    const again = await vault.json<Plan>(["import", folder, "--again", ...given]);
    expect(again.plan[0]).toMatchObject({
      new: false,
      streams: [
        { records: 3, already_here: 3 },
        { records: 1, already_here: 1 },
      ],
    });
    expect(
      again.report?.flatMap(({ streams }) => streams.map(({ stored, changed }) => [stored, changed])).flat(),
    ).toEqual(Array(10).fill(0));

    writeFileSync(
      join(folder, "WhatsApp Chat with Ada.txt"),
      [...chat.slice(1), "15/01/2024, 08:00 - Ben: done"].join("\n"),
    );
    const newer = await vault.json<Plan>([
      "import",
      join(folder, "WhatsApp Chat with Ada.txt"),
      "--only",
      "messages",
      ...given,
    ]);
    expect(newer.report?.[0]?.streams).toMatchObject([
      { stream: "messages", stored: 1, changed: 0, unchanged: 2 },
      { stream: "conversations", skipped: 1 },
    ]);
    const lines = (await vault.run(["export", "--connection", "whatsapp", "--stream", "messages"])).stdout
      .trim()
      .split("\n");
    const messages = lines.map(
      (line) => JSON.parse(line) as { id: string; data: { text: string; sent_at: string; is_from_me: boolean } },
    );
    expect(messages.length).toBe(4);
    const old = messages.find(({ data }) => data.text === "which one?");
    expect(old?.data).toMatchObject({ sent_at: "2024-01-13T10:01:00+01:00", is_from_me: false });
    expect(await vault.json(["imports", "--record", `whatsapp/messages:${old?.id}`])).toMatchObject({
      first_import: first.import_id,
      last_import: newer.import_id,
    });

    const list = await vault.run(["imports"]);
    for (const each of [first, again, newer]) expect(list.stdout).toContain(each.import_id ?? "?");
    const one = await vault.run(["imports", first.import_id ?? ""]);
    expect(one.stdout).toContain("messages: 3 new\n");
    expect((await vault.run(["imports", first.import_id ?? "", "--aside"])).stdout).toContain(
      "0 items could not be read",
    );
  });

  it("[IMP-10] rejects a connection of another kind, and creates a second one by its label", async () => {
    const path = join(folder, "WhatsApp Chat with Ada.txt");
    const wrong = await vault.run(["import", path, "--into", "chatgpt", "--time-zone", "UTC", "--yes"]);
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining("is for chatgpt, not whatsapp")]);
    const second = await vault.json<Plan>(["import", path, "--label", "Work phone", "--time-zone", "UTC", "--yes"]);
    expect(second.plan[0]).toMatchObject({ connection_id: "whatsapp-2", new: true });
    const several = await vault.run(["import", path, "--time-zone", "UTC", "--yes"]);
    expect([several.code, several.stderr]).toEqual([
      64,
      expect.stringMatching(/whatsapp, whatsapp-2; choose one with --into/),
    ]);
  });

  it("[IMP-8] the list of imports is short enough to read, and one import has a short fingerprint", async () => {
    const chats = join(vault.directory, "chats");
    mkdirSync(chats);
    for (const name of ["Ada", "Ben", "Cleo", "Dora"])
      writeFileSync(join(chats, `WhatsApp Chat with ${name}.txt`), chat.map((line) => `${line} ${name}`).join("\n"));
    const { import_id = "" } = await vault.json<Plan>([
      "import",
      chats,
      "--label",
      "Many",
      "--time-zone",
      "UTC",
      "--yes",
    ]);
    const { stdout } = await vault.run(["imports"]);
    const line = stdout.split("\n").find((each) => each.startsWith(import_id));
    expect(line).toMatch(
      /^\S+ +\d{4}-\d\d-\d\dT\d\d:\d\dZ +done +16 +WhatsApp chat Ada, WhatsApp chat Ben and 2 more$/,
    );
    const one = (await vault.run(["imports", import_id])).stdout;
    const whole = await vault.json<{ parts: { label: string; fingerprint: string }[] }>(["imports", import_id]);
    expect(whole.parts).toHaveLength(4);
    for (const { label, fingerprint } of whole.parts) {
      expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
      expect(one).toContain(label);
      expect(one).toContain(`  fingerprint ${fingerprint.slice(0, 12)}\n`);
    }
  });

  it("[IMP-2] [IMP-5] prints next commands that can be run as they are", async () => {
    const buildEvent = (uid: string, start: string) =>
      `BEGIN:VEVENT\r\nUID:${uid}\r\nSUMMARY:Boiler\r\n${start}END:VEVENT\r\n`;
    const events = buildEvent("a", "DTSTART:20240113T100000Z\r\n") + buildEvent("b", "");
    const calendar = vault.file("home.ics", `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events}END:VCALENDAR\r\n`);
    const plants = vault.file("plants.csv", "name,watered\nfern,2024-01-01\nmoss,2024-01-02\n");
    const said = await Promise.all(
      [["import", plants, "--dry-run"], ["import", calendar, "--yes"], ["import"], ["imports", "--aside"]].map((args) =>
        vault.run(args),
      ),
    );
    const texts = said.map(({ stdout, stderr }) => stdout + stderr);
    const next = ["import PATH --infer", "imports imp_\\S+ --aside", "import --formats", "imports ID --aside"];
    next.forEach((words, i) => void expect(texts[i]).toMatch(new RegExp(`npx pdpp ${words}`)));
    expect(texts[1]).toMatch(/Next: (start the server with npx pdpp serve|npx pdpp open)/);
    for (const text of texts) expect(text).not.toMatch(/(?<!npx )pdpp (imports?|serve|setup) /);
  });

  it("[IMP-1] lists its formats, and says when there is nothing to import", async () => {
    expect((await vault.run(["import", "--formats"])).stdout).toMatch(/whatsapp +WhatsApp/);
    const nothing = await vault.run(["import", join(folder, "other.bin")]);
    expect([nothing.code, nothing.stdout]).toEqual([1, expect.stringContaining("Nothing here that pdpp can import.")]);
    const bad = await vault.run(["import", vault.file("cut.zip", Buffer.from("PK\u0003\u0004 and no end"))]);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining("incomplete")]);
  });
});
