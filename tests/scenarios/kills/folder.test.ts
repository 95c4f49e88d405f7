import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunDocument } from "@pdpp/contract/sources";
import { pdppFile, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { countRows, expireLeases } from "@pdpp/test-support/vaults/closed-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const mails = 8000;
const kills = 6;

const buildMail = (n: number): string =>
  `From ada@example.org Thu Jan  1 00:00:00 2026\nMessage-ID: <mail-${n}@example.org>\nDate: Thu, 1 Jan 2026 10:00:00 +0000\nFrom: Ada <ada@example.org>\nTo: Ben <ben@example.org>\nSubject: Boiler ${n}\n\nText of mail ${n}.\n\n`;

describe("the run of a folder that is killed", () => {
  const place = mkdtempSync(join(tmpdir(), "pdpp-kill-folder-"));
  const dataDir = join(place, "vault");
  const temporary = join(place, "temporary");
  const folder = join(place, "Inbox");
  const pdpp = (...args: string[]) => runPdpp([...args, "--data-dir", dataDir], { env: { TMPDIR: temporary } });
  beforeAll(async () => {
    mkdirSync(folder);
    mkdirSync(temporary);
    writeFileSync(join(folder, "mail.mbox"), Array.from({ length: mails }, (_, n) => buildMail(n)).join(""));
    for (let n = 0; n < 20; n += 1)
      writeFileSync(join(folder, `card-${n}.vcf`), `BEGIN:VCARD\nVERSION:3.0\nUID:${n}\nFN:P ${n}\nEND:VCARD\n`);
    expect(await pdpp("source", "add", "folder", folder, "--yes")).toMatchObject({ code: 0 });
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const count = (table: string): Promise<number> => countRows(dataDir, table);

  it("[COL-37] loses and repeats nothing", async () => {
    for (let n = 0; n < kills; n += 1) {
      const killed = spawn(process.execPath, [pdppFile, "source", "sync", "--data-dir", dataDir], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      killed.stderr.on("data", (chunk: Buffer) => {
        said += String(chunk);
      });
      const ended = new Promise((resolve) => killed.once("close", resolve));
      // From the first look at the folder to somewhere within the import.
      await expect.poll(() => said, { interval: 10 }).toMatch(n % 2 === 0 ? /Looking at/ : /Importing/);
      await new Promise((resolve) => setTimeout(resolve, n * 40));
      killed.kill("SIGKILL");
      await ended;
      // As if the lease had expired.
      await expireLeases(dataDir);
    }
    const ended = await pdpp("source", "sync", "--json");
    expect(ended).toMatchObject({ code: 0 });
    expect(await count("source_run WHERE status = 'interrupted'")).toBe(kills);
    // No record was written twice.
    expect(await count("record_history")).toBe(0);
    expect(await count("import_record")).toBe(mails + 20);
    utimesSync(join(folder, "mail.mbox"), new Date(), new Date());
    const { data } = JSON.parse((await pdpp("source", "sync", "--json")).stdout) as { data: RunDocument[] };
    expect(data).toMatchObject([{ status: "succeeded" }]);
    expect(await count("record_history")).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
