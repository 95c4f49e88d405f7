import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** A provider of somebody else, at which people sign in so that a source may read their account. */
export interface ForeignProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Where the servers of its services ask whose token it is. */
  readonly introspectionUrl: string;
  /** How many requests there were, by grant type. */
  readonly requests: ReadonlyMap<string, number>;
  /** Whether people decline. */
  isDeclining: boolean;
  /** Whether a refresh replaces the refresh token. */
  isRotating: boolean;
  /** In seconds, of access tokens issued from now on. */
  accessTokenSeconds: number;
  /** Called when a refresh has been done, before its result is sent. */
  onRefreshed: () => Promise<void> | void;
  /** Opens an address as a person who signs in and allows everything. Returns the last page, which may be elsewhere. */
  visit(url: string): Promise<{ readonly url: string; readonly status: number; readonly text: string }>;
  enterCode(url: string, userCode: string): Promise<string>;
  /** Uses a refresh token as a thief would. */
  refresh(refreshToken: string): Promise<Response>;
  /** Ends all access tokens before they expire, which only its services notice. */
  endAccessTokens(): void;
  /** Ends all access, as a person does in the settings of the account. */
  revoke(): Promise<void>;
  stop(): Promise<void>;
}

/** A mail server, for one, that may ask about tokens. */
const service = { id: "service", secret: "secret-of-the-service" };

export async function startProvider(): Promise<ForeignProvider> {
  let provider: Provider | undefined;
  const grants: string[] = [];
  /** Access tokens that its services take. */
  const tokens = new Set<string>();
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const foreign: ForeignProvider = {
    issuer,
    clientId: "of-the-owner",
    introspectionUrl: `${issuer.replace("//", `//${service.id}:${service.secret}@`)}/token/introspection`,
    requests,
    isDeclining: false,
    isRotating: true,
    accessTokenSeconds: 3600,
    onRefreshed: () => undefined,
    visit: (url) => createBrowser(issuer).open(url),
    async enterCode(url, userCode) {
      const browser = createBrowser(issuer);
      const form = await browser.open(url);
      const confirm = await browser.submit(form.url, { xsrf: findToken(form.text), user_code: userCode });
      const ended = await browser.submit(form.url, {
        xsrf: findToken(confirm.text),
        user_code: userCode,
        confirm: "yes",
      });
      return ended.text;
    },
    refresh: (refreshToken) =>
      fetch(`${issuer}/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          client_id: "of-the-owner",
          refresh_token: refreshToken,
        }),
      }),
    endAccessTokens() {
      for (const token of tokens) tokens.delete(token);
    },
    async revoke() {
      for (const grant of grants.splice(0)) await provider?.RefreshToken.revokeByGrantId(grant);
      foreign.endAccessTokens();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  provider = createProvider(issuer, foreign, { requests, tokens });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (provider === undefined) throw new Error("not ready");
    if (request.url?.startsWith("/interaction/"))
      await decide(provider, request, response, foreign.isDeclining, grants);
    else await provider.callback()(request, response);
  }
  return foreign;
}

function createProvider(
  issuer: string,
  foreign: ForeignProvider,
  { requests, tokens }: { readonly requests: Map<string, number>; readonly tokens: Set<string> },
): Provider {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: foreign.clientId,
        token_endpoint_auth_method: "none",
        application_type: "native",
        redirect_uris: ["http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["code"],
      },
      { client_id: service.id, client_secret: service.secret, grant_types: [], redirect_uris: [], response_types: [] },
    ],
    scopes: ["openid", "offline_access", "mail"],
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, { jti }) => client.clientId === service.id && tokens.has(jti),
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    pkce: { required: () => true },
    rotateRefreshToken: () => foreign.isRotating,
    cookies: { keys: ["of the foreign provider"] },
    ttl: {
      AccessToken: () => foreign.accessTokenSeconds,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 3600,
      IdToken: 3600,
      DeviceCode: 600,
      AuthorizationCode: 600,
    },
  });
  provider.on("access_token.saved", ({ jti }) => tokens.add(jti));
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== "/token") return;
    const type = String(ctx.oidc?.params?.grant_type);
    requests.set(type, (requests.get(type) ?? 0) + 1);
    if (type === "refresh_token" && ctx.status === 200) await foreign.onRefreshed();
  });
  return provider;
}

async function decide(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  isDeclining: boolean,
  grants: string[],
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (isDeclining) return provider.interactionFinished(request, response, { error: "access_denied" });
  if (prompt.name === "login") return provider.interactionFinished(request, response, { login: { accountId: "ada" } });
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant =
    known ?? new provider.Grant({ accountId: session?.accountId ?? "ada", clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  const saved = await grant.save();
  grants.push(saved);
  const result = { consent: { grantId: saved } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

/** Follows redirects and keeps cookies, for one host. */
function createBrowser(origin: string) {
  const cookies = new Map<string, string>();
  const send = async (url: string, init: RequestInit = {}): Promise<{ url: string; status: number; text: string }> => {
    const isHere = url.startsWith(`${origin}/`);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: isHere ? { cookie } : {} });
    for (const line of isHere ? response.headers.getSetCookie() : []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const next = response.headers.get("location");
    if (next !== null) return send(new URL(next, url).href);
    return { url, status: response.status, text: await response.text() };
  };
  return {
    open: (url: string) => send(url),
    submit: (url: string, fields: Readonly<Record<string, string>>) =>
      send(url, { method: "POST", body: new URLSearchParams(fields) }),
  };
}

function findToken(html: string): string {
  const [, token] = /name="xsrf" value="([^"]+)"/.exec(html) ?? [];
  if (token === undefined) throw new Error(`the page has no form: ${html.slice(0, 500)}`);
  return token;
}
