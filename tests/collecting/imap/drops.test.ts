import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseManifest } from "@pdpp/contract/manifest";
import type { RunDocument } from "@pdpp/contract/sources";
import { mailManifest } from "@pdpp/importers/mail/manifest";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore } from "@pdpp/server/store/store";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { ImapFlow } from "imapflow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { type Dovecot, dovecotLacks, password, startDovecot, user } from "./dovecot.ts";
import { writeMail } from "./mails.ts";

const folders = ["INBOX", "Sent", "Drafts", "Réunions", ...Array.from({ length: 8 }, (_, n) => `Folder ${n + 1}`)];
const mails = 5000;
const kills = chooseRuns(8, 50);
const drops = chooseRuns(15, 50);

describe(`a mail account under fire${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, () => {
  const test = it.skipIf(dovecotLacks !== undefined);
  const dice = createRandom(5);
  const folder = mkdtempSync(join(tmpdir(), "pdpp-mail-story-"));
  const dataDir = join(folder, "vault");
  let server: Dovecot;
  let written = 0;

  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    server = await startDovecot();
    for (const name of folders) server.mailbox.createFolder(name);
    for (let n = 0; n < mails; n += 1) deliver();
    const values = {
      IMAP_HOST: "127.0.0.1",
      IMAP_PORT: String(server.port),
      IMAP_SECURITY: "none",
      IMAP_USER: user,
      // Several runs for a sync, so that some are killed between two of them.
      IMAP_MAILS_PER_RUN: "700",
    };
    await inVault(async (store) => {
      const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
      await owner.connectors.register(parseManifest(mailManifest));
      await owner.connections.add({ connector_key: "mail-files", connection_id: "mail" });
      const settings = { builtin: "imap", values };
      await owner.sources.add({ source_id: "mail", kind: "connector", connection_id: "mail", settings });
    });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const deliver = (): void => {
    written += 1;
    server.mailbox.deliver(dice.pick(folders), writeMail(dice, written));
  };

  function run(args: readonly string[]) {
    const child = spawn(process.execPath, [pdppFile, ...args, "--data-dir", dataDir], {
      env: cleanEnvironment({ IMAP_PASSWORD: password }),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += String(chunk)));
    child.stderr.on("data", (chunk) => (stderr += String(chunk)));
    const ended = once(child, "close").then(() => ({ code: child.exitCode, stdout, stderr }));
    return { child, ended };
  }

  const inVault = async <T>(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>): Promise<T> => {
    const store = await openStore({ dataDir });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const query = <T>(text: string): Promise<T[]> =>
    inVault(({ engine }) => engine.read((on) => on.all<T & Record<string, never>>(raw(text)))) as Promise<T[]>;

  /** Syncs until a run succeeds, which bad luck may take several for. */
  const syncWell = async (): Promise<RunDocument> => {
    for (;;) {
      const { code, stdout, stderr } = await run(["source", "sync", "--json"]).ended;
      const [last] = (JSON.parse(stdout) as { data: RunDocument[] }).data;
      if (code === 0 && last !== undefined) return last;
      expect(last?.error, stderr).toMatchObject({ is_retryable: true });
    }
  };

  const readVault = async () => {
    const { stdout } = await run(["export", "--stream", "messages"]).ended;
    const labels = new Map<string, string[]>();
    const flags = new Map<string, string[]>();
    for (const line of stdout.split("\n").filter((each) => each !== "")) {
      const { data } = JSON.parse(line) as { data: { id: string; labels: string[]; flags: string[] } };
      expect(labels.has(data.id)).toBe(false);
      labels.set(data.id, data.labels);
      flags.set(data.id, data.flags);
    }
    return { labels, flags };
  };

  /** Folders that have files which Dovecot does not show to other programs either, not even when it opens the folder. */
  const listUnnoticed = async (): Promise<string[]> => {
    const auth = { user, pass: password };
    const client = new ImapFlow({ host: "127.0.0.1", port: server.port, secure: false, auth, logger: false });
    await client.connect();
    const unnoticed: string[] = [];
    for (const name of folders) {
      const { exists } = await client.mailboxOpen(name, { readOnly: true });
      if (exists !== server.mailbox.countMails(name)) unnoticed.push(name);
    }
    await client.logout();
    return unnoticed;
  };

  const readAccount = () => ({ labels: server.mailbox.readMails(), flags: server.mailbox.readFlags(folders) });

  const change = async (): Promise<void> => {
    const [from, to] = dice.sample(folders, 2);
    const first = dice.int(1, 300);
    const uids = ["uid", `${first}:${first + dice.int(0, 20)}`];
    const doing = dice.int(0, 5);
    if (doing === 0) {
      // Dovecot compares the times of folders in seconds: it misses a file that arrives in the same second as its last scan.
      await wait(1100);
      for (let n = 0; n < 20; n += 1) deliver();
      await expect.poll(listUnnoticed).toEqual([]);
    } else if (doing === 1) await server.change("move", "-u", user, to ?? "", "mailbox", from ?? "", ...uids);
    else if (doing === 2) await server.change("copy", "-u", user, to ?? "", "mailbox", from ?? "", ...uids);
    else if (doing === 3) await server.change("expunge", "-u", user, "mailbox", from ?? "", ...uids);
    else if (doing === 4) {
      const flags = dice.pick(["\\Flagged", "\\Seen", "\\Seen \\Answered", "\\Deleted"]);
      const how = dice.chance(0.7) ? "add" : "remove";
      await server.change("flags", how, "-u", user, flags, "mailbox", from ?? "", ...uids);
    } else
      await server.change(
        "mailbox",
        "update",
        "--uid-validity",
        String(dice.int(2, 1_000_000)),
        "-u",
        user,
        from ?? "",
      );
  };

  test(`[COL-96] completes a first sync that is killed ${kills} times, without a mail twice`, async () => {
    for (let n = 0; n < kills; n += 1) {
      const { child, ended } = run(["source", "sync", "--json"]);
      await wait(dice.int(500, 6000));
      child.kill("SIGKILL");
      await ended;
      // As if the lease had expired.
      await inVault(({ engine }) => engine.write((on) => on.run(raw("UPDATE source SET lease_until = 1"))));
    }
    await syncWell();
    expect(await readVault()).toEqual(readAccount());
    // No mail was written twice.
    expect(await query<{ n: number }>("SELECT count(*) AS n FROM record_history")).toEqual([{ n: 0 }]);
    expect(server.mailbox.listFiles().every((path) => path.includes("/new/"))).toBe(true);
    const again = await syncWell();
    expect(again.tally.read).toBe(0);
  });

  test(`[COL-95] [COL-91] [COL-103] equals the account after ${drops} dropped connections and changes between them`, async () => {
    let dropped = 0;
    while (dropped < drops) {
      for (let n = 0; n < 4; n += 1) await change();
      const files = server.mailbox.listFiles();
      const syncing = syncWell();
      let isDone = false;
      void syncing.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await wait(dice.int(20, 400));
        if (dropped < drops) dropped += server.dropConnections();
      }
      await syncing;
      expect(server.mailbox.listFiles()).toEqual(files);
      expect(await readVault()).toEqual(readAccount());
    }
    const last = await syncWell();
    expect(last.tally.read).toBe(0);
  });
});
