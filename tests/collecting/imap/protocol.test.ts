import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dovecot, dovecotLacks, password, startDovecot, user } from "./dovecot.ts";
import { driveConnector, type Message } from "./independent-driver.ts";
import { writeMail } from "./mails.ts";

const listRecords = (messages: readonly Message[], stream: string): Message[] =>
  messages.filter((message) => message.type === "RECORD" && message.stream === stream);

describe(`the IMAP connector under another host${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, () => {
  const test = it.skipIf(dovecotLacks !== undefined);
  const dice = createRandom(3);
  const state = mkdtempSync(join(tmpdir(), "pdpp-mail-state-"));
  let server: Dovecot;
  let env: Record<string, string>;
  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    server = await startDovecot();
    for (const name of ["INBOX", "Sent", "Lists"]) server.mailbox.createFolder(name);
    for (let n = 1; n <= 40; n += 1) server.mailbox.deliver(n % 2 === 0 ? "INBOX" : "Sent", writeMail(dice, n));
    const address = { IMAP_HOST: "127.0.0.1", IMAP_PORT: String(server.port), IMAP_SECURITY: "none", IMAP_USER: user };
    env = { ...address, IMAP_PASSWORD: password };
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(state, { recursive: true, force: true });
  });

  test("[COL-98] speaks the public protocol, and continues from its cursor", async () => {
    const first = await driveConnector(env);
    expect(first.code).toBe(0);
    expect(first.messages.at(-1)).toMatchObject({ type: "DONE", status: "succeeded", records_emitted: 42 });
    const mails = listRecords(first.messages, "messages");
    expect(mails).toHaveLength(40);
    expect(new Set(mails.map(({ key }) => key)).size).toBe(40);
    expect(mails[0]?.data).toMatchObject({ id: mails[0]?.key, html: null });
    expect(listRecords(first.messages, "attachments")[0]?.data).toMatchObject({ blob_ref: null, text: /boiler/ });
    expect((await driveConnector(env, first.cursors)).messages).toMatchObject([{ type: "DONE", records_emitted: 0 }]);

    server.mailbox.deliver("Lists", writeMail(dice, 41));
    await server.change("expunge", "-u", user, "mailbox", "INBOX", "uid", "3");
    const next = await driveConnector(env, first.cursors);
    expect(listRecords(next.messages, "messages")).toMatchObject([{ key: "mail-41@example.org" }]);
    const skipped = next.messages.find(({ type }) => type === "SKIP_RESULT");
    expect(skipped).toMatchObject({ stream: "messages", reason: "deletions_unknown" });
    // It is said once.
    expect((await driveConnector(env, next.cursors)).messages).toMatchObject([{ type: "DONE", records_emitted: 0 }]);
  });

  test("[COL-96] ends after its share of mails, and goes on there", async () => {
    for (const more of [{}, { PDPP_STATE_DIR: state }]) {
      const keys: (string | undefined)[] = [];
      let cursors: Record<string, unknown> | null = null;
      let runs = 0;
      for (let hasMore = true; hasMore; runs += 1) {
        const run = await driveConnector({ ...env, ...more, IMAP_MAILS_PER_RUN: "15" }, cursors);
        expect(run.messages.at(-1)).toMatchObject({ status: "succeeded" });
        keys.push(...listRecords(run.messages, "messages").map(({ key }) => key));
        hasMore = run.messages.some(({ reason }) => reason === "run_limit");
        cursors = run.cursors;
      }
      expect(runs).toBeGreaterThan(1);
      expect(keys).toHaveLength(40);
      expect(new Set(keys).size).toBe(40);
    }
  });

  test("[COL-95] reports deletions only after all folders were read", async () => {
    const kept = { ...env, PDPP_STATE_DIR: state, IMAP_MAILS_PER_RUN: "1" };
    for (const name of readdirSync(state)) rmSync(join(state, name));
    const { cursors } = await driveConnector({ ...kept, IMAP_MAILS_PER_RUN: "" });
    await server.change("move", "-u", user, "Lists", "mailbox", "Sent", "uid", "2");
    await server.change("move", "-u", user, "INBOX", "mailbox", "Sent", "uid", "3");
    await server.change("expunge", "-u", user, "mailbox", "Sent", "uid", "4");
    const first = await driveConnector(kept, cursors);
    const [early, ...more] = listRecords(first.messages, "messages");
    expect(more).toEqual([]);
    const second = await driveConnector(kept, first.cursors);
    const [late, gone] = listRecords(second.messages, "messages");
    expect([early, late].map((record) => JSON.stringify(record?.data?.labels)).sort()).toEqual([
      '["INBOX"]',
      '["Lists"]',
    ]);
    expect(gone).toMatchObject({ key: "mail-7@example.org", op: "delete" });
    expect((await driveConnector(kept, second.cursors)).messages).toHaveLength(1);
  });

  test("[COL-103] collects changed flags over several runs, and loses none", async () => {
    const kept = { ...env, PDPP_STATE_DIR: state };
    for (const name of readdirSync(state)) rmSync(join(state, name));
    // Each is fetched alone, so a run ends between them.
    server.mailbox.createFolder("Large");
    for (let n = 60; n < 63; n += 1)
      server.mailbox.deliver("Large", writeMail(dice, n + 1).concat("boiler\n".repeat(310_000)));
    let { cursors } = await driveConnector(kept);
    await server.change("flags", "add", "-u", user, "\\Seen", "mailbox", "Lists", "all");
    await server.change("flags", "add", "-u", user, "\\Seen", "mailbox", "Large", "all");
    await server.change("flags", "add", "-u", user, "\\Seen", "mailbox", "Sent", "uid", "6:12");
    const keys: (string | undefined)[] = [];
    let runs = 0;
    for (let hasMore = true; hasMore; runs += 1) {
      const run = await driveConnector({ ...kept, IMAP_MAILS_PER_RUN: "1" }, cursors);
      const records = listRecords(run.messages, "messages");
      for (const { data } of records) expect(data?.flags).toEqual(["seen"]);
      keys.push(...records.map(({ key }) => key));
      hasMore = run.messages.some(({ reason }) => reason === "run_limit");
      cursors = run.cursors;
    }
    expect(runs).toBeGreaterThanOrEqual(4);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(12);
    await server.change("mailbox", "delete", "-u", user, "Large");
    cursors = (await driveConnector(kept, cursors)).cursors;
    expect((await driveConnector(kept, cursors)).messages).toHaveLength(1);
  });

  test("[COL-98] [COL-103] rebuilds what it knew from headers if that is lost", async () => {
    const kept = { ...env, PDPP_STATE_DIR: state };
    for (const name of readdirSync(state)) rmSync(join(state, name));
    const first = await driveConnector(kept);
    for (const name of readdirSync(state)) rmSync(join(state, name));
    server.mailbox.deliver("Lists", writeMail(dice, 42));
    await server.change("flags", "add", "-u", user, "\\Flagged", "mailbox", "INBOX", "uid", "10");
    const rebuilt = await driveConnector(kept, first.cursors);
    const sent = listRecords(rebuilt.messages, "messages");
    expect(sent.map(({ data }) => data?.flags)).toEqual([["flagged"], []]);
    expect(sent[1]).toMatchObject({ key: "mail-42@example.org" });
    expect(rebuilt.messages.find(({ type }) => type === "SKIP_RESULT")).toMatchObject({ reason: "deletions_unknown" });
    await server.change("expunge", "-u", user, "mailbox", "Sent", "header", "Message-ID", "mail-39@example.org");
    const next = await driveConnector(kept, rebuilt.cursors);
    expect(listRecords(next.messages, "messages")).toMatchObject([{ key: "mail-39@example.org", op: "delete" }]);
  });

  test("[COL-90] keeps mails that are gone, or collects some folders, if the owner says so", async () => {
    const chosen = { ...env, IMAP_FOLDERS: "inbox, Nothing", IMAP_ABSENT: "keep", PDPP_STATE_DIR: state };
    for (const name of readdirSync(state)) rmSync(join(state, name));
    const first = await driveConnector(chosen);
    expect(new Set(listRecords(first.messages, "messages").map(({ data }) => JSON.stringify(data?.labels)))).toEqual(
      new Set(['["INBOX"]']),
    );
    expect(first.messages.find(({ type }) => type === "SKIP_RESULT")).toMatchObject({ reason: "folder_missing" });
    await server.change("expunge", "-u", user, "mailbox", "INBOX", "uid", "5");
    const next = await driveConnector(chosen, first.cursors);
    expect(next.messages.at(-1)).toMatchObject({ status: "succeeded", records_emitted: 0 });
  });

  test("[COL-99] names what it cannot collect, once, and tells apart mails with the same Message-ID", async () => {
    for (const name of readdirSync(state)) rmSync(join(state, name));
    server.mailbox.createFolder("Odd");
    server.mailbox.deliver("Odd", "");
    server.mailbox.deliver("Odd", "no headers at all\n");
    for (const subject of ["One", "Two"])
      server.mailbox.deliver("Odd", writeMail(dice, 50, { Subject: subject, "Message-ID": "<same@example.org>" }));
    server.mailbox.deliver("Odd", writeMail(dice, 51, { "Message-ID": "" }));
    const odd = { ...env, IMAP_FOLDERS: "Odd", PDPP_STATE_DIR: state };
    const first = await driveConnector(odd);
    expect(first.messages.filter(({ type }) => type === "SKIP_RESULT")).toMatchObject([
      { reason: "not_a_mail", message: expect.stringMatching(/^Mail 1 in Odd: /) },
      { reason: "not_a_mail" },
    ]);
    const keys = listRecords(first.messages, "messages").map(({ key }) => key);
    expect(keys).toEqual([
      "same@example.org",
      expect.stringMatching(/^same@example.org~[0-9a-f]{12}$/),
      expect.stringMatching(/^h1_/),
    ]);
    expect((await driveConnector(odd, first.cursors)).messages).toHaveLength(1);
    server.mailbox.loseUids("Odd");
    await server.configure({});
    expect((await driveConnector(odd, first.cursors)).messages.at(-1)).toMatchObject({ status: "succeeded" });
  });
});
