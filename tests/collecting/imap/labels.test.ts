import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { driveConnector } from "./independent-driver.ts";
import { writeMail } from "./mails.ts";
import { ScriptedServer } from "./scripted-server.ts";

describe("a mail account with labels", () => {
  const dice = createRandom(41);
  const state = mkdtempSync(join(tmpdir(), "pdpp-labels-"));
  const server = new ScriptedServer();
  let cursors: Record<string, unknown> | null = null;
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.stop();
    rmSync(state, { recursive: true, force: true });
  });

  const drive = () => {
    const address = { IMAP_HOST: "127.0.0.1", IMAP_PORT: String(server.port), IMAP_SECURITY: "none" };
    return driveConnector({ ...address, IMAP_USER: "u", IMAP_PASSWORD: "p", PDPP_STATE_DIR: state }, cursors);
  };
  const sync = async () => {
    const { messages, cursors: saved } = await drive();
    expect(messages.at(-1)).toMatchObject({ type: "DONE", status: "succeeded" });
    cursors = { ...cursors, ...saved };
    return messages
      .filter(({ type, stream }) => type === "RECORD" && stream === "messages")
      .map(({ key, op, data }) => ({ key, op, labels: data?.labels, flags: data?.flags, thread: data?.thread_id }));
  };
  const name = (n: number): string => `mail-${n}@example.org`;

  it("[COL-101] collects the folder with all mails, with their labels and threads", async () => {
    server.deliver(writeMail(dice, 1), '"\\\\Inbox" "Häuser" "\\\\Important"'.replace("Häuser", "H&AOQ-user"), "1777");
    server.deliver(writeMail(dice, 2), '"\\\\Sent"', "1777");
    server.deliver(writeMail(dice, 3), "", "1778");
    expect(await sync()).toEqual([
      { key: name(1), op: undefined, labels: ["Häuser", "Important", "Inbox"], flags: [], thread: "gmail:1777" },
      { key: name(2), op: undefined, labels: ["Sent"], flags: [], thread: "gmail:1777" },
      { key: name(3), op: undefined, labels: [], flags: [], thread: "gmail:1778" },
    ]);
    expect(new Set(server.opened)).toEqual(new Set(["[Gmail]/All Mail"]));
    expect(await sync()).toEqual([]);
  });

  it("[COL-101] [COL-103] follows labels and flags that change", async () => {
    server.relabel(1, '"H&AOQ-user"');
    server.flag(2, "$MDNSent");
    expect(await sync()).toMatchObject([{ key: name(1), labels: ["Häuser"], flags: [] }]);
    server.flag(2, "\\Seen \\Flagged $MDNSent");
    expect(await sync()).toMatchObject([{ key: name(2), labels: ["Sent"], flags: ["flagged", "seen"] }]);
    expect(await sync()).toEqual([]);
    server.relabel(3, "Later");
    server.remove(2);
    server.deliver(writeMail(dice, 4), '"\\\\Inbox"', "1779");
    expect(await sync()).toMatchObject([
      { key: name(3), labels: ["Later"] },
      { key: name(4), labels: ["Inbox"] },
      { key: name(2), op: "delete" },
    ]);
    expect(await sync()).toEqual([]);
  });

  it("[COL-95] does not take an answer that is too short for deletions", async () => {
    server.remove(1);
    server.shortSearches = 1;
    expect(await sync()).toMatchObject([{ key: name(1), op: "delete" }]);
    expect(server.shortSearches).toBe(0);
    expect(await sync()).toEqual([]);
  });

  it("[COL-97] does not ask for another password when there are too many connections", async () => {
    server.refusal = "[LIMIT] Maximum number of connections exceeded";
    const failed = (await drive()).messages.at(-1);
    expect(failed?.error).toMatchObject({ code: "server_busy", recovery_hint: "retry_by_runtime" });
    server.refusal = "[AUTHENTICATIONFAILED] Invalid credentials";
    expect((await drive()).messages.at(-1)?.error).toMatchObject({ recovery_hint: "refresh_credentials" });
    server.refusal = undefined;
  });
});
