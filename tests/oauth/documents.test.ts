import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { createPerson, type Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { isPublicAddress } from "#server/oauth/documents";
import { someText } from "./agent.ts";

const site = "https://vault.example";
const clientId = "https://agent.example/oauth/client.json";
const described = {
  client_id: clientId,
  client_name: "Described agent",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  scope: "openid email unknown",
  logo_uri: "https://agent.example/logo.png",
};
const verifier = randomBytes(32).toString("base64url");

type Reach = (url: string, init: RequestInit) => Promise<Response>;

/** A server with a public URL, and a fake network with one document. */
function createStage(vault: TestVault, publicUrl = site) {
  const fetched: string[] = [];
  let reach: Reach = async () => Response.json(described);
  let shift = 0;
  const now = () => Date.now() + shift;
  const app = createApp({
    store: vault.store,
    publicUrl,
    now,
    documentFetch: (url, init) => {
      fetched.push(url);
      return reach(url, init);
    },
  });
  const fetch = async (request: Request) => app.fetch(request);
  const buildParams = (more: object) =>
    new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: "http://127.0.0.1:40001/callback",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${publicUrl}/mcp`,
      ...more,
    });
  return {
    fetch,
    fetched,
    answerWith: (next: Reach) => {
      reach = next;
    },
    wait: (ms: number) => {
      shift += ms;
    },
    owner: () => createPerson(fetch, (url) => !url.startsWith(publicUrl)),
    async signIn(owner: Person) {
      return owner.send(await owner.open(`${publicUrl}/sign-in`), {
        code: await createSignInCode(vault.store, 1, now()),
      });
    },
    authorize: (more: object = {}) => `${publicUrl}/oauth/authorize?${buildParams(more)}`,
    token: (body: Record<string, string>) =>
      fetch(new Request(`${publicUrl}/oauth/token`, { method: "POST", body: new URLSearchParams(body) })),
  };
}

describe.each(surfaceEngines)("client metadata documents, on %s", (engine) => {
  let vault: TestVault;
  beforeEach(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    return () => vault.drop();
  });

  it("[CON-17] are fetched only after the owner has signed in, and the request then continues", async () => {
    const on = createStage(vault);
    const metadata = await on.fetch(new Request(`${site}/.well-known/oauth-authorization-server`));
    expect(await metadata.json()).toMatchObject({ client_id_metadata_document_supported: true });
    const owner = on.owner();
    const signIn = await owner.open(on.authorize());
    expect(signIn.url).toContain("/sign-in?next=%2Foauth%2Fwaiting%2F");
    for (const path of ["/oauth/par", "/oauth/token", "/oauth/device_authorization"]) {
      const body = new URLSearchParams({ client_id: clientId, grant_type: "refresh_token", refresh_token: "x" });
      const refused = await on.fetch(new Request(`${site}${path}`, { method: "POST", body }));
      expect(refused.status).toBeGreaterThanOrEqual(400);
    }
    expect(on.fetched).toEqual([]);
    const page = await owner.send(signIn, { code: await createSignInCode(vault.store, 1, Date.now()) });
    expect(page.html).toContain("Described agent");
    expect(on.fetched).toEqual([clientId]);
    const answered = await owner.send(page, { ...someText, act: "allow" });
    const back = new URL(answered.url);
    expect(`${back.origin}${back.pathname}`).toBe("http://127.0.0.1:40001/callback");
    const response = await on.token({
      grant_type: "authorization_code",
      client_id: clientId,
      code: back.searchParams.get("code") ?? "",
      code_verifier: verifier,
      redirect_uri: "http://127.0.0.1:40001/callback",
    });
    const { refresh_token } = JSON.parse(await response.text());
    expect(response.status).toBe(200);
    // Its tokens keep working without the document, even after a day.
    on.answerWith(() => Promise.reject(new Error("gone")));
    on.wait(25 * 3_600_000);
    const refreshed = await on.token({ grant_type: "refresh_token", client_id: clientId, refresh_token });
    expect(refreshed.status).toBe(200);
    expect(on.fetched).toEqual([clientId]);
  });

  it("[CON-17] are fetched again after a day, with the stored copy as a fallback", async () => {
    const on = createStage(vault);
    const owner = on.owner();
    await on.signIn(owner);
    expect((await owner.open(on.authorize())).html).toContain("Described agent");
    on.wait(23 * 3_600_000);
    await on.signIn(owner);
    await owner.open(on.authorize());
    expect(on.fetched.length).toBe(1);
    const later = createStage(vault);
    later.wait(25 * 3_600_000);
    later.answerWith(() => Promise.reject(new Error("gone")));
    const again = later.owner();
    await later.signIn(again);
    expect((await again.open(later.authorize())).html).toContain("Described agent");
    expect(later.fetched.length).toBe(1);
  });

  it("[CON-17] are disabled without a public https URL", async () => {
    const on = createStage(vault, "http://localhost:7663");
    const owner = on.owner();
    await on.signIn(owner);
    const page = await owner.open(on.authorize());
    expect(page.status).toBe(400);
    expect(on.fetched).toEqual([]);
    const metadata = await on.fetch(new Request("http://localhost:7663/.well-known/oauth-authorization-server"));
    expect(await metadata.json()).not.toHaveProperty("client_id_metadata_document_supported");
  });
});

describe("attacks with client metadata documents", () => {
  let vault: TestVault;
  let on: ReturnType<typeof createStage>;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    await createSample(vault);
  });
  beforeEach(async () => {
    on = createStage(vault);
    owner = on.owner();
    await on.signIn(owner);
  });
  afterAll(() => vault.drop());

  it.each([
    "https://127.0.0.1/client.json",
    "https://[::1]/client.json",
    "https://[::ffff:10.0.0.1]/client.json",
    "https://10.1.2.3/client.json",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/client.json",
    "https://vault.localhost/client.json",
    "https://nas.local/client.json",
    "https://intranet/client.json",
    "https://user:pass@agent.example/client.json",
    "https://agent.example:8443/client.json",
    "https://agent.example/client.json#part",
    "https://2130706433/client.json",
  ])("[CON-17] fetch nothing from %s", async (address) => {
    expect(isPublicAddress(address)).toBe(false);
    const page = await owner.open(on.authorize({ client_id: address }));
    expect([page.status, on.fetched]).toEqual([400, []]);
    expect(page.headers.get("x-frame-options")).toBe("DENY");
  });

  it("[CON-17] fetch nothing from a URL with dot segments, or over plain http", async () => {
    for (const address of [
      "https://agent.example/a/../client.json",
      "https://agent.example/%2e%2e/x",
      "http://agent.example/c.json",
    ])
      expect((await owner.open(on.authorize({ client_id: address }))).status).toBe(400);
    expect(on.fetched).toEqual([]);
  });

  it("[CON-17] are blocked when the host name resolves to this machine", async () => {
    let asked = 0;
    const inside = createServer((_, response) => {
      asked += 1;
      response.end(JSON.stringify(described));
    });
    await new Promise<void>((listening) => inside.listen(0, "127.0.0.1", listening));
    const address = inside.address();
    const port = typeof address === "object" ? address?.port : 0;
    // The same request as if the host name had resolved to this machine.
    on.answerWith((_url, init) => fetch(`http://127.0.0.1:${port}/client.json`, init));
    const page = await owner.open(on.authorize({ client_id: "https://rebound.example/client.json" }));
    inside.close();
    expect([page.status, asked, on.fetched.length]).toEqual([400, 0, 1]);
  });

  const hostile: [string, Reach][] = [
    ["leads elsewhere", async () => new Response(null, { status: 302, headers: { location: "https://evil.example" } })],
    ["is too large", async () => Response.json({ ...described, client_name: "x".repeat(200_000) })],
    ["never ends", sendEndlessly],
    ["is about another client", async () => Response.json({ ...described, client_id: "https://evil.example/c.json" })],
    ["has a secret", async () => Response.json({ ...described, client_secret: "s" })],
    [
      "wants a shared secret",
      async () => Response.json({ ...described, token_endpoint_auth_method: "client_secret_basic" }),
    ],
    ["is a list", async () => Response.json([described])],
    ["is no JSON", async () => new Response("<html>")],
    [
      "has no address to go back to that may be",
      async () => Response.json({ ...described, redirect_uris: ["javascript:alert(1)"] }),
    ],
    [
      "keeps one waiting",
      (_url, init) => new Promise((_, fail) => init.signal?.addEventListener("abort", () => fail(init.signal?.reason))),
    ],
  ];
  it.each(hostile)("[CON-17] fail with a document that %s", async (_, reach) => {
    on.answerWith(reach);
    const page = await owner.open(on.authorize());
    expect(page.status).toBe(400);
    expect(page.html).toContain("Nothing was shared");
  });

  it("[CON-17] are limited in the number of fetches", async () => {
    let status = 0;
    on.answerWith(async () => new Response(null, { status: 404 }));
    for (let n = 0; n < 70 && status !== 429; n += 1)
      ({ status } = await owner.open(on.authorize({ client_id: `https://agent.example/${n}.json` })));
    expect(status).toBe(429);
    expect(on.fetched.length).toBeLessThanOrEqual(60);
  });
});

/** An endless body that counts the bytes read. */
async function sendEndlessly(): Promise<Response> {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(to) {
      taken += 1;
      if (taken > 100) throw new Error("far too much was read");
      to.enqueue(new Uint8Array(4096).fill(32));
    },
  });
  return new Response(body);
}
