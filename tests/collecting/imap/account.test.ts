import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dovecot, dovecotLacks, lesserServers, startDovecot, user } from "./dovecot.ts";
import { writeMail } from "./mails.ts";
import { createMailWorld, type MailWorld } from "./world.ts";

const folders = ["INBOX", "Sent", "Archive", "Réunions", "Trash"];
const collected = folders.slice(0, -1);

describe.each([
  ["a whole server", undefined],
  ["a server without QRESYNC", lesserServers.condstore],
  ["a bare server", lesserServers.bare],
])(`an account on %s${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, (_, capabilities) => {
  const test = it.skipIf(dovecotLacks !== undefined);
  const dice = createRandom(11);
  let server: Dovecot;
  let world: MailWorld;
  let written = 0;
  const deliver = (folder: string, times = 1): void => {
    for (let n = 0; n < times; n += 1) {
      written += 1;
      server.mailbox.deliver(folder, writeMail(dice, written));
    }
  };
  const expectSame = async (): Promise<void> => {
    const wanted = [...server.mailbox.readMails()]
      .map(([id, inFolders]) => [id, inFolders.filter((name) => collected.includes(name))] as const)
      .filter(([, inFolders]) => inFolders.length > 0);
    expect(await world.readLabels()).toEqual(new Map(wanted));
    expect(await world.readFlags()).toEqual(server.mailbox.readFlags(collected));
  };
  /** The records of the last sync, over all its runs. */
  const sync = async (): Promise<{ read: number; runs: number }> => {
    expect((await world.sync()).error).toBeUndefined();
    const runs = await world.takeRuns();
    return { read: runs.reduce((sum, { tally }) => sum + tally.read, 0), runs: runs.length };
  };

  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    server = await startDovecot(capabilities === undefined ? {} : { capabilities });
    for (const folder of folders) {
      server.mailbox.createFolder(folder);
      deliver(folder, 60);
    }
    world = await createMailWorld(server);
  });
  afterAll(async () => {
    await world?.drop();
    await server?.stop();
  });

  test("[COL-90] [COL-91] collects all folders but trash, and leaves no trace", async () => {
    const files = server.mailbox.listFiles();
    expect(await sync()).toMatchObject({ runs: 1 });
    await expectSame();
    expect(server.mailbox.listFiles()).toEqual(files);
    const attachments = await world.readRecords("attachments");
    expect(attachments).toHaveLength(12);
    expect(attachments[0]).toMatchObject({ name: "list.csv", blob_ref: { mime_type: "text/csv" } });
    expect(await sync()).toEqual({ read: 0, runs: 1 });
  });

  test("[COL-90] [COL-94] follows new, moved, copied, flagged and expunged mails", async () => {
    deliver("INBOX", 3);
    await server.change("move", "-u", user, "Archive", "mailbox", "INBOX", "uid", "5:6");
    await server.change("copy", "-u", user, "Sent", "mailbox", "Archive", "uid", "7");
    await server.change("flags", "add", "-u", user, "\\Seen \\Flagged", "mailbox", "INBOX", "uid", "8:12");
    await server.change("expunge", "-u", user, "mailbox", "Réunions", "uid", "1:4");
    await server.change("move", "-u", user, "Trash", "mailbox", "Sent", "uid", "20");
    const files = server.mailbox.listFiles();
    // Three new, two moved, one copied and five flagged mails, and five with the file of one of them that are gone.
    const { read } = await sync();
    expect(read).toBeGreaterThanOrEqual(16);
    expect(read).toBeLessThanOrEqual(19);
    await expectSame();
    expect(server.mailbox.listFiles()).toEqual(files);
    expect(await sync()).toMatchObject({ read: 0 });
  });

  test("[COL-103] follows flags and keywords that change, once", async () => {
    const flag = (how: "add" | "remove", flags: string, folder: string, uids: string) =>
      server.change("flags", how, "-u", user, flags, "mailbox", folder, "uid", uids);
    await flag("add", "\\Seen", "INBOX", "30:33");
    await flag("add", "\\Answered \\Draft \\Deleted", "INBOX", "31");
    await flag("remove", "\\Flagged", "INBOX", "8:9");
    await flag("add", "Project,2026 $Forwarded NonJunk", "Archive", "11");
    const files = server.mailbox.listFiles();
    expect(await sync()).toMatchObject({ read: 7 });
    expect(await world.readFlags()).toEqual(
      // A Maildir has no letter for it.
      server.mailbox.readFlags(collected).set("mail-131@example.org", ["forwarded"]),
    );
    expect((await world.readLabels()).get("mail-131@example.org")).toEqual(["Archive", "Project,2026"]);
    expect(server.mailbox.listFiles()).toEqual(files);
    expect(await sync()).toMatchObject({ read: 0 });
    await flag("remove", "Project,2026 $Forwarded", "Archive", "11");
    // NonJunk alone changes nothing that a record shows.
    await flag("remove", "NonJunk", "Archive", "11");
    expect(await sync()).toMatchObject({ read: 1 });
    await expectSame();
  });

  test("[COL-103] has the flags of all copies of a mail", async () => {
    await server.change("copy", "-u", user, "Sent", "mailbox", "Archive", "uid", "12");
    await sync();
    await server.change("flags", "add", "-u", user, "\\Flagged", "mailbox", "Archive", "uid", "12");
    await sync();
    await expectSame();
    expect((await world.readFlags()).get("mail-132@example.org")).toEqual(["flagged"]);
    await server.change("expunge", "-u", user, "mailbox", "Archive", "uid", "12");
    await sync();
    await expectSame();
    expect((await world.readFlags()).get("mail-132@example.org")).toEqual([]);
  });

  test("[COL-90] follows a copy that goes, and a mail that comes back", async () => {
    await server.change("expunge", "-u", user, "mailbox", "Sent", "header", "Message-ID", "mail-127@example.org");
    await server.change("move", "-u", user, "Sent", "mailbox", "Trash", "uid", "61");
    await sync();
    await expectSame();
    expect(await sync()).toMatchObject({ read: 0 });
  });

  test("[COL-93] recognizes mails when UIDVALIDITY changes, with the same UIDs or others", async () => {
    await server.change("mailbox", "update", "--uid-validity", "99", "-u", user, "Sent");
    await server.change("flags", "add", "-u", user, "\\Answered", "mailbox", "Sent", "uid", "30");
    expect(await sync()).toMatchObject({ read: 1 });
    await expectSame();
    expect(await sync()).toMatchObject({ read: 0 });
    await server.configure(capabilities === undefined ? {} : { capabilities });
    await server.change("expunge", "-u", user, "mailbox", "Archive", "uid", "9");
    server.mailbox.loseUids("Archive");
    deliver("Archive");
    // One is new and one gone.
    const { read } = await sync();
    expect(read).toBeLessThanOrEqual(4);
    await expectSame();
    expect(await sync()).toMatchObject({ read: 0 });
  });

  test("[COL-90] follows folders that are created, renamed and deleted", async () => {
    await server.change("mailbox", "rename", "-u", user, "Réunions", "Meetings");
    collected.push("Meetings", "Fresh");
    server.mailbox.createFolder("Fresh");
    deliver("Fresh", 2);
    await server.change("mailbox", "delete", "-u", user, "Sent");
    await sync();
    await expectSame();
    expect(await sync()).toMatchObject({ read: 0 });
  });

  test("[COL-90] brings everything again for a full refresh, which changes nothing", async () => {
    await server.change("expunge", "-u", user, "mailbox", "INBOX", "uid", "30");
    const run = await world.sync({ mode: "full_refresh" });
    const { messages } = run.tally.streams;
    expect(messages).toMatchObject({ stored: 0, changed: 0, deleted: 1 });
    await expectSame();
    await world.takeRuns();
    expect(await sync()).toMatchObject({ read: 0 });
  });
});
