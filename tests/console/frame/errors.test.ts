import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { type Stage, stage } from "../../oauth/agent.ts";

const site = "http://localhost:7663";
const html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

describe.each(surfaceEngines)("errors in a browser, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(async () => {
    on = stage(vault);
    owner = on.owner();
    await owner.send(await owner.open(`${site}/sign-in`), { code: await on.code() });
  });
  afterAll(() => vault.drop());

  const formatCookies = () => [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const get = (path: string, headers: Record<string, string>) =>
    on.fetch(new Request(`${site}${path}`, { headers: { accept: html, ...headers } }));
  const listWaysBack = (page: string): string[] =>
    [...(page.split("<main")[1] ?? "").matchAll(/<a class="button[^"]*" href="([^"]*)"/g)].map(
      ([, href]) => href ?? "",
    );

  it.each(["/no-such-page", "/explore/nothing", "/agents/pkg_x", "/record?id=x", "/day/tomorrow", "/activity/999999"])(
    "[CSL-92] %s has a page with a way back for the owner",
    async (path) => {
      const answer = await get(path, { cookie: formatCookies(), referer: `${site}/explore?q=boiler` });
      const page = await answer.text();
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toContain("text/html");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(page).toMatch(/<h1>(Not|Page not) found<\/h1>\s*<p>[^<]{10,}\.<\/p>/);
      expect(listWaysBack(page)).toEqual([`${site}/explore?q=boiler`, "/", "/explore"]);
      expect(page).toContain('<nav aria-label="Pages">');
      expect(page).not.toContain('aria-current="page"');
    },
  );

  it("[CSL-92] offers a visitor one way, to sign in, and nothing of the vault", async () => {
    const page = await (await get("/no-such-page", {})).text();
    expect(listWaysBack(page)).toEqual(["/sign-in"]);
    expect(page).not.toContain('<nav aria-label="Pages">');
  });

  it.each([
    ["https://evil.example/x", "another site"],
    ["http://localhost:7663.evil.example/", "a host that looks alike"],
    ["javascript:alert(1)", "a script"],
    ["not a url", "nonsense"],
    [`${site}/sign-in?next=%2F`, "the sign-in page"],
    [`${site}/no-such-page`, "itself"],
  ])("[CSL-92] does not lead back to %s (%s)", async (referer) => {
    const page = await (await get("/no-such-page", { cookie: formatCookies(), referer })).text();
    expect(listWaysBack(page)).toEqual(["/", "/explore"]);
    expect(page).not.toContain("evil.example");
  });

  it("[CSL-92] keeps a way back on this server, whatever its path and query contain", async () => {
    const referer = `${site}//evil.example/"><script>`;
    const page = await (await get("/no-such-page", { cookie: formatCookies(), referer })).text();
    expect(listWaysBack(page)[0]).toMatch(/^http:\/\/localhost:7663\/\/evil\.example\/%22%3E%3Cscript%3E$/);
  });

  it("[CSL-92] leads back to the form that failed", async () => {
    const headers = { cookie: formatCookies(), origin: site, accept: html, referer: `${site}/settings` };
    const body = new URLSearchParams({ csrf_token: "x" });
    const answer = await on.fetch(new Request(`${site}/sign-out`, { method: "POST", headers, body }));
    expect(answer.status).toBe(403);
    const page = await answer.text();
    expect(page).toContain("Your session has changed.");
    expect(listWaysBack(page)).toEqual([`${site}/settings`, "/", "/explore"]);
  });

  it.each(["application/json", "*/*", ""])("[CSL-92] answers programs that accept %j with JSON", async (accept) => {
    const answer = await get("/no-such-page", { accept, cookie: formatCookies() });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toContain("application/json");
    const { error } = JSON.parse(await answer.text());
    expect(error).toMatchObject({
      code: "not_found",
      message: "no such path: /no-such-page; GET / lists where to begin",
    });
  });

  it.each(["/v1/nothing", "/v1/streams", "/mcp"])("[CSL-92] answers %s with JSON, even in a browser", async (path) => {
    const answer = await get(path, { cookie: formatCookies() });
    expect(answer.headers.get("content-type")).toContain("application/json");
  });

  it("[CSL-92] shows neither a session nor links under a wrong host name", async () => {
    const url = "http://evil.example/explore";
    const answer = await on.fetch(new Request(url, { headers: { accept: html, cookie: formatCookies() } }));
    const page = await answer.text();
    expect([answer.status, listWaysBack(page)]).toEqual([421, []]);
    expect(page).toContain("Host not allowed");
    expect(page).not.toContain("csrf_token");
  });

  it("[CSL-92] is a page even if the session cannot be read", async () => {
    const broken = {
      ...vault.store,
      engine: {
        ...vault.store.engine,
        read: () => Promise.reject(new Error("disk is gone")),
        write: () => Promise.reject(new Error("disk is gone")),
      },
    };
    const bugs: unknown[] = [];
    const app = createApp({ store: broken, now: on.now, onBug: (bug) => bugs.push(bug) });
    const headers = { accept: html, cookie: formatCookies() };
    const answer = await app.fetch(new Request(`${site}/explore`, { headers }));
    const page = await answer.text();
    expect([answer.status, bugs.length]).toEqual([500, 1]);
    expect(page).toContain("See the server log");
    expect(page).not.toContain("disk is gone");
    expect(listWaysBack(page)).toEqual(["/sign-in"]);
  });
});
