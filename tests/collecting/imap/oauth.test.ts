import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ForeignProvider, startProvider } from "../credentials/foreign-provider.ts";
import { startSourceCommand } from "../credentials/provider-world.ts";
import { type Dovecot, dovecotLacks, startDovecot, user } from "./dovecot.ts";
import { writeMail } from "./mails.ts";

describe(`a mail account with OAuth${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, () => {
  const test = it.skipIf(dovecotLacks !== undefined);
  let provider: ForeignProvider;
  let server: Dovecot;
  let vault: CliVault;
  let delivered = 0;
  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    provider = await startProvider();
    server = await startDovecot({ introspectionUrl: provider.introspectionUrl });
    vault = createCliVault({ isInProcess: true });
    server.mailbox.createFolder("INBOX");
    deliver(20);
    const place = ["--host", "127.0.0.1", "--port", String(server.port), "--security", "none"];
    await vault.json(["source", "add", "imap", ...place, "--user", user]);
  });
  afterAll(async () => {
    vault?.drop();
    await server?.stop();
    await provider?.stop();
  });

  function deliver(count: number): void {
    for (let n = 0; n < count; n += 1) {
      delivered += 1;
      server.mailbox.deliver("INBOX", writeMail(createRandom(delivered), delivered));
    }
  }
  const client = () => [
    "--issuer",
    provider.issuer,
    "--client-id",
    provider.clientId,
    "--scope",
    "openid offline_access mail",
  ];
  const signIn = async (...more: string[]) => {
    const signing = startSourceCommand(vault, ["sign-in", "imap", ...more]);
    if (more.includes("--device")) {
      await expect.poll(signing.read).toMatch(/enter \S+/);
      const [, url = "", code = ""] = /^Open (\S+) on any device and enter (\S+)/m.exec(signing.read()) ?? [];
      await provider.enterCode(url, code);
    } else {
      await expect.poll(signing.read).toMatch(/^http:.*\n/m);
      await provider.visit(/^http:.*$/m.exec(signing.read())?.[0] ?? "");
    }
    const { code, text } = await signing.ended;
    expect(code, text).toBe(0);
  };
  const sync = async (): Promise<RunDocument | undefined> => {
    const ran = await vault.run(["source", "sync", "imap", "--json"]);
    return (JSON.parse(ran.stdout) as { data: RunDocument[] }).data[0];
  };
  const listRuns = async (limit: number) =>
    (await vault.json<{ data: RunDocument[] }>(["source", "runs", "imap", "--limit", String(limit)])).data;
  const show = () => vault.json<SourceDocument>(["source", "show", "imap"]);
  const countRefreshes = (): number => provider.requests.get("refresh_token") ?? 0;

  test("[COL-102] is collected with the access token of a sign-in by code", async () => {
    expect((await sync())?.error).toMatchObject({ recovery: "refresh_credentials" });
    await signIn("--oauth", "custom", ...client(), "--device");
    expect(await sync()).toMatchObject({ status: "succeeded", tally: { streams: { messages: { stored: 20 } } } });
    expect(countRefreshes()).toBe(0);
  });

  test("[COL-102] gets another token when the mail server no longer takes the one it has", async () => {
    // Known to expire, as by the provider's word.
    provider.accessTokenSeconds = 1;
    await signIn("--no-browser");
    provider.accessTokenSeconds = 3600;
    deliver(5);
    expect(await sync()).toMatchObject({ status: "succeeded", tally: { streams: { messages: { stored: 5 } } } });
    expect(countRefreshes()).toBe(1);
    // Ended early, which only the mail server notices.
    provider.endAccessTokens();
    deliver(5);
    expect(await sync()).toMatchObject({ status: "succeeded", tally: { streams: { messages: { stored: 5 } } } });
    expect(countRefreshes()).toBe(2);
    expect((await listRuns(2)).map(({ status }) => status)).toEqual(["succeeded", "failed"]);
    expect((await show()).needs).toBeUndefined();
  });

  test("[COL-102] says that a person must sign in again after access was revoked, and continues afterwards", async () => {
    await provider.revoke();
    deliver(5);
    const run = await sync();
    expect(run).toMatchObject({
      status: "failed",
      error: { recovery: "refresh_credentials", is_retryable: false, message: /sign-in is no longer valid/ },
    });
    expect(await show()).toMatchObject({ needs: "credentials", sign_in: "oauth" });
    expect((await vault.run(["source", "list"])).stdout).toContain("Needs you to sign in again");
    await signIn("--no-browser");
    expect(await sync()).toMatchObject({ status: "succeeded", tally: { streams: { messages: { stored: 5 } } } });
    expect((await show()).needs).toBeUndefined();
  });
});
