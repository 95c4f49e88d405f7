import { buildPageHeaders, checkSameOrigin, findSession, type PageParts, readCookies } from "@pdpp/console";
import type { Hono } from "hono";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { limitPerMinute } from "../auth/rate-limit.ts";
import { getCookieLabel } from "../auth/sessions.ts";
import { hashToken } from "../auth/tokens.ts";
import { findArtifact } from "../store/access/oauth-artifacts.ts";
import type { Store } from "../store/store.ts";
import { hashId } from "./model-writes.ts";
import { formatLibraryCookieNames, paths } from "./provider-paths.ts";

/** The device flow (RFC 8628). The library limits neither polling nor code entry, so this does. */

const intervalSeconds = 5;
/** Entering a code takes two requests: one to enter it, one to confirm. */
const maxCodesPerMinute = 30;

export interface DeviceParts extends PageParts {
  readonly store: Store;
  readonly callLibrary: (request: Request) => Promise<Response>;
  readonly countRequest: (request: Request) => void;
}

export function addDeviceRoutes(app: Hono, parts: DeviceParts): void {
  const { callLibrary, countRequest, now, getOrigin } = parts;
  const countCode = limitPerMinute(maxCodesPerMinute, now);
  app.post(paths.device_authorization, async (c) => {
    countRequest(c.req.raw);
    const answer = await callLibrary(c.req.raw);
    if (answer.status !== 200) return answer;
    const body = z.looseObject({}).parse(await answer.json());
    return createJsonResponse(200, { ...body, interval: intervalSeconds });
  });
  app.on(["GET", "POST"], paths.code_verification, async (c) => {
    const typed = c.req.query("user_code");
    const next = `${paths.code_verification}${typed === undefined ? "" : `?${new URLSearchParams({ user_code: typed })}`}`;
    const session = await findSession(c.req.raw, parts);
    if (session === undefined) return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
    if (c.req.method === "POST") {
      checkSameOrigin(c.req.raw, getOrigin(c.req.raw));
      countCode(String(session.ownerNo));
      // The library fails when its own session has ended, so the owner starts again.
      if (!(await hasLibrarySession(c.req.raw, parts))) return c.redirect(next, 303);
    }
    return addPageHeaders(await callLibrary(c.req.raw));
  });
  app.get(`${paths.code_verification}/:uid`, async (c) => addPageHeaders(await callLibrary(c.req.raw)));
}

async function hasLibrarySession(request: Request, { store, now, getOrigin }: DeviceParts): Promise<boolean> {
  const { session } = formatLibraryCookieNames(getCookieLabel(store), getOrigin(request).startsWith("https:"));
  const [id] = readCookies(request, session);
  if (id === undefined) return false;
  const held = await store.engine.read((on) => findArtifact(on, "Session", { idHash: hashId(id) }, now()));
  return held !== undefined;
}

export function addPageHeaders(response: Response): Response {
  if (response.headers.get("content-type")?.startsWith("text/html") !== true) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(buildPageHeaders())) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

export const createJsonResponse = (status: number, body: object): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store" } });

const maxRememberedPolls = 10_000;

/** Returns whether a program polls too fast. Each time it does, its interval grows. */
export function createPollLimiter(now: () => number): (deviceCode: string, intervalMs?: number) => boolean {
  const polls = new LRUCache<string, { readonly at: number; readonly intervalMs: number }>({ max: maxRememberedPolls });
  return (deviceCode, intervalMs = 1000 * intervalSeconds) => {
    const key = hashToken(deviceCode);
    const last = polls.get(key);
    const tooSoon = last !== undefined && now() - last.at < last.intervalMs - slackMs;
    const wait = last?.intervalMs ?? intervalMs;
    polls.set(key, { at: now(), intervalMs: tooSoon ? wait + 1000 * intervalSeconds : wait });
    return tooSoon;
  };
}

/** Allows for clock and network jitter. */
const slackMs = 500;
