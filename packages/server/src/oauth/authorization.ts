import {
  buildPageHeaders,
  type ConsoleParts,
  checkNotEmbedded,
  findSession,
  renderCodeAnsweredPage,
  renderConfirmCodePage,
  renderEnterCodePage,
  renderErrorPage,
  renderNotice,
} from "@pdpp/console";
import { PdppError } from "@pdpp/contract/errors";
import { Hono } from "hono";
import { LRUCache } from "lru-cache";
import type Provider from "oidc-provider";
import { z } from "zod";
import { createRateLimitError, createRateLimiter, type RateLimit } from "../auth/rate-limit.ts";
import { findArtifact } from "../store/access/oauth-artifacts.ts";
import type { Store } from "../store/store.ts";
import { addAgentConnectRoutes } from "./agent-connect.ts";
import { createNodeExchange, rebuildRequest } from "./bridge.ts";
import { createConsentHandler, createExpiredResponse } from "./consent.ts";
import { addDeviceRoutes, addPageHeaders, createJsonResponse, createPollLimiter } from "./device.ts";
import { createClientDocuments, type DocumentFetch, isDocumentId } from "./documents.ts";
import { cleanRequest, filterMetadata } from "./front.ts";
import { addIntrospectionRoute } from "./introspect.ts";
import { hashId } from "./model-writes.ts";
import type { PendingRequests } from "./pending-requests.ts";
import type { LibraryPages } from "./provider.ts";
import { consentPath, paths, serverMetadataPath, waitingPath } from "./provider-paths.ts";

/** A server has few names: its public one and those in its network. */
const maxOrigins = 8;
/** Per minute and process. Local clients share an address, but other users of the computer and other addresses don't. */
const limits = {
  register: { perSource: 120, overall: 600 },
  authorize: { perSource: 300, overall: 3000 },
  token: { perSource: 1200, overall: 12_000 },
  introspect: { perSource: 12_000, overall: 24_000 },
  /** For one valid code or refresh token, when its source is over the limit. */
  credential: { perSource: 60, overall: 12_000 },
};

/** Paths that answer with pages instead of JSON errors. */
const pagePaths = new RegExp(
  `^(${[consentPath, paths.code_verification, paths.authorization, waitingPath].join("|")})(/|$)`,
);

const pages: LibraryPages = {
  renderError: (text) => String(renderNotice("Request failed", text)),
  renderEnterCode: (csrfToken, typed, error) =>
    String(renderEnterCodePage(paths.code_verification, csrfToken, typed, error)),
  renderConfirmCode: (csrfToken, userCode, clientName) =>
    String(renderConfirmCodePage(paths.code_verification, csrfToken, userCode, clientName)),
  renderCodeAnswered: (shared) => String(renderCodeAnsweredPage(shared)),
};

export interface AuthorizationParts extends ConsoleParts {
  readonly pendingRequests: PendingRequests;
  readonly store: Store;
  readonly documentFetch?: DocumentFetch | undefined;
}

export function addAuthorizationRoutes(parts: AuthorizationParts): Hono {
  const { store, now, getOrigin, documentFetch } = parts;
  const app = new Hono();
  app.onError((error, c) => {
    if (pagePaths.test(c.req.path)) return renderErrorPage(error, c.req.raw, parts);
    throw error;
  });
  const documents = createClientDocuments(store, now, documentFetch);
  const providers = new LRUCache<string, Promise<Provider>>({ max: maxOrigins });
  const getProvider = (origin: string): Promise<Provider> => {
    const held = providers.get(origin);
    if (held !== undefined) return held;
    // Loaded lazily, because most runs never need it.
    const made = loadProvider().then(({ createProvider }) => createProvider({ store, now, origin, pages, documents }));
    providers.set(origin, made);
    return made;
  };
  const countBySource = (limit: RateLimit) => {
    const isWithin = createRateLimiter(limit, now);
    return (request: Request): void => {
      if (!isWithin(parts.getSource(request))) throw createRateLimitError();
    };
  };
  const isTokenRequestWithin = createRateLimiter(limits.token, now);
  const isCredentialWithin = createRateLimiter(limits.credential, now);
  const countRequest = {
    register: countBySource(limits.register),
    authorize: countBySource(limits.authorize),
    token: (request: Request): void => {
      if (!isTokenRequestWithin(parts.getSource(request))) throw createRateLimitError();
    },
    introspect: countBySource(limits.introspect),
  };

  const toPlainRequest = async (request: Request): Promise<Request> => {
    const plain = await rebuildRequest(request, getOrigin(request));
    if (plain === "too large") throw new PdppError("invalid_request", "the request body is larger than 64 KiB");
    return plain;
  };
  const respond = async (plain: Request): Promise<Response> => {
    const provider = await getProvider(getOrigin(plain));
    const { req, res, answer } = createNodeExchange(await cleanRequest(plain));
    provider.callback()(req, res);
    return answer();
  };
  const callLibrary = async (request: Request): Promise<Response> => respond(await toPlainRequest(request));

  /** Loads the document of a client whose id is a URL, but only for a signed-in owner. */
  const resolveClientDocument = async (request: Request): Promise<Response | undefined> => {
    const { searchParams, search } = new URL(request.url);
    const clientId = searchParams.get("client_id");
    const origin = getOrigin(request);
    if (!isDocumentId(clientId) || !origin.startsWith("https:")) return undefined;
    if ((await findSession(request, parts)) === undefined)
      return (await documents.isKnown(clientId))
        ? undefined
        : redirectToSignIn(`${waitingPath}/${await documents.saveRequest(search)}`);
    const fault = await documents.load(await getProvider(origin), clientId);
    if (fault === undefined) return undefined;
    const text = `Couldn't load the app's description from ${clientId}: ${fault}. Nothing was shared.`;
    return new Response(String(renderNotice("Request failed", text)), { status: 400, headers: buildPageHeaders() });
  };
  const respondWithMetadata = async (request: Request): Promise<Response> => {
    const origin = getOrigin(request);
    const said = await callLibrary(new Request(`${origin}${serverMetadataPath}`));
    return Response.json(filterMetadata(z.looseObject({}).parse(await said.json()), origin), {
      headers: { "cache-control": "public, max-age=300" },
    });
  };
  app.get(serverMetadataPath, (c) => respondWithMetadata(c.req.raw));
  app.get(`${serverMetadataPath}/mcp`, (c) => respondWithMetadata(c.req.raw));
  app.post(paths.registration, (c) => {
    countRequest.register(c.req.raw);
    return callLibrary(c.req.raw);
  });
  const isTooSoon = createPollLimiter(now);
  app.post(paths.token, async (c) => {
    const isWithin = isTokenRequestWithin(parts.getSource(c.req.raw));
    const plain = await toPlainRequest(c.req.raw);
    const params = new URLSearchParams(await plain.clone().text());
    // Requests of others from the same address must not stop a client from refreshing.
    if (!isWithin) {
      const credential = await findCredential(store, params, now());
      if (credential === undefined || !isCredentialWithin(credential)) throw createRateLimitError();
    }
    const deviceCode = params.get("device_code");
    return deviceCode !== null && isTooSoon(deviceCode)
      ? createJsonResponse(400, { error: "slow_down" })
      : respond(plain);
  });
  app.post(paths.revocation, (c) => {
    countRequest.token(c.req.raw);
    return callLibrary(c.req.raw);
  });
  app.post(paths.pushed_authorization_request, (c) => {
    countRequest.authorize(c.req.raw);
    return callLibrary(c.req.raw);
  });
  app.on(["GET", "POST"], paths.authorization, async (c) => {
    // A page in a browser can send these without end, unless they have to be visits.
    checkNotEmbedded(c.req.raw);
    countRequest.authorize(c.req.raw);
    return (await resolveClientDocument(c.req.raw)) ?? addPageHeaders(await callLibrary(c.req.raw));
  });
  app.get(`${waitingPath}/:id`, async (c) => {
    if ((await findSession(c.req.raw, parts)) === undefined) return redirectToSignIn(c.req.path);
    const query = await documents.loadRequest(c.req.param("id"));
    return query === undefined ? createExpiredResponse() : redirectTo(`${paths.authorization}${query}`);
  });
  app.get(`${paths.authorization}/:uid`, async (c) => addPageHeaders(await callLibrary(c.req.raw)));

  addDeviceRoutes(app, { ...parts, callLibrary, countRequest: countRequest.authorize });
  addAgentConnectRoutes(app, {
    store,
    now,
    getOrigin,
    toPlainRequest,
    callLibrary,
    isTooSoon,
    countRequest,
  });
  addIntrospectionRoute(app, { store, now, getOrigin, toPlainRequest, count: countRequest.introspect });
  const consent = createConsentHandler({ ...parts, getProvider });
  app.on(["GET", "POST"], `${consentPath}/:uid`, async (c) => {
    const session = await findSession(c.req.raw, parts);
    if (session === undefined) return redirectToSignIn(c.req.path);
    return consent(c.req.raw, session);
  });
  return app;
}

const credentialKinds = [
  ["refresh_token", "RefreshToken"],
  ["code", "AuthorizationCode"],
  ["device_code", "DeviceCode"],
] as const;

/** The hash of the credential in a token request, if the vault issued it. */
async function findCredential(store: Store, params: URLSearchParams, now: number): Promise<string | undefined> {
  for (const [name, kind] of credentialKinds) {
    const sent = params.get(name);
    if (sent === null) continue;
    const idHash = hashId(sent);
    const held = await store.engine.read((on) => findArtifact(on, kind, { idHash }, now));
    if (held !== undefined) return idHash;
  }
  return undefined;
}

/** Suppresses the library's warning about Node versions that are not long-term releases. */
async function loadProvider(): Promise<typeof import("./provider.ts")> {
  const { warn } = console;
  console.warn = (...said: unknown[]) => {
    if (!String(said[0]).includes("Unsupported runtime")) warn(...said);
  };
  try {
    return await import("./provider.ts");
  } finally {
    console.warn = warn;
  }
}

const redirectTo = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });

const redirectToSignIn = (next: string): Response => redirectTo(`/sign-in?next=${encodeURIComponent(next)}`);
