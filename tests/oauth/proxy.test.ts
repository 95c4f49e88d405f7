import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";

describe("limits behind a proxy", () => {
  let vault: TestVault;
  const time = Date.now();
  beforeAll(async () => {
    vault = await createVault("sqlite");
    await createSample(vault);
  });
  afterAll(() => vault.drop());

  /** A server behind a proxy, which adds the last entry of the header. */
  const startServer = (site: string) => {
    const app = createApp({ store: vault.store, now: () => time, publicUrl: site });
    return async (forwarded: string): Promise<number> => {
      const body = String(new URLSearchParams({ code: "guess" }));
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "content-length": String(body.length),
        "x-forwarded-for": forwarded,
      };
      const request = new Request(`${site}/sign-in`, { method: "POST", headers, body });
      return (await app.fetch(request, { incoming: { socket: { remoteAddress: "192.168.1.2" } } })).status;
    };
  };
  const guessUntilLimited = async (guess: (forwarded: string) => Promise<number>) => {
    let status = 0;
    for (let n = 0; n < 40 && status !== 429; n += 1) status = await guess(`198.51.100.${n}, 203.0.113.9`);
    expect(status).toBe(429);
  };

  it("[WEB-6] count by the address that the proxy added, not by those that a client claims", async () => {
    const guess = startServer("https://vault.example");
    await guessUntilLimited(guess);
    expect(await guess("203.0.113.10")).toBe(403);
    expect(await guess("203.0.113.9, 203.0.113.10")).toBe(403);
    expect(await guess("203.0.113.9")).toBe(429);
  });

  it("[WEB-6] ignore the header on plain http", async () => {
    const guess = startServer("http://192.168.1.5:7663");
    await guessUntilLimited(guess);
    expect(await guess("203.0.113.10")).toBe(429);
  });
});
