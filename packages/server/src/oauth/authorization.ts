import { notice, pageHeaders } from "@pdpp/console/frame";
import { refusalPage } from "@pdpp/console/refusal";
import { type ConsoleParts, sessionIn } from "@pdpp/console/session";
import { PdppError } from "@pdpp/contract/errors";
import { Hono } from "hono";
import { LRUCache } from "lru-cache";
import type Provider from "oidc-provider";
import { z } from "zod";
import { limitPerMinute } from "../auth/rate-limit.ts";
import type { Store } from "../store/store.ts";
import { agentConnectRoutes } from "./agent-connect.ts";
import { runNodeHandler, toPlainRequest } from "./bridge.ts";
import { createConsentHandler, expiredResponse } from "./consent.ts";
import { asPage, createPollingLimit, deviceRoutes, respondWithJson } from "./device.ts";
import { codeAnsweredPage, confirmCodePage, enterCodePage } from "./device-page.ts";
import { createClientDocuments, type DocumentFetch, isDocumentId } from "./documents.ts";
import { cleanRequest, ownMetadata } from "./front.ts";
import { introspectionRoute } from "./introspect.ts";
import type { LibraryPages } from "./provider.ts";
import { consentPath, paths, serverMetadataPath, waitingPath } from "./provider-paths.ts";

/** How a program that knows only the address gets a grant: it registers, sends the owner here, and comes back with a code. */

/** A server has few names: its public one, and those of its own network. */
const mostNames = 8;
/** In a minute, over all callers: nothing that a caller says about itself would tell them apart. */
const limits = { register: 120, authorize: 300, token: 1200, introspect: 12_000 };

/** Where a person looks at the answer; elsewhere it is a program. */
const forPersons = new RegExp(
  `^(${[consentPath, paths.code_verification, paths.authorization, waitingPath].join("|")})(/|$)`,
);

const pages: LibraryPages = {
  error: (text) => String(notice("Request failed", text)),
  enterCode: (proof, typed, fault) => String(enterCodePage(proof, typed, fault)),
  confirmCode: (proof, userCode, clientName) => String(confirmCodePage(proof, userCode, clientName)),
  codeAnswered: (shared) => String(codeAnsweredPage(shared)),
};

export interface AuthorizationParts extends ConsoleParts {
  readonly store: Store;
  /** How documents of clients are fetched; for tests, which cannot reach the world. */
  readonly documentFetch?: DocumentFetch | undefined;
}

export function authorizationRoutes(parts: AuthorizationParts): Hono {
  const { store, now, originOf, documentFetch } = parts;
  const app = new Hono();
  app.onError((error, c) => {
    if (forPersons.test(c.req.path)) return refusalPage(error);
    throw error;
  });
  const documents = createClientDocuments(store, now, documentFetch);
  const providers = new LRUCache<string, Promise<Provider>>({ max: mostNames });
  const providerAt = (origin: string): Promise<Provider> => {
    const held = providers.get(origin);
    if (held !== undefined) return held;
    // Loaded when it is first needed: most starts never need it.
    const made = loadProvider().then(({ createProvider }) => createProvider({ store, now, origin, pages, documents }));
    providers.set(origin, made);
    return made;
  };
  const counted = {
    register: limitPerMinute(limits.register, now),
    authorize: limitPerMinute(limits.authorize, now),
    token: limitPerMinute(limits.token, now),
    introspect: limitPerMinute(limits.introspect, now),
  };

  const plainOf = async (request: Request): Promise<Request> => {
    const plain = await toPlainRequest(request, originOf(request));
    if (plain === "too large") throw new PdppError("invalid_request", "the request body is larger than 64 KiB");
    return plain;
  };
  const answered = async (plain: Request): Promise<Response> => {
    const provider = await providerAt(originOf(plain));
    const { req, res, answer } = runNodeHandler(await cleanRequest(plain));
    provider.callback()(req, res);
    return answer();
  };
  const byLibrary = async (request: Request): Promise<Response> => answered(await plainOf(request));

  /** A client that is described by a document is looked up before anything else, if there is an owner to do it for. */
  const beforehand = async (request: Request): Promise<Response | undefined> => {
    const { searchParams, search } = new URL(request.url);
    const clientId = searchParams.get("client_id");
    const origin = originOf(request);
    if (!isDocumentId(clientId) || !origin.startsWith("https:")) return undefined;
    if ((await sessionIn(request, parts)) === undefined)
      return (await documents.isKnown(clientId))
        ? undefined
        : toSignIn(`${waitingPath}/${await documents.putAside(search)}`);
    const fault = await documents.learn(await providerAt(origin), clientId);
    if (fault === undefined) return undefined;
    const text = `Couldn't load the app's description from ${clientId}: ${fault}. Nothing was shared.`;
    return new Response(String(notice("Request failed", text)), { status: 400, headers: pageHeaders() });
  };
  const metadata = async (request: Request): Promise<Response> => {
    const origin = originOf(request);
    const said = await byLibrary(new Request(`${origin}${serverMetadataPath}`));
    return Response.json(ownMetadata(z.looseObject({}).parse(await said.json()), origin), {
      headers: { "cache-control": "public, max-age=300" },
    });
  };
  app.get(serverMetadataPath, (c) => metadata(c.req.raw));
  app.get(`${serverMetadataPath}/mcp`, (c) => metadata(c.req.raw));
  app.post(paths.registration, (c) => {
    counted.register();
    return byLibrary(c.req.raw);
  });
  const isTooSoon = createPollingLimit(now);
  app.post(paths.token, async (c) => {
    counted.token();
    const plain = await plainOf(c.req.raw);
    const deviceCode = new URLSearchParams(await plain.clone().text()).get("device_code");
    return deviceCode !== null && isTooSoon(deviceCode)
      ? respondWithJson(400, { error: "slow_down" })
      : answered(plain);
  });
  app.post(paths.revocation, (c) => {
    counted.token();
    return byLibrary(c.req.raw);
  });
  app.post(paths.pushed_authorization_request, (c) => {
    counted.authorize();
    return byLibrary(c.req.raw);
  });
  app.on(["GET", "POST"], paths.authorization, async (c) => {
    counted.authorize();
    return (await beforehand(c.req.raw)) ?? asPage(await byLibrary(c.req.raw));
  });
  app.get(`${waitingPath}/:id`, async (c) => {
    if ((await sessionIn(c.req.raw, parts)) === undefined) return toSignIn(c.req.path);
    const query = await documents.takeUp(c.req.param("id"));
    return query === undefined ? expiredResponse() : seeOther(`${paths.authorization}${query}`);
  });
  app.get(`${paths.authorization}/:uid`, async (c) => asPage(await byLibrary(c.req.raw)));

  deviceRoutes(app, { ...parts, byLibrary, countAsked: counted.authorize });
  agentConnectRoutes(app, { store, now, originOf, plainOf, byLibrary, isTooSoon, counted });
  introspectionRoute(app, { store, now, originOf, plainOf, count: counted.introspect });
  const consent = createConsentHandler({ ...parts, providerAt });
  app.on(["GET", "POST"], `${consentPath}/:uid`, async (c) => {
    const session = await sessionIn(c.req.raw, parts);
    if (session === undefined) return toSignIn(c.req.path);
    return consent(c.req.raw, session);
  });
  return app;
}

/** The library warns, when it is loaded, of every Node that is not a long-term release; it works on them. */
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

const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });

const toSignIn = (next: string): Response => seeOther(`/sign-in?next=${encodeURIComponent(next)}`);
