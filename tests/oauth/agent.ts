import { createHash, randomBytes } from "node:crypto";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createPerson, type Person, type VisitedPage } from "@pdpp/test-support/web/person";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";

/** A hand-written OAuth client, so that tests can also misbehave. */

export const origin = "http://localhost:7663";
export const callback = "http://localhost:41234/callback";

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly authorization_details?: unknown;
}

interface Agent {
  readonly clientId: string;
  readonly verifier: string;
  authorizeUrl(more?: Readonly<Record<string, string>>): string;
  token(params: Readonly<Record<string, string>>): Promise<Response>;
  exchange(code: string, more?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a pushed authorization request, and answers its `request_uri`. */
  push(more?: Readonly<Record<string, string>>): Promise<string>;
  refresh(token: string): Promise<Response>;
  mcp(token: string, method: string, params?: object): Promise<Response>;
}

export interface Stage {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Advances the clock. */
  wait(ms: number): void;
  /** Stops the clock, so that a test of per-minute limits never crosses a minute. */
  freeze(): void;
  now(): number;
  owner(): Person;
  code(): Promise<string>;
  register(body?: object): Promise<Agent>;
  /** A client that registered earlier. */
  as(clientId: string, verifier: string): Agent;
  /** Signs in the owner and opens the consent page. */
  consent(agent: Agent, owner?: Person, more?: Readonly<Record<string, string>>): Promise<VisitedPage>;
  /** The whole flow, up to the tokens. */
  granted(agent: Agent, ticked?: Ticked): Promise<Tokens>;
  /** The authorization code after the owner allowed access. */
  allowed(agent: Agent, owner?: Person, ticked?: Ticked): Promise<string>;
}

type Ticked = Readonly<Record<string, string | readonly string[]>>;
export const someText: Ticked = {
  account: ["chat_home"],
  part: ["chat_home/messages/text", "chat_home/messages/headings"],
};

export interface Server {
  fetch(request: Request): Response | Promise<Response>;
}

/** With several servers, requests go to each in turn. Given servers have their own clocks. */
export function stage({ store }: Pick<TestVault, "store">, servers?: readonly Server[]): Stage {
  let shift = 0;
  let frozen: number | undefined;
  const now = () => (frozen ?? Date.now()) + shift;
  const apps = servers ?? [createApp({ store, now })];
  let turn = 0;
  const fetch = async (request: Request) => {
    const app = apps[turn++ % apps.length];
    if (app === undefined) throw new Error("there is no server");
    return app.fetch(request);
  };
  const stand: Stage = {
    fetch,
    now,
    wait: (ms) => {
      shift += ms;
    },
    freeze: () => {
      frozen = Date.now();
    },
    owner: () => createPerson(fetch, (url) => !url.startsWith(origin)),
    code: () => createSignInCode(store, 1, now()),
    async register(body = { client_name: "Test agent", redirect_uris: [callback] }) {
      const response = await post(fetch, "/oauth/register", JSON.stringify(body), "application/json");
      if (response.status !== 201) throw new Error(await response.text());
      const { client_id } = (await response.json()) as { client_id: string };
      return createAgent(fetch, client_id);
    },
    as: (clientId, verifier) => createAgent(fetch, clientId, verifier),
    async consent(agent, owner = stand.owner(), more = {}) {
      const page = await owner.open(agent.authorizeUrl(more));
      return page.url.includes("/sign-in") ? owner.send(page, { code: await stand.code() }) : page;
    },
    async allowed(agent, owner = stand.owner(), ticked = someText) {
      const answered = await owner.send(await stand.consent(agent, owner), { ...ticked, act: "allow" });
      return new URL(answered.url).searchParams.get("code") ?? "";
    },
    async granted(agent, ticked = someText) {
      const response = await agent.exchange(await stand.allowed(agent, stand.owner(), ticked));
      if (response.status !== 200) throw new Error(await response.text());
      return (await response.json()) as Tokens;
    },
  };
  return stand;
}

function post(fetch: Stage["fetch"], path: string, body: string, type: string): Promise<Response> {
  return fetch(new Request(`${origin}${path}`, { method: "POST", headers: { "content-type": type }, body }));
}

function createAgent(fetch: Stage["fetch"], clientId: string, verifier = randomBytes(32).toString("base64url")): Agent {
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const agent: Agent = {
    clientId,
    verifier,
    authorizeUrl: (more = {}) => {
      const params = new URLSearchParams({
        response_type: "code",
        client_id: clientId,
        redirect_uri: callback,
        code_challenge: challenge,
        code_challenge_method: "S256",
        state: "st",
        resource: `${origin}/mcp`,
        ...more,
      });
      for (const [name, value] of Object.entries(more)) if (value === "") params.delete(name);
      return `${origin}/oauth/authorize?${params}`;
    },
    async push(more = {}) {
      const body = new URL(agent.authorizeUrl(more)).searchParams;
      const response = await post(fetch, "/oauth/par", String(body), "application/x-www-form-urlencoded");
      const { request_uri } = (await response.json()) as { request_uri: string };
      return request_uri;
    },
    token: (params) =>
      post(
        fetch,
        "/oauth/token",
        String(new URLSearchParams({ client_id: clientId, ...params })),
        "application/x-www-form-urlencoded",
      ),
    exchange: (code, more = {}) =>
      agent.token({
        grant_type: "authorization_code",
        code,
        redirect_uri: callback,
        code_verifier: verifier,
        resource: `${origin}/mcp`,
        ...more,
      }),
    refresh: (token) => agent.token({ grant_type: "refresh_token", refresh_token: token, resource: `${origin}/mcp` }),
    mcp: (token, method, params = {}) =>
      fetch(
        new Request(`${origin}/mcp`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": "2025-11-25",
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        }),
      ),
  };
  return agent;
}
