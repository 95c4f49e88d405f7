import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCredentials } from "#collecting/credentials/credentials";
import { startCollecting } from "#collecting/schedule/start-collecting";
import { watchAccount } from "#connectors/imap/watch/watch-account";
import { type Dovecot, dovecotLacks, lesserServers, password, startDovecot, user } from "./dovecot.ts";
import { writeMail } from "./mails.ts";
import { createMailWorld } from "./world.ts";

describe(`a watched mail account${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, () => {
  const test = it.skipIf(dovecotLacks !== undefined);
  const dice = createRandom(31);
  let server: Dovecot;
  let env: Record<string, string>;
  let written = 0;
  const deliver = (folder: string): void => {
    written += 1;
    server.mailbox.deliver(folder, writeMail(dice, written));
  };
  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    server = await startDovecot();
    for (const folder of ["INBOX", "Lists", "Trash"]) server.mailbox.createFolder(folder);
    for (let n = 0; n < 5; n += 1) deliver("INBOX");
    const address = { IMAP_HOST: "127.0.0.1", IMAP_PORT: String(server.port), IMAP_SECURITY: "none", IMAP_USER: user };
    env = { ...address, IMAP_PASSWORD: password };
  });
  afterAll(() => server?.stop());

  const watch = (checkMs: number, more: Record<string, string> = {}) => {
    const stop = new AbortController();
    let changes = 0;
    const onChange = (): void => {
      changes += 1;
    };
    const ended = watchAccount({ ...env, ...more }, { signal: stop.signal, onChange, checkMs });
    return { stop: () => stop.abort(), ended, count: () => changes };
  };

  test("[COL-100] says at once that the inbox changed, and only then", async () => {
    const watched = watch(3_600_000);
    await expect.poll(() => server.countConnections()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(watched.count()).toBe(1);
    deliver("INBOX");
    await expect.poll(watched.count).toBe(2);
    await server.change("expunge", "-u", user, "mailbox", "INBOX", "uid", "1");
    await expect.poll(watched.count).toBe(3);
    watched.stop();
    await watched.ended;
    await expect.poll(() => server.countConnections()).toBe(0);
  });

  test("[COL-78] [COL-100] makes a server collect at once, with the saved password", async () => {
    const world = await createMailWorld(server);
    const bugs: unknown[] = [];
    const credentials = openCredentials(world.owner, {
      keyFolder: world.folder,
      protection: "file",
      getPassphrase: async () => "",
    });
    await credentials.save("account", { IMAP_PASSWORD: password });
    const collecting = startCollecting({
      store: world.store,
      dataDir: world.folder,
      env: {},
      openCredentials: () => credentials,
      onBug: (error) => bugs.push(error),
    });
    const countMails = async () => (await world.readRecords("messages")).length;
    await expect.poll(async () => (await world.owner.sources.get("account")).last_success_at).toBeDefined();
    const before = await countMails();
    await expect.poll(() => server.countConnections()).toBe(1);
    deliver("INBOX");
    await expect.poll(countMails).toBe(before + 1);
    await collecting.close();
    expect(bugs).toEqual([]);
    await expect.poll(() => server.countConnections()).toBe(0);
    await world.drop();
  });

  test("[COL-100] notices changes of other folders, dropped connections in between, but not of trash", async () => {
    const watched = watch(200);
    await expect.poll(() => server.countConnections()).toBe(1);
    deliver("Trash");
    server.dropConnections();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(watched.count()).toBe(1);
    deliver("Lists");
    await expect.poll(watched.count).toBe(2);
    watched.stop();
    await watched.ended;
  });

  test("[COL-100] compares now and then where the server announces nothing, and ends if it cannot sign in", async () => {
    await watch(200, { IMAP_PASSWORD: "wrong" }).ended;
    await server.configure({ capabilities: lesserServers.bare });
    const watched = watch(200);
    await expect.poll(() => server.countConnections()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    deliver("INBOX");
    await expect.poll(watched.count).toBe(2);
    watched.stop();
    await watched.ended;
  });
});
