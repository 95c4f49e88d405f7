import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
const because = hasIpv6 ? "" : " (skipped: this machine has no ::1)";

/** Browsers and clients resolve `localhost` differently; both addresses must reach the same server. */
describe.skipIf(!hasIpv6)(`localhost${because}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-localhost-"));
  let running: RunningServer;
  beforeAll(async () => {
    running = await serve({ dataDir, port: 0, host: "localhost" });
  });
  afterAll(async () => {
    await running.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("[CON-18] is one server at either address, and pages use its name", async () => {
    const { port } = new URL(running.url);
    for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
      const site = `http://${host}:${port}`;
      const said = await fetch(`${site}/.well-known/oauth-protected-resource/mcp`);
      expect(await said.json()).toMatchObject({ resource: `${site}/mcp`, authorization_servers: [site] });
      const refused = await fetch(`${site}/mcp`);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
        401,
        `Bearer resource_metadata="${site}/.well-known/oauth-protected-resource/mcp"`,
      ]);
    }
    expect(running.signInUrl.startsWith(`http://localhost:${port}/sign-in#`)).toBe(true);
  });

  it("[CON-18] ignores what a proxy or a stranger says about the address", async () => {
    const { port } = new URL(running.url);
    const headers = {
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-port": "443",
      forwarded: "for=203.0.113.9;host=evil.example;proto=https",
    };
    const site = `http://localhost:${port}`;
    for (const path of [
      "/",
      "/mcp",
      "/.well-known/oauth-authorization-server",
      "/.well-known/oauth-protected-resource",
    ]) {
      const [plain, forwarded] = await Promise.all([fetch(`${site}${path}`), fetch(`${site}${path}`, { headers })]);
      expect(forwarded.headers.get("www-authenticate")).toBe(plain.headers.get("www-authenticate"));
      const [ours, theirs] = [await plain.text(), await forwarded.text()].map((text) =>
        text.replace(/req_[\w-]+/g, ""),
      );
      expect(theirs).toBe(ours);
    }
    const register = await fetch(`${site}/oauth/register`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ client_name: "x", redirect_uris: ["http://localhost:1/cb"] }),
    });
    const { client_id } = (await register.json()) as { client_id: string };
    const asked = new URLSearchParams({
      client_id,
      response_type: "code",
      redirect_uri: "http://localhost:1/cb",
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
    });
    const sent = await fetch(`${site}/oauth/authorize?${asked}`, { headers, redirect: "manual" });
    expect(sent.headers.get("location")).toMatch(/^\/consent\//);
    expect(sent.headers.getSetCookie().join()).not.toMatch(/evil|secure/i);
  });

  it("[CON-18] does not start when another program has one of the two addresses", async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, "::1", resolve));
    const address = other.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const elsewhere = mkdtempSync(join(tmpdir(), "pdpp-localhost-"));
    await expect(serve({ dataDir: elsewhere, port, host: "localhost" })).rejects.toThrow(
      /cannot listen on \[::1\].*taken; choose another with --port/,
    );
    // It released the other address as well.
    const again = createServer();
    await new Promise<void>((resolve, reject) => again.once("error", reject).listen(port, "127.0.0.1", resolve));
    for (const each of [other, again]) await new Promise((resolve) => each.close(resolve));
    rmSync(elsewhere, { recursive: true, force: true });
  });
});
