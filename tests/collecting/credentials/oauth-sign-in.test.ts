import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refreshSession } from "#collecting/oauth/refresh";
import { type SignInRequest, signInWithBrowser, signInWithCode } from "#collecting/oauth/sign-in";
import { type ForeignProvider, startProvider } from "./foreign-provider.ts";

describe("signing in at a provider", () => {
  let provider: ForeignProvider;
  beforeAll(async () => {
    provider = await startProvider();
  });
  afterAll(() => provider.stop());

  const request = (more: Partial<SignInRequest> = {}): SignInRequest => ({
    provider: "custom",
    issuer: provider.issuer,
    clientId: provider.clientId,
    scope: "openid offline_access mail",
    variable: "SAMPLE_ACCESS_TOKEN",
    ...more,
  });
  const whileDeclining = async (work: () => Promise<unknown>): Promise<unknown> => {
    provider.isDeclining = true;
    return work().finally(() => {
      provider.isDeclining = false;
    });
  };

  it("[COL-57] works with a code that is entered on another device", async () => {
    const session = await signInWithCode(request(), ({ url, userCode }) => {
      expect(url.startsWith(provider.issuer)).toBe(true);
      void provider.enterCode(url, userCode);
    });
    expect(session).toMatchObject({ method: "oauth", provider: "custom", variable: "SAMPLE_ACCESS_TOKEN" });
    expect(session.expires_at).toBeGreaterThan(Date.now() + 3_000_000);
    const renewed = await refreshSession(session);
    expect(renewed.access_token).not.toBe(session.access_token);
    expect(renewed.refresh_token).not.toBe(session.refresh_token);
  });

  it("[COL-57] works with a browser that comes back, with PKCE and a state", async () => {
    let pages: Promise<{ status: number; text: string }> | undefined;
    const session = await signInWithBrowser(request(), (url) => {
      const { searchParams } = new URL(url);
      expect(searchParams.get("code_challenge_method")).toBe("S256");
      expect(searchParams.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
      pages = provider.visit(url);
    });
    expect(session.refresh_token).not.toBe("");
    expect(await pages).toMatchObject({ status: 200, text: expect.stringContaining("You can close this page") });
  });

  it("[COL-57] rejects redirects of others, and still accepts its own", async () => {
    const refused: number[] = [];
    const session = await signInWithBrowser(request(), (url) => {
      void (async () => {
        const { searchParams } = new URL(url);
        const [redirect, state] = [searchParams.get("redirect_uri") ?? "", searchParams.get("state") ?? ""];
        for (const query of ["code=stolen&state=other", "code=stolen", "error=access_denied&state=", ""])
          refused.push((await fetch(`${redirect}?${query}`)).status);
        const port = new URL(redirect).port;
        refused.push((await fetch(`http://127.0.0.1:${port}/other?code=stolen&state=${state}`)).status);
        refused.push((await fetch(`http://localhost:${port}/callback?code=stolen&state=${state}`)).status);
        refused.push((await fetch(`${redirect}?code=stolen&state=${state}`, { method: "POST" })).status);
        await provider.visit(url);
      })();
    });
    expect(refused).toEqual([400, 400, 400, 400, 400, 400, 400]);
    expect(session.access_token).not.toBe("");
  });

  it("[COL-57] rejects a code that the provider did not give to this sign-in", async () => {
    const stolen = signInWithBrowser(request(), (url) => {
      const { searchParams } = new URL(url);
      const query = new URLSearchParams({
        code: "stolen",
        state: searchParams.get("state") ?? "",
        iss: provider.issuer,
      });
      void fetch(`${searchParams.get("redirect_uri")}?${query}`);
    });
    await expect(stolen).rejects.toThrow("no longer valid");
    // A redirect that lacks the issuer that the provider always names may be of another one.
    const mixed = signInWithBrowser(request(), (url) => {
      const { searchParams } = new URL(url);
      void fetch(`${searchParams.get("redirect_uri")}?code=stolen&state=${searchParams.get("state")}`);
    });
    await expect(mixed).rejects.toThrow("answer is not valid");
  });

  it("[COL-57] says that it was declined, cancelled, or cannot be done", async () => {
    await whileDeclining(async () => {
      const inBrowser = signInWithBrowser(request(), (url) => void provider.visit(url));
      await expect(inBrowser).rejects.toThrow("declined");
      const withCode = signInWithCode(request(), ({ url, userCode }) => void provider.enterCode(url, userCode));
      await expect(withCode).rejects.toThrow("declined");
    });
    const stop = new AbortController();
    const cancelled = signInWithBrowser(request({ signal: stop.signal }), () => stop.abort());
    await expect(cancelled).rejects.toThrow("cancelled");
    const stopCode = new AbortController();
    const cancelledCode = signInWithCode(request({ signal: stopCode.signal }), () => stopCode.abort());
    await expect(cancelledCode).rejects.toThrow("cancelled");
    const nothing = (): void => undefined;
    await expect(signInWithCode(request({ provider: "google" }), nothing)).rejects.toThrow("has no device codes");
  });

  it("[COL-57] reaches providers over https only, except on this computer", async () => {
    const nothing = (): void => undefined;
    for (const issuer of ["http://192.0.2.1", "http://example.com", "ftp://127.0.0.1", "nonsense"])
      await expect(signInWithBrowser(request({ issuer }), nothing)).rejects.toThrow("is not the https address");
    await expect(signInWithBrowser(request({ issuer: "http://127.0.0.1:1" }), nothing)).rejects.toThrow(
      "the provider cannot be reached",
    );
  });

  it("[COL-57] needs a refresh token", async () => {
    const visit = (url: string): void => void provider.visit(url);
    await expect(signInWithBrowser(request({ scope: "openid mail" }), visit)).rejects.toThrow("no refresh token");
  });
});
