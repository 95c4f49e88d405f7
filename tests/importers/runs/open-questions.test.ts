import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { openImportPage } from "@pdpp/test-support/web/import-page";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";

const mail =
  "From: ada@x.example\nMessage-ID: <1@x.example>\nSubject: one\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\nHello\n";
const chat = "13/01/2024, 10:00 - Ada: boiler\n14/01/2024, 09:00 - Ben: which one?\n";
const films = "Title,Date\nA film,01/02/24\n";

interface Report {
  readonly report: { connection_id: string; streams: { stream: string; stored: number; changed: number }[] }[];
  readonly left_out: { format: string; questions: { option: string }[] }[];
}

describe("[IMP-30] without a terminal", () => {
  let vault: CliVault;
  let folder: string;
  beforeAll(() => {
    vault = createCliVault({ isInProcess: true });
    folder = join(vault.directory, "exports");
    mkdirSync(folder);
    writeFileSync(join(folder, "one.eml"), mail);
    writeFileSync(join(folder, "WhatsApp Chat with Ada.txt"), chat);
    writeFileSync(join(folder, "NetflixViewingHistory.csv"), films);
  });
  afterAll(() => vault.drop());

  it("with --absent delete, an open question stops everything", async () => {
    const { code, stderr } = await vault.run(["import", folder, "--yes", "--absent", "delete"]);
    expect([code, stderr]).toEqual([64, expect.any(String)]);
    expect((await vault.json<{ data: unknown[] }>(["connection", "list"])).data).toEqual([]);
  });

  it("imports what needs no answer, lists all open questions, and exits with 65", async () => {
    const { code, stdout } = await vault.run(["import", folder, "--yes", "--json"]);
    expect(code).toBe(65);
    const { report, left_out }: Report = JSON.parse(stdout);
    expect(report.map(({ connection_id }) => connection_id)).toEqual(["mail-files"]);
    expect(left_out.map(({ format, questions }) => [format, questions.map(({ option }) => option)])).toEqual([
      ["whatsapp", ["--time-zone"]],
      ["netflix", ["--date-order"]],
    ]);
    const again = await vault.run(["import", folder, "--yes"]);
    expect([again.code, again.stderr]).toEqual([
      65,
      expect.stringMatching(/Not imported, because an answer is missing:[\s\S]*--time-zone[\s\S]*--date-order/),
    ]);
  });

  it("imports the rest when the answers are given, and changes nothing else", async () => {
    const given = ["--time-zone", "Europe/Berlin", "--date-order", "dmy", "--yes"];
    const { report, left_out } = await vault.json<Report>(["import", folder, ...given]);
    expect(left_out).toEqual([]);
    const counts = report.map(({ connection_id, streams }) => [
      connection_id,
      streams.reduce((sum, { stored }) => sum + stored, 0),
      streams.reduce((sum, { changed }) => sum + changed, 0),
    ]);
    expect(counts).toEqual([
      ["mail-files", 0, 0],
      ["whatsapp", 3, 0],
      ["netflix", 1, 0],
    ]);
  });
});

it("[IMP-30] in the console, exports that need an answer can be skipped", async () => {
  const vault = await createVault("sqlite");
  const room = await openImportPage(vault);
  try {
    const planned = await room.until(
      await room.drop({ "one.eml": mail, "NetflixViewingHistory.csv": films }),
      "planned",
    );
    expect(planned.html).toContain("Skip what needs this (1 export)");
    await room.until(await room.owner.send(planned, { date_order: "" }), "over");
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    expect((await owner.connections.list()).map(({ connector_key }) => connector_key)).toEqual(["mail-files"]);
  } finally {
    await room.close();
    await vault.drop();
  }
});
