import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer } from "node:net";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isUnchanged } from "#collecting/run/check-unchanged";
import { isAccountUnchanged } from "#connectors/imap/watch/check-account";
import { type Dovecot, dovecotLacks, startDovecot, user } from "./dovecot.ts";
import { writeMail } from "./mails.ts";
import { createMailWorld, type MailWorld } from "./world.ts";

describe(`an account without news${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, () => {
  const test = it.skipIf(dovecotLacks !== undefined);
  const dice = createRandom(51);
  let server: Dovecot;
  let world: MailWorld;
  let processes = 0;
  const count = (): void => {
    processes += 1;
  };
  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    server = await startDovecot();
    for (const folder of ["INBOX", "Sent"]) server.mailbox.createFolder(folder);
    for (let n = 1; n <= 6; n += 1) server.mailbox.deliver(n % 2 === 0 ? "Sent" : "INBOX", writeMail(dice, n));
    world = await createMailWorld(server);
    subscribe("child_process", count);
  });
  afterAll(async () => {
    unsubscribe("child_process", count);
    await world?.drop();
    await server?.stop();
  });

  const sync = async (more: Parameters<MailWorld["sync"]>[0] = {}) => {
    processes = 0;
    const { status, tally, error } = await world.sync(more);
    return { status, read: tally.read, error, startedProcesses: processes > 0 };
  };

  test("[COL-104] is collected without a process, and is up to date", async () => {
    expect(await sync()).toMatchObject({ status: "succeeded", read: 6, startedProcesses: true });
    const before = await world.owner.sources.get("account");
    expect(await sync()).toEqual({ status: "succeeded", read: 0, startedProcesses: false });
    const after = await world.owner.sources.get("account");
    expect(Date.parse(after.last_success_at ?? "")).toBeGreaterThan(Date.parse(before.last_success_at ?? ""));
    await server.change("flags", "add", "-u", user, "\\Seen", "mailbox", "Sent", "uid", "1");
    expect(await sync()).toMatchObject({ read: 1, startedProcesses: true });
    expect(await sync()).toMatchObject({ read: 0, startedProcesses: false });
    expect(await sync({ mode: "full_refresh" })).toMatchObject({ read: 6, startedProcesses: true });
  });

  test("[COL-104] leaves every doubt to the connector", async () => {
    expect(await sync({ env: { IMAP_PASSWORD: "changed" } })).toMatchObject({
      status: "failed",
      error: { recovery: "refresh_credentials" },
      startedProcesses: true,
    });
    expect(await sync()).toMatchObject({ status: "succeeded", startedProcesses: false });
  });

  test("[COL-104] does not hold up a run that is cancelled while the server says nothing", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const address = silent.address();
    const stop = new AbortController();
    silent.once("connection", () => stop.abort());
    const env = { IMAP_HOST: "127.0.0.1", IMAP_SECURITY: "none", IMAP_USER: user, IMAP_PASSWORD: "x" };
    const settings = { ...env, IMAP_PORT: String(typeof address === "object" ? address?.port : 0) };
    const folder = { validity: "1", next: 1, count: 0, generation: "a", facts: 0 };
    const cursors = { messages: { version: 2, folders: { INBOX: folder } } };
    const request = { mode: "incremental", settings, signal: stop.signal, isUnchanged: isAccountUnchanged } as const;
    expect(await isUnchanged(request, cursors, {})).toBe(false);
    silent.close();
  });
});
