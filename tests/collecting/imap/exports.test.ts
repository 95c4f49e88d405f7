import { utimesSync, writeFileSync } from "node:fs";
import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dovecot, dovecotLacks, password, startDovecot, user } from "./dovecot.ts";
import { writeMail } from "./mails.ts";

const connection = "mail-files";

describe(`a mailbox file and its account${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, () => {
  const test = it.skipIf(dovecotLacks !== undefined);
  const dice = createRandom(21);
  let server: Dovecot;
  let mbox = "";
  const count = 30;
  const seen: string[] = [];

  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    server = await startDovecot();
    server.mailbox.createFolder("INBOX");
    for (let n = 1; n <= count; n += 1) {
      // Every fifth mail has no Message-ID.
      const mail = writeMail(dice, n, n % 5 === 0 ? { "Message-ID": "" } : {});
      server.mailbox.deliver("INBOX", mail);
      const added = `X-GM-THRID: ${1000 + n}\nX-Gmail-Labels: Inbox,\n Important\nStatus: O\nX-Status: F\nX-Mozilla-Status: 0002\nX-Keywords: \n`;
      if (n % 2 === 0) seen.push(`Mail ${n}`);
      mbox += `From someone@example.org Sat Jan  1 00:00:00 2022\n${added}${mail.replace(/^From /gm, ">From ")}\n`;
    }
    for (let uid = 2; uid <= count; uid += 2)
      await server.change("flags", "add", "-u", user, "\\Seen", "mailbox", "INBOX", "uid", String(uid));
  });
  afterAll(() => server?.stop());

  test.each([["the file first"], ["the account first"]])(
    "[COL-92] [COL-103] are one set of mails, %s",
    async (order) => {
      const vault = createCliVault({ isInProcess: true });
      try {
        const file = vault.file("all.mbox", "");
        writeFileSync(file, mbox);
        // The account is newer, so its flags count.
        utimesSync(file, 1_600_000_000, 1_600_000_000);
        const address = ["--host", "127.0.0.1", "--port", String(server.port), "--security", "none", "--user", user];
        const into = order === "the file first" ? ["--into", connection] : ["--id", connection];
        const add = () => vault.json(["source", "add", "imap", ...address, ...into]);
        const sync = () => vault.json(["source", "sync"], { env: { IMAP_PASSWORD: password } });
        const bring = () =>
          vault.json(["import", file, "--yes", ...(order === "the file first" ? [] : ["--into", connection])]);
        if (order === "the file first") {
          await bring();
          await add();
          await sync();
        } else {
          await add();
          await sync();
          await bring();
        }
        const { stdout } = await vault.run(["export"]);
        const records = stdout
          .split("\n")
          .filter((line) => line !== "")
          .map(
            (line) =>
              JSON.parse(line) as { stream: string; data: { subject: string; labels: string[]; flags: string[] } },
          );
        const mails = records.filter(({ stream }) => stream === "messages");
        expect(mails).toHaveLength(count);
        expect(records.filter(({ stream }) => stream === "attachments")).toHaveLength(1);
        for (const { data } of mails) {
          expect(data.labels).toContain("INBOX");
          expect(data.flags).toEqual(seen.includes(data.subject) ? ["seen"] : []);
        }
        // Nothing is new to either of them.
        await bring();
        expect(await sync()).toMatchObject({ data: [{ status: "succeeded", tally: { read: 0 } }] });
      } finally {
        vault.drop();
      }
    },
  );
});
