import { createServer, type Server } from "node:http";
import { PdppError } from "@pdpp/contract/errors";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  initiateDeviceAuthorization,
  pollDeviceAuthorizationGrant,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { OAuthSession } from "../credentials/contents.ts";
import { createSession, discoverClient, explainError } from "./client.ts";
import { getProvider } from "./providers.ts";

export interface SignInRequest {
  readonly provider: string;
  /** Replaces the provider's usual one. */
  readonly issuer?: string | undefined;
  /** The owner's own client at the provider. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly scope: string;
  /** The variable in which the connector expects the access token. */
  readonly variable: string;
  readonly signal?: AbortSignal | undefined;
}

export interface DevicePrompt {
  readonly userCode: string;
  readonly url: string;
}

/** For a device without a browser: the owner enters a code on another one. */
export async function signInWithCode(
  request: SignInRequest,
  onPrompt: (prompt: DevicePrompt) => void,
): Promise<OAuthSession> {
  const { parts, provider } = describeRequest(request);
  if (!provider.hasDeviceCodes)
    throw new PdppError("invalid_argument", `${request.provider} has no device codes for this; sign in with a browser`);
  return explainFailures(request, async () => {
    const client = await discoverClient(parts);
    const device = await initiateDeviceAuthorization(client, { scope: request.scope });
    onPrompt({ userCode: device.user_code, url: device.verification_uri });
    const tokens = await pollDeviceAuthorizationGrant(client, device, undefined, { signal: withTimeout(request) });
    return createSession(parts, tokens);
  });
}

/** The owner signs in with a browser on this computer, which the provider then redirects to a port of ours. */
export async function signInWithBrowser(request: SignInRequest, onUrl: (url: string) => void): Promise<OAuthSession> {
  const { parts, provider } = describeRequest(request);
  return explainFailures(request, async () => {
    const client = await discoverClient(parts);
    const [codeVerifier, state] = [randomPKCECodeVerifier(), randomState()];
    const redirect = await listenForRedirect(provider.redirectHost, state);
    try {
      const url = buildAuthorizationUrl(client, {
        ...provider.parameters,
        redirect_uri: redirect.uri,
        scope: request.scope,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        state,
      });
      onUrl(url.href);
      const arrived = await redirect.wait(withTimeout(request));
      const checks = { pkceCodeVerifier: codeVerifier, expectedState: state };
      return createSession(parts, await authorizationCodeGrant(client, arrived, checks));
    } finally {
      redirect.close();
    }
  });
}

function describeRequest({ provider: name, issuer, clientId, clientSecret, scope, variable }: SignInRequest) {
  const provider = getProvider(name, issuer);
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  return {
    provider,
    parts: { provider: name, issuer: provider.issuer, client_id: clientId, ...secret, scope, variable },
  };
}

const maxWaitMs = 10 * 60_000;

function withTimeout({ signal }: SignInRequest): AbortSignal {
  const timeout = AbortSignal.timeout(scaleTimeLimit(maxWaitMs));
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

async function explainFailures(
  { signal, clientSecret }: SignInRequest,
  work: () => Promise<OAuthSession>,
): Promise<OAuthSession> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw new PdppError("invalid_request", "the sign-in was cancelled; nothing was changed");
    throw explainError(error, [clientSecret]);
  }
}

interface Redirect {
  readonly uri: string;
  wait(signal: AbortSignal): Promise<URL>;
  close(): void;
}

const callbackPath = "/callback";
const renderPage = (text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>pdpp</title><p>${text}</p></html>`;

/** Takes the first redirect with our state. Others may come from any page or program, and are turned away. */
async function listenForRedirect(host: string, state: string): Promise<Redirect> {
  let uri = "";
  let accept: (url: URL) => void = () => undefined;
  const arrived = new Promise<URL>((resolve) => {
    accept = resolve;
  });
  const server = createServer((request, response) => {
    const url = URL.canParse(request.url ?? "", uri) ? new URL(request.url ?? "", uri) : undefined;
    const isOurs =
      request.method === "GET" &&
      `http://${request.headers.host}${callbackPath}` === uri &&
      url?.pathname === callbackPath &&
      url.searchParams.get("state") === state;
    const text = isOurs ? "You can close this page and go back to pdpp." : "This is not the sign-in that pdpp started.";
    response
      .writeHead(isOurs ? 200 : 400, {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'",
        "referrer-policy": "no-referrer",
        connection: "close",
      })
      .end(renderPage(text));
    if (isOurs && url !== undefined) accept(url);
  });
  uri = `http://${host}:${await listen(server)}${callbackPath}`;
  return {
    uri,
    wait: (signal) =>
      new Promise((resolve, reject) => {
        const giveUp = (): void =>
          reject(new PdppError("invalid_request", "timed out waiting for the sign-in; start again"));
        if (signal.aborted) giveUp();
        signal.addEventListener("abort", giveUp, { once: true });
        void arrived.then(resolve);
      }),
    close: () => void server.close(),
  };
}

/** Browsers try both loopback addresses for `localhost`. */
const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("the listener has no port"));
      else resolve(address.port);
    });
  });
