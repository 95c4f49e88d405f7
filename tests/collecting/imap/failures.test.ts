import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dovecot, dovecotLacks, password, startDovecot, user } from "./dovecot.ts";
import { driveConnector } from "./independent-driver.ts";
import { writeMail } from "./mails.ts";

describe(`a mail account that cannot be read${dovecotLacks === undefined ? "" : ` (lacks ${dovecotLacks})`}`, () => {
  const test = it.skipIf(dovecotLacks !== undefined);
  const folder = mkdtempSync(join(tmpdir(), "pdpp-mail-tls-"));
  const certificate = join(folder, "certificate.pem");
  const key = join(folder, "key.pem");
  let server: Dovecot;
  let env: Record<string, string>;
  beforeAll(async () => {
    if (dovecotLacks !== undefined) return;
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const files = ["-keyout", key, "-out", certificate];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names, ...files], {
      stdio: "ignore",
    });
    for (const path of [folder, certificate, key]) chmodSync(path, 0o755);
    server = await startDovecot();
    server.mailbox.createFolder("INBOX");
    for (let n = 1; n <= 20; n += 1) server.mailbox.deliver("INBOX", writeMail(createRandom(n), n));
    env = { IMAP_HOST: "127.0.0.1", IMAP_PORT: String(server.port), IMAP_USER: user, IMAP_PASSWORD: password };
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const fail = async (more: Record<string, string>) => {
    const { messages, code, stderr } = await driveConnector({ ...env, ...more });
    expect(code).toBe(1);
    expect(stderr).not.toContain(password);
    expect(JSON.stringify(messages)).not.toContain(password);
    const done = messages.at(-1);
    expect(done).toMatchObject({ type: "DONE", status: "failed" });
    return done?.error;
  };

  test("[COL-97] says what is wrong with settings and passwords", async () => {
    const plain = { IMAP_SECURITY: "none" };
    expect(await fail({ ...plain, IMAP_PASSWORD: "wrong-password" })).toMatchObject({
      code: "sign_in_failed",
      recovery_hint: "refresh_credentials",
    });
    expect(await fail({ ...plain, IMAP_PASSWORD: "" })).toMatchObject({ recovery_hint: "refresh_credentials" });
    expect(await fail({ ...plain, IMAP_HOST: "" })).toMatchObject({ message: /IMAP_HOST is missing/ });
    expect(await fail({ IMAP_SECURITY: "some" })).toMatchObject({ message: /tls, starttls, none/ });
    expect(await fail({ ...plain, IMAP_PORT: "1" })).toMatchObject({ recovery_hint: "retry_by_runtime" });
    expect(await fail({ ...plain, IMAP_HOST: "no-such-host.invalid" })).toMatchObject({
      code: /server_not_found|connection_failed/,
      recovery_hint: "retry_by_runtime",
    });
  });

  test("[COL-97] sends no password without TLS unless the owner chose that", async () => {
    const relay = await recordTraffic(server.port);
    const through = { IMAP_PORT: String(relay.port) };
    expect(await fail({ ...through, IMAP_SECURITY: "starttls" })).toMatchObject({ code: "tls_failed" });
    expect(await fail(through)).toMatchObject({ code: "tls_failed", recovery_hint: "manual_action_required" });
    expect(relay.read()).not.toContain(password);
    expect(relay.read()).not.toContain(Buffer.from(password).toString("base64"));
    expect((await driveConnector({ ...env, ...through, IMAP_SECURITY: "none" })).code).toBe(0);
    await relay.close();
  });

  test("[COL-97] trusts certificates that the system trusts, and no others", async () => {
    await server.configure({ tls: { certificate, key } });
    const secure = { IMAP_HOST: "localhost", IMAP_SECURITY: "starttls" };
    expect(await fail(secure)).toMatchObject({ code: "certificate_rejected", message: /does not trust/ });
    const trusting = await driveConnector({ ...env, ...secure, NODE_EXTRA_CA_CERTS: certificate });
    expect(trusting.messages.at(-1)).toMatchObject({ status: "succeeded", records_emitted: 21 });
    await server.configure({});
  });

  test("[COL-95] reads mails over a line that breaks within each of them", async () => {
    server.mailbox.deliver("INBOX", `${writeMail(createRandom(99), 99)}${"a long line of text\n".repeat(500_000)}`);
    const relay = await recordTraffic(server.port, 6_000_000);
    const through = { ...env, IMAP_PORT: String(relay.port), IMAP_SECURITY: "none" };
    const { messages } = await driveConnector(through);
    expect(messages.at(-1)).toMatchObject({ status: "succeeded" });
    const long = messages.find(({ key: id }) => id === "mail-99@example.org");
    expect(String(long?.data?.body_text).length).toBeGreaterThan(9_000_000);
    expect(relay.countConnections()).toBeGreaterThan(1);
    await relay.close();
  });
});

/** Passes bytes on to the server, and keeps what clients sent. Each connection ends after this many bytes from the server. */
async function recordTraffic(port: number, mostBytes = Number.POSITIVE_INFINITY) {
  const sent: Buffer[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const { connect } = await import("node:net");
  const relay: Server = createServer((client) => {
    connections += 1;
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    let passed = 0;
    client.on("data", (chunk) => sent.push(Buffer.from(chunk)));
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      passed += chunk.length;
      if (passed > mostBytes) for (const socket of [client, upstream]) socket.destroy();
      else client.write(chunk);
    });
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    read: () => Buffer.concat(sent).toString("latin1"),
    countConnections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        relay.close(() => resolve());
      }),
  };
}
