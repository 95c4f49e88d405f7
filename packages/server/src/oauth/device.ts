import { buildPageHeaders, checkSameOrigin, findSession, type PageParts } from "@pdpp/console";
import type { Hono } from "hono";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { limitPerMinute } from "../auth/rate-limit.ts";
import { hashToken } from "../auth/tokens.ts";
import { paths } from "./provider-paths.ts";

/** The device flow (RFC 8628). The library limits neither polling nor code entry, so this does. */

const intervalSeconds = 5;
/** Entering a code takes two requests: one to enter it, one to confirm. */
const maxCodesPerMinute = 30;

export interface DeviceParts extends PageParts {
  readonly callLibrary: (request: Request) => Promise<Response>;
  readonly countRequest: () => void;
}

export function addDeviceRoutes(app: Hono, parts: DeviceParts): void {
  const { callLibrary, countRequest, now, getOrigin } = parts;
  const countCode = limitPerMinute(maxCodesPerMinute, now);
  app.post(paths.device_authorization, async (c) => {
    countRequest();
    const answer = await callLibrary(c.req.raw);
    if (answer.status !== 200) return answer;
    const body = z.looseObject({}).parse(await answer.json());
    return createJsonResponse(200, { ...body, interval: intervalSeconds });
  });
  app.on(["GET", "POST"], paths.code_verification, async (c) => {
    const typed = c.req.query("user_code");
    const next = `${paths.code_verification}${typed === undefined ? "" : `?${new URLSearchParams({ user_code: typed })}`}`;
    if ((await findSession(c.req.raw, parts)) === undefined)
      return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
    if (c.req.method === "POST") {
      checkSameOrigin(c.req.raw, getOrigin(c.req.raw));
      countCode();
    }
    return addPageHeaders(await callLibrary(c.req.raw));
  });
  app.get(`${paths.code_verification}/:uid`, async (c) => addPageHeaders(await callLibrary(c.req.raw)));
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
