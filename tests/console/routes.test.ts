import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything } from "@pdpp/test-support/vaults/sample";
import { listGuardedRoutes, listPageExamples, noExample, samplePlace } from "@pdpp/test-support/web/page-examples";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSignInCode } from "#server/auth/sessions";
import { addOwner } from "#server/owner/owners";
import { type Stage, stage } from "../oauth/agent.ts";

const site = "http://localhost:7663";
const evil = "https://evil.example";

/** Names and words that only the sample vault contains. */
const ofTheVault = /Chat\b|message h00|<bdi>Home<|Shop/;

describe.each(surfaceEngines)("every route of the console, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let token: string;
  let owner: Person;
  let csrfToken: string;
  const signIn = async (code: string): Promise<Person> => {
    const person = on.owner();
    await person.send(await person.open(`${site}/sign-in`), { code });
    return person;
  };
  beforeAll(async () => {
    vault = await createVault(engine);
    token = await (await createSample(vault)).grant(everything);
    on = stage(vault);
    owner = await signIn(await on.code());
    csrfToken = /name="csrf_token" value="([^"]+)"/.exec((await owner.open(`${site}/browsers`)).html)?.[1] ?? "";
  });
  afterAll(() => vault.drop());

  const listPageUrls = () => listPageExamples(samplePlace).map(({ address }) => `${site}${address}`);
  const listActions = () =>
    listGuardedRoutes()
      .filter(({ method }) => method === "POST")
      .map(({ path }) => `${site}${path.replace(/:\w+/g, "x")}`);
  const formatCookies = (person: Person) => [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const get = (url: string, headers: Record<string, string>) =>
    on.fetch(new Request(url, { headers: { accept: "text/html", ...headers } }));
  const post = (url: string, headers: Record<string, string>, form: Record<string, string>) =>
    on.fetch(new Request(url, { method: "POST", headers, body: new URLSearchParams(form) }));

  it("[CSL-1] is a guarded page, a guarded form, or listed as open", () => {
    expect(listGuardedRoutes().filter(({ method }) => method !== "GET" && method !== "POST")).toEqual([]);
    expect(listPageUrls().length).toBeGreaterThan(2);
    expect(listActions().length).toBeGreaterThan(2);
    expect(listPageUrls()).not.toContain(`${site}${noExample}`);
  });

  it("[CSL-1] returns nothing without a session, with a client's token, or with an invalid session", async () => {
    const [cookieName] = owner.cookies.keys();
    expect(cookieName).toMatch(/^pdpp_session_[0-9a-f]{8}$/);
    const callers: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${token}` },
      { cookie: `${cookieName}=${token}` },
      { cookie: `${cookieName}=x` },
    ];
    for (const headers of callers) {
      for (const url of listPageUrls()) {
        const answer = await get(url, { accept: "text/html", ...headers });
        const { pathname, search } = new URL(url);
        const to = `/sign-in?next=${encodeURIComponent(pathname + search)}`;
        expect([url, answer.status, answer.headers.get("location")]).toEqual([url, 303, to]);
        expect(await answer.text()).toBe("");
      }
      for (const url of listActions()) {
        const answer = await post(url, headers, { csrf_token: csrfToken });
        expect([url, answer.status, answer.headers.get("location")]).toEqual([url, 303, "/sign-in"]);
      }
    }
  });

  it("[CSL-1] rejects forged forms, and forms of another site or session", async () => {
    const cookie = formatCookies(owner);
    const other = await signIn(await on.code());
    for (const url of listActions()) {
      for (const form of [{}, { csrf_token: "x" }, { csrf_token: `${csrfToken}x` }])
        expect([url, (await post(url, { cookie, origin: site }, form)).status]).toEqual([url, 403]);
      for (const origin of [evil, "null", "http://localhost:3000"])
        expect([url, (await post(url, { cookie, origin }, { csrf_token: csrfToken })).status]).toEqual([url, 403]);
      expect([
        url,
        (await post(url, { cookie: formatCookies(other), origin: site }, { csrf_token: csrfToken })).status,
      ]).toEqual([url, 403]);
    }
    // The other session still works.
    expect((await owner.open(`${site}/settings`)).url).toBe(`${site}/settings`);
  });

  it("[CSL-1] can't be embedded in another site", async () => {
    const cookie = formatCookies(owner);
    for (const url of listPageUrls()) {
      const answers = [
        await get(url, { cookie, origin: evil }),
        await get(url, { cookie, "sec-fetch-site": "same-site", "sec-fetch-dest": "image" }),
        await get(url, { cookie, "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" }),
        await get(url, { cookie, "sec-fetch-site": "cross-site", "sec-fetch-dest": "empty" }),
      ];
      for (const answer of answers) {
        expect([url, answer.status]).toEqual([url, 403]);
        expect(await answer.text()).not.toMatch(ofTheVault);
      }
      // Links from other sites still work.
      const link = await get(url, {
        cookie,
        accept: "text/html",
        "sec-fetch-site": "cross-site",
        "sec-fetch-dest": "document",
      });
      expect(link.status).not.toBe(403);
    }
  });

  it("[CSL-1] has a strict content security policy, and no markup that needs a weaker one", async () => {
    for (const url of listPageUrls()) {
      const page = await owner.open(url);
      // A redirect has the policy of its target.
      expect(page.headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; (style-src 'self'; script-src 'self'; img-src 'self'; (connect-src 'self'; )?frame-ancestors 'none'; base-uri 'none'; form-action 'self'|sandbox)$/,
      );
      expect(page.headers.get("cache-control")).toContain("no-store");
      expect(page.headers.get("referrer-policy")).toBe("same-origin");
      expect(page.headers.get("x-frame-options")).toBe("DENY");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      expect(page.headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(page.html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="\/assets\/)|javascript:/i);
    }
  });

  it("[CSL-1] shows another owner nothing of this owner's data", async () => {
    await addOwner(vault.store, "Bea", on.now());
    const stranger = await signIn(await createSignInCode(vault.store, 2, on.now()));
    for (const url of listPageUrls()) expect((await stranger.open(url)).html).not.toMatch(ofTheVault);
    const own = await owner.open(`${site}/explore?q=message`);
    expect(own.html).toMatch(ofTheVault);
  });
});
