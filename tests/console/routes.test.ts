import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleRoutes } from "#console/console";
import { openRoutes } from "#console/frame/guard";
import { createDoor } from "#server/auth/door";
import { newSignInCode } from "#server/auth/sessions";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../oauth/agent.ts";
import type { Person } from "../support/person.ts";
import { everything, sample } from "../support/sample.ts";
import { engineNames, newVault, type TestVault } from "../support/vaults.ts";

const site = "http://localhost:7663";
const evil = "https://evil.example";

/** An address of each page that shows something of the sample vault. A page without one fails below. */
const examples: Readonly<Record<string, string>> = {
  "/agents": "/agents",
  "/agents/:id": "/agents/pkg_x",
  "/agents/:id/narrow": "/agents/pkg_x/narrow",
  "/agents/:id/try": "/agents/pkg_x/try?q=message",
  "/agents/new": "/agents/new",
  "/agents/made/:page": "/agents/made/x",
  "/browsers": "/browsers",
  "/settings": "/settings",
  "/settings/source": "/settings/source?id=chat_home",
  "/settings/delete-source": "/settings/delete-source?id=chat_home",
  "/settings/delete-everything": "/settings/delete-everything",
  "/": "/",
  "/activity": "/activity",
  "/explore": "/explore?q=message",
  "/record": "/record?id=chat_home%2Fmessages%3Ah00",
  "/text": "/text?id=chat_home%2Fmessages%3Ah00&field=text",
  "/file": "/file?connection=chat_home&blob=blob_x",
  "/stream": "/stream?source=chat_home&stream=messages",
  "/stream/raw": "/stream/raw?source=chat_home&stream=messages&as=csv",
  "/as/:grant/stream/raw": "/as/pkg_x/stream/raw?source=chat_home&stream=messages&as=csv",
  "/as/:grant/explore": "/as/pkg_x/explore?q=message",
  "/as/:grant/record": "/as/pkg_x/record?id=chat_home%2Fmessages%3Ah00",
  "/as/:grant/text": "/as/pkg_x/text?id=chat_home%2Fmessages%3Ah00&field=text",
  "/as/:grant/file": "/as/pkg_x/file?connection=chat_home&blob=blob_x",
  "/as/:grant/stream": "/as/pkg_x/stream?source=chat_home&stream=messages",
};

/** Of the sample vault: names of its sources, and words of its records. */
const ofTheVault = /Chat\b|message h00|<bdi>Home<|Shop/;

describe.each(engineNames)("every route of the console, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let token: string;
  let owner: Person;
  let proof: string;
  const signIn = async (code: string): Promise<Person> => {
    const person = on.owner();
    await person.send(await person.open(`${site}/sign-in`), { code });
    return person;
  };
  beforeAll(async () => {
    vault = await newVault(engine);
    token = await (await sample(vault)).grant(everything);
    on = stage(vault);
    owner = await signIn(await on.code());
    proof = /name="proof" value="([^"]+)"/.exec((await owner.open(`${site}/browsers`)).html)?.[1] ?? "";
  });
  afterAll(() => vault.drop());

  const routes = () => {
    const table = consoleRoutes({
      now: Date.now,
      originOf: () => site,
      door: createDoor(vault.store, Date.now),
      ownerOf: ({ ownerNo }) => createOwner({ store: vault.store, ownerNo, now: Date.now }),
      toolText: () => Promise.reject(),
      copies: { backup: async () => new ReadableStream(), records: async () => new ReadableStream() },
    }).routes;
    return table.filter(({ method, path }) => !openRoutes.has(`${method} ${path}`));
  };
  const pages = () =>
    routes()
      .filter(({ method }) => method === "GET")
      .map(({ path }) => `${site}${examples[path] ?? "/no-example"}`);
  const acts = () =>
    routes()
      .filter(({ method }) => method === "POST")
      .map(({ path }) => `${site}${path.replace(/:\w+/g, "x")}`);
  const cookieOf = (person: Person) => [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const get = (url: string, headers: Record<string, string>) =>
    on.fetch(new Request(url, { headers: { accept: "text/html", ...headers } }));
  const post = (url: string, headers: Record<string, string>, form: Record<string, string>) =>
    on.fetch(new Request(url, { method: "POST", headers, body: new URLSearchParams(form) }));

  it("[CSL-1] is a page, a form's target, or named as open to all", () => {
    expect(routes().filter(({ method }) => method !== "GET" && method !== "POST")).toEqual([]);
    expect(pages().length).toBeGreaterThan(2);
    expect(acts().length).toBeGreaterThan(2);
    expect(pages()).not.toContain(`${site}/no-example`);
  });

  it("[CSL-1] gives nothing without a session, to a client's token, or to a session that is none", async () => {
    const callers: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${token}` },
      { cookie: `pdpp_session=${token}` },
      { cookie: "pdpp_session=x" },
    ];
    for (const headers of callers) {
      for (const url of pages()) {
        const answer = await get(url, { accept: "text/html", ...headers });
        const { pathname, search } = new URL(url);
        const to = `/sign-in?next=${encodeURIComponent(pathname + search)}`;
        expect([url, answer.status, answer.headers.get("location")]).toEqual([url, 303, to]);
        expect(await answer.text()).toBe("");
      }
      for (const url of acts()) {
        const answer = await post(url, headers, { proof });
        expect([url, answer.status, answer.headers.get("location")]).toEqual([url, 303, "/sign-in"]);
      }
    }
  });

  it("[CSL-1] does nothing for a forged form, nor for one of another site or session", async () => {
    const cookie = cookieOf(owner);
    const other = await signIn(await on.code());
    for (const url of acts()) {
      for (const form of [{}, { proof: "x" }, { proof: `${proof}x` }])
        expect([url, (await post(url, { cookie, origin: site }, form)).status]).toEqual([url, 403]);
      for (const origin of [evil, "null", "http://localhost:3000"])
        expect([url, (await post(url, { cookie, origin }, { proof })).status]).toEqual([url, 403]);
      expect([url, (await post(url, { cookie: cookieOf(other), origin: site }, { proof })).status]).toEqual([url, 403]);
    }
    // The session that was not theirs to end goes on.
    expect((await owner.open(`${site}/settings`)).url).toBe(`${site}/settings`);
  });

  it("[CSL-1] is shown inside no other site", async () => {
    const cookie = cookieOf(owner);
    for (const url of pages()) {
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
      // A link there may still lead here.
      const link = await get(url, {
        cookie,
        accept: "text/html",
        "sec-fetch-site": "cross-site",
        "sec-fetch-dest": "document",
      });
      expect(link.status).not.toBe(403);
    }
  });

  it("[CSL-1] has a strict policy, and no markup that would need a weaker one", async () => {
    for (const url of pages()) {
      const page = await owner.open(url);
      // One that has moved has the policy of where it leads.
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

  it("[CSL-1] shows another owner nothing of this one's", async () => {
    const stranger = await signIn(await newSignInCode(vault.store, 2, on.now()));
    for (const url of pages()) expect((await stranger.open(url)).html).not.toMatch(ofTheVault);
    const own = await owner.open(`${site}${examples["/explore"]}`);
    expect(own.html).toMatch(ofTheVault);
  });
});
