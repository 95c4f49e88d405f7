import { describe, expect, it } from "vitest";
import { createSession } from "./client.ts";
import { getProvider, getScope } from "./providers.ts";

const parts = { provider: "google", issuer: "https://x.example", client_id: "c", scope: "openid a b", variable: "T" };
const tokens = { access_token: "at", token_type: "bearer" as const, refresh_token: "rt" };

describe("createSession", () => {
  it("[COL-57] rejects a sign-in that allows less than was asked", () => {
    expect(() => createSession(parts, { ...tokens, scope: "a" })).toThrow("did not allow b");
    expect(createSession(parts, { ...tokens, scope: "b a" })).toMatchObject({ refresh_token: "rt" });
    expect(createSession(parts, tokens)).toMatchObject({ access_token: "at" });
    const scope = "https://outlook.office.com/IMAP.AccessAsUser.All offline_access";
    const answered = "https://outlook.office365.com/imap.accessasuser.all";
    expect(createSession({ ...parts, scope }, { ...tokens, scope: answered })).toMatchObject({ access_token: "at" });
    expect(() => createSession({ ...parts, scope }, { ...tokens, scope: "https://outlook.office.com/POP" })).toThrow();
  });

  it("[COL-58] keeps the refresh token if the provider sends none", () => {
    const { refresh_token: _, ...rest } = tokens;
    expect(() => createSession(parts, rest)).toThrow("no refresh token");
    expect(createSession(parts, rest, "before")).toMatchObject({ refresh_token: "before" });
  });

  it("[COL-57] knows how long the token lasts, or assumes an hour", () => {
    const left = createSession(parts, { ...tokens, expires_in: 60 }).expires_at - Date.now();
    expect(left).toBeLessThanOrEqual(60_000);
    expect(createSession(parts, tokens).expires_at - Date.now()).toBeGreaterThan(3_500_000);
  });
});

describe("getProvider", () => {
  it("[COL-57] knows what connectors need at each provider", () => {
    expect(getScope(getProvider("google"), "google", "imap")).toBe("https://mail.google.com/");
    expect(getScope(getProvider("microsoft"), "microsoft", "imap")).toContain("offline_access");
    expect(() => getScope(getProvider("microsoft"), "microsoft", "caldav")).toThrow("--scope");
    expect(() => getProvider("custom")).toThrow("--issuer");
    expect(() => getProvider("other")).toThrow("google, microsoft, custom");
    expect(getProvider("microsoft", "https://login.example/tenant").issuer).toBe("https://login.example/tenant");
  });
});
