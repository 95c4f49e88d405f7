import { once } from "node:events";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get as getHttps } from "node:https";
import { connect as connectPlain } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { type RunningServer, serve } from "@pdpp/server/main";
import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { type Ready, startServer } from "@pdpp/test-support/processes/server-process";
import { type Authority, createAuthority, hasOpenssl, trustAuthority } from "@pdpp/test-support/web/certificates";
import { createPerson } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadCertificate } from "#server/http/tls/certificate";
import { findStrictTransport } from "#server/http/tls/plain-requests";

const folder = mkdtempSync(join(tmpdir(), "pdpp-tls-"));
const isRoot = process.getuid?.() === 0;
/** An address of this computer that is not its loopback: what another computer would use. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
let authority: Authority;
let distrust: () => void;
beforeAll(() => {
  if (!hasOpenssl) return;
  authority = createAuthority(folder);
  distrust = trustAuthority(authority);
});
afterAll(() => {
  distrust?.();
  rmSync(folder, { recursive: true, force: true });
});

let vaults = 0;
const newDataDir = (): string => join(folder, `vault-${++vaults}`);
const portOf = (url: string): number => Number(new URL(url).port);

/** What a real TLS client learns about a server before it sends anything. */
async function handshake(url: string): Promise<{ subject: string; protocol: string | null }> {
  const socket = connect({ host: "127.0.0.1", port: portOf(url), servername: "localhost", ca: authority.pem });
  await once(socket, "secureConnect");
  const seen = { subject: String(socket.getPeerCertificate().subject.CN), protocol: socket.getProtocol() };
  socket.destroy();
  return seen;
}

describe.skipIf(!hasOpenssl)("a server with a certificate (needs openssl)", () => {
  let server: RunningServer;
  beforeAll(async () => {
    const tls = authority.issue("home", ["DNS:localhost", "DNS:vault.home.arpa", "IP:127.0.0.1"]);
    const host = ownAddress === undefined ? "127.0.0.1" : "0.0.0.0";
    server = await serve({ dataDir: newDataDir(), port: 0, host, demo: true, tls });
  });
  afterAll(() => server?.close());

  it("[OPS-8] answers at the certificate's first name, to clients that verify it", async () => {
    expect(server.url).toMatch(/^https:\/\/localhost:\d+$/);
    const headers = { authorization: `Bearer ${server.demoToken}` };
    const overTls = await fetch(`${server.url}/v1/streams`, { headers });
    const overHttp = await fetch(`http://127.0.0.1:${portOf(server.url)}/v1/streams`, { headers });
    expect([overTls.status, await overTls.text()]).toEqual([200, await overHttp.text()]);
    expect(await handshake(server.url)).toEqual({ subject: "home", protocol: "TLSv1.3" });
    const stranger = connect({ host: "127.0.0.1", port: portOf(server.url), servername: "localhost", ca: [] });
    const [error] = await once(stranger, "error");
    expect(String(error)).toMatch(/UNABLE_TO|self.signed|unable to/i);
  });

  it("[OPS-8] refuses versions of TLS before 1.2", async () => {
    const old = connect({
      host: "127.0.0.1",
      port: portOf(server.url),
      ca: authority.pem,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    await once(old, "error");
    expect(old.destroyed).toBe(true);
  });

  it("[OPS-8] names itself with https to clients, and by every name of its certificate", async () => {
    const metadata = await (await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`)).json();
    expect(metadata).toMatchObject({ resource: `${server.url}/mcp`, authorization_servers: [server.url] });
    const status = await new Promise((resolve, reject) => {
      const request = getHttps(
        {
          host: "127.0.0.1",
          port: portOf(server.url),
          path: "/",
          servername: "vault.home.arpa",
          headers: { host: `vault.home.arpa:${portOf(server.url)}`, accept: "application/json" },
          agent: new Agent({ ca: authority.pem }),
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on("error", reject);
    });
    expect(status).toBe(200);
  });

  it("[OPS-8] keeps sessions in a __Host- cookie that is secure", async () => {
    const cookies: string[] = [];
    const person = createPerson(
      async (request) => {
        const answer = await fetch(request, { redirect: "manual" });
        cookies.push(...answer.headers.getSetCookie());
        return answer;
      },
      () => false,
    );
    const link = new URL(server.signInUrl);
    expect(link.origin).toBe(server.url);
    const home = await person.send(await person.open(link.href), { code: link.hash.slice(1) });
    expect([home.status, home.url]).toEqual([200, `${server.url}/`]);
    const session = cookies.find((cookie) => cookie.includes("pdpp_session"));
    expect(session).toMatch(/^__Host-pdpp_session\w*=.+; Path=\/; .*HttpOnly; Secure/);
  });

  it("[OPS-8] [FAIR-1] takes a large request in pieces", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","padding":"${"x".repeat(200_000)}"}`;
    for (const url of [server.url, `http://127.0.0.1:${portOf(server.url)}`]) {
      const answer = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${server.demoToken}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body,
      });
      expect(answer.status, url).toBeLessThan(500);
      expect(await answer.text()).toContain('"id":1');
    }
  });

  it("[OPS-10] sends a browser of plain http to https, and answers programs of this computer", async () => {
    const plain = `http://127.0.0.1:${portOf(server.url)}`;
    expect((await fetch(`${plain}/healthz`)).status).toBe(200);
    const page = await fetch(`${plain}/sign-in?next=%2F`, { headers: { accept: "text/html" }, redirect: "manual" });
    expect([page.status, page.headers.get("location")]).toEqual([308, `${server.url}/sign-in?next=%2F`]);
    const form = await fetch(`${plain}/sign-in`, { method: "POST", headers: { accept: "text/html" }, body: "code=x" });
    expect([form.status, await form.json()]).toMatchObject([421, { error: { code: "misdirected_request" } }]);
  });

  it.skipIf(ownAddress === undefined)(
    "[OPS-10] rejects plain http from another computer (needs a network address)",
    async () => {
      const plain = `http://${ownAddress}:${portOf(server.url)}`;
      const read = await fetch(`${plain}/v1/streams`, { headers: { authorization: `Bearer ${server.demoToken}` } });
      expect([read.status, await read.json()]).toMatchObject([
        421,
        { error: { message: `this server speaks https; use ${server.url}` } },
      ]);
      const page = await fetch(plain, { headers: { accept: "text/html" }, redirect: "manual" });
      expect([page.status, page.headers.get("location")]).toEqual([308, `${server.url}/`]);
    },
  );

  it("[OPS-8] [WEB-6] does not believe X-Forwarded-For", async () => {
    const guess = async (n: number): Promise<number> => {
      const answer = await fetch(`${server.url}/sign-in`, {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: server.url,
          "x-forwarded-for": `203.0.113.${n}`,
        },
        body: "code=guess",
        redirect: "manual",
      });
      await answer.text();
      return answer.status;
    };
    let status = 0;
    for (let n = 0; n < 40 && status !== 429; n += 1) status = await guess(n);
    expect(status).toBe(429);
  });

  it("[OPS-10] asks browsers for https only where it has the whole name", () => {
    const sent = Object.fromEntries(
      [
        "https://vault.example.org",
        "https://vault.example.org:7663",
        "https://localhost",
        "https://192.168.1.5",
        "https://[fd00::5]",
      ].map((url) => [url, findStrictTransport(url)]),
    );
    expect(sent).toEqual({ "https://vault.example.org": expect.stringMatching(/^max-age=\d+$/) });
  });
});

describe.skipIf(!hasOpenssl)("connections that never finish (needs openssl)", () => {
  it("[OPS-8] [FAIR-1] are ended, and do not keep others out", async () => {
    const tls = authority.issue("slow", ["DNS:localhost"]);
    const limits = { maxPerAddress: 5, headersMs: 300, checkEveryMs: 50 };
    const server = await serve({ dataDir: newDataDir(), port: 0, host: "127.0.0.1", tls, limits });
    try {
      const port = portOf(server.url);
      // One that is silent, one that stops in its handshake, one that sends nonsense, and one that is plain and slow.
      const openings = [
        "",
        "\x16\x03\x01\x02\x00\x01",
        `\x16${"nonsense".repeat(100)}`,
        "GET / HTTP/1.1\r\nHost: a\r\n",
      ];
      const ends = openings.map(async (opening) => {
        const socket = connectPlain(port, "127.0.0.1");
        socket.on("error", () => undefined).resume();
        socket.write(opening, "latin1");
        await once(socket, "close");
      });
      const crowd = Array.from({ length: 20 }, () => connectPlain(port, "127.0.0.1").on("error", () => undefined));
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await Promise.all(ends);
      await Promise.all(crowd.map((socket) => (socket.destroyed ? undefined : once(socket.resume(), "close"))));
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    } finally {
      await server.close();
    }
  });
});

describe.skipIf(!hasOpenssl)("a renewed certificate (needs openssl)", () => {
  it("[OPS-9] is used without a restart, and a broken one is not", async () => {
    using errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const linesAbout = (part: string): number =>
      errors.mock.calls.filter(([line]) => String(line).includes(part)).length;
    const hosts = ["DNS:localhost"];
    const [first, second, third] = ["first", "second", "third"].map((name) => authority.issue(name, hosts)) as [
      ReturnType<Authority["issue"]>,
      ReturnType<Authority["issue"]>,
      ReturnType<Authority["issue"]>,
    ];
    const used = { certFile: join(folder, "live.pem"), keyFile: join(folder, "live.key") };
    copyFileSync(first.certFile, used.certFile);
    copyFileSync(first.keyFile, used.keyFile);
    const tls = { ...used, checkEveryMs: 20 };
    const server = await serve({ dataDir: newDataDir(), port: 0, host: "127.0.0.1", tls });
    try {
      const agent = new Agent({ ca: authority.pem, keepAlive: true, maxSockets: 1 });
      const ask = (): Promise<boolean> =>
        new Promise((resolve, reject) => {
          const request = getHttps(`${server.url}/healthz`, { agent }, (response) => {
            response.resume().once("end", () => resolve(request.reusedSocket));
          });
          request.on("error", reject);
        });
      expect(await ask()).toBe(false);
      // Half of the new pair is not used, and is not yet a fault.
      copyFileSync(second.keyFile, used.keyFile);
      copyFileSync(second.certFile, used.certFile);
      await expect.poll(async () => (await handshake(server.url)).subject).toBe("second");
      expect(await ask()).toBe(true);
      expect(linesAbout("using the new certificate")).toBe(1);

      copyFileSync(third.keyFile, used.keyFile);
      await expect.poll(() => linesAbout("still using the old certificate")).toBe(1);
      expect(linesAbout("does not belong to the certificate")).toBe(1);
      for (let round = 0; round < 5; round += 1) expect((await handshake(server.url)).subject).toBe("second");
      rmSync(used.certFile);
      await expect.poll(() => linesAbout("there is no such file")).toBe(1);
      copyFileSync(third.certFile, used.certFile);
      await expect.poll(async () => (await handshake(server.url)).subject).toBe("third");
      expect([linesAbout("still using"), linesAbout("using the new certificate")]).toEqual([2, 2]);
      agent.destroy();
    } finally {
      await server.close();
    }
  });
});

describe.skipIf(!hasOpenssl)("certificates that cannot work (need openssl)", () => {
  const load = (certFile: string, keyFile: string, now = Date.now()) => loadCertificate({ certFile, keyFile }, now);

  it("[OPS-8] are refused with the file and the reason", async () => {
    const own = authority.issue("own", ["DNS:localhost"]);
    const other = authority.issue("other", ["DNS:localhost"]);
    const text = join(folder, "text.pem");
    writeFileSync(text, "not a certificate");
    await expect(load(own.certFile, own.keyFile)).resolves.toMatchObject({ names: ["localhost"] });
    await expect(load(own.certFile, other.keyFile)).rejects.toThrow(
      `the private key in ${other.keyFile} does not belong to the certificate in ${own.certFile}`,
    );
    await expect(load(text, own.keyFile)).rejects.toThrow(`${text} has no certificate in PEM format`);
    await expect(load(own.certFile, text)).rejects.toThrow(`${text} has no private key in PEM format`);
    await expect(load(join(folder, "none"), own.keyFile)).rejects.toThrow(/certificate .*none: there is no such file/);
    await expect(load(own.certFile, folder)).rejects.toThrow(`cannot read the private key ${folder}: EISDIR`);
    const inAMonth = Date.now() + 30 * 86_400_000;
    await expect(load(own.certFile, own.keyFile, inAMonth)).rejects.toThrow(/expired on \d{4}-\d\d-\d\d; renew it/);
    await expect(load(own.certFile, own.keyFile, 0)).rejects.toThrow("check this computer's clock");
    const locked = join(folder, "locked.key");
    const { createPrivateKey } = await import("node:crypto");
    const options = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" } as const;
    writeFileSync(locked, createPrivateKey(readFileSync(own.keyFile)).export(options));
    await expect(load(own.certFile, locked)).rejects.toThrow(`the private key in ${locked} has a passphrase`);
  });

  it.skipIf(isRoot)("[OPS-8] including files of another user (needs a user other than root)", async () => {
    const own = authority.issue("secret", ["DNS:localhost"]);
    chmodSync(own.keyFile, 0);
    await expect(load(own.certFile, own.keyFile)).rejects.toThrow("permission denied");
  });

  it("[OPS-8] stop pdpp serve before it listens", async () => {
    const vault = createCliVault();
    try {
      const expired = authority.issue("expired", ["DNS:localhost"], -1);
      const start = (args: readonly string[]) => vault.run(["serve", "--port", "0", ...args]);
      const files = ["--tls-cert", expired.certFile, "--tls-key", expired.keyFile];
      expect(await start(files)).toMatchObject({ code: 1, stderr: expect.stringMatching(/expired on .*; renew it/) });
      expect(await start(files.slice(0, 2))).toMatchObject({
        code: 64,
        stderr: expect.stringContaining("need each other"),
      });
      const nameless = authority.issue("nameless", []);
      const own = ["--tls-cert", nameless.certFile, "--tls-key", nameless.keyFile];
      expect(await start(own)).toMatchObject({ code: 1, stderr: expect.stringContaining("--public-url https://NAME") });
    } finally {
      vault.drop();
    }
  });
});

describe.skipIf(!hasOpenssl)("commands beside a server with a certificate (need openssl)", () => {
  it("[OPS-8] find it without knowing its issuer, and name its https address", async () => {
    const vault = createCliVault();
    const { certFile, keyFile } = authority.issue("commands", ["DNS:localhost"]);
    const home = { HOME: vault.directory };
    const env = cleanEnvironment({ ...home, PDPP_TLS_CERT: certFile, PDPP_TLS_KEY: keyFile });
    const server = startServer(["--json", "--data-dir", join(vault.directory, "vault")], env);
    try {
      const [line] = (await once(server.output, "line")) as [string];
      const ready = JSON.parse(line) as Ready & { readonly local_url: string; readonly sign_in_url: string };
      const port = portOf(ready.url);
      expect(ready).toMatchObject({
        url: `https://localhost:${port}`,
        local_url: `http://127.0.0.1:${port}`,
        sign_in_url: expect.stringContaining(`https://localhost:${port}/sign-in#`),
      });
      const opened = await vault.run(["open", "--no-browser"]);
      expect(opened).toMatchObject({ code: 0, stdout: expect.stringContaining(`${ready.url}/sign-in#`) });
      const setup = await vault.run(["setup", "claude-code"]);
      expect(setup).toMatchObject({ code: 0, stdout: expect.stringContaining(`${ready.url}/mcp`) });
      const doctor = await vault.run(["doctor", "--port", String(port)]);
      expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining("pdpp is running at") });

      const trusting = { ...home, NODE_EXTRA_CA_CERTS: authority.certFile };
      const outside = await runPdpp(["doctor", ready.url], { env: trusting });
      expect(outside).toMatchObject({ code: 0, stdout: expect.stringMatching(/certificate: .*until \d{4}-/) });
      const unknown = await runPdpp(["doctor", ready.url], { env: home });
      expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining("NODE_EXTRA_CA_CERTS=") });
    } finally {
      await server.stop();
      vault.drop();
    }
  });
});
