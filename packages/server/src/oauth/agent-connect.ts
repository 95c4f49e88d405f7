import { formatInstant } from "@pdpp/contract/instant";
import type { Hono } from "hono";
import { z } from "zod";
import { hashToken } from "../auth/tokens.ts";
import { listGrantsInPackage } from "../store/access/grants.ts";
import { findArtifact, findClient } from "../store/access/oauth-artifacts.ts";
import { parseJsonAs } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";
import { createJsonResponse } from "./device.ts";
import { agentConnectPath, deviceGrant, paths, scope } from "./provider-paths.ts";

/**
 * The public protocol's way to connect: one JSON request starts, another is polled until the owner has decided. Both translate to the device flow.
 */

const intervalMs = 2000;

export interface AgentConnectParts {
  readonly store: Store;
  readonly now: () => number;
  readonly getOrigin: (request: Request) => string;
  readonly toPlainRequest: (request: Request) => Promise<Request>;
  readonly callLibrary: (request: Request) => Promise<Response>;
  readonly isTooSoon: (deviceCode: string, intervalMs: number) => boolean;
  readonly countRequest: {
    readonly register: (request: Request) => void;
    readonly token: (request: Request) => void;
  };
}

const startSchema = z.looseObject({
  client_id: z.string().max(500).nullish(),
  client_name: z.string().max(500).nullish(),
  resource: z.string().max(2000).nullish(),
  authorization_details: z.array(z.unknown()).max(100).nullish(),
  request_uri: z.undefined({ error: "request_uri is not supported; use authorization_details" }).optional(),
});
const pollSchema = z.looseObject({ polling_code: z.string().min(1).max(500) });
const deviceResponseSchema = z.looseObject({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.number(),
});
const tokenResponseSchema = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number(),
  scope: z.string().optional(),
});

export function addAgentConnectRoutes(app: Hono, parts: AgentConnectParts): void {
  const { countRequest, getOrigin, toPlainRequest } = parts;
  app.post(agentConnectPath, async (c) => {
    countRequest.register(c.req.raw);
    const asked = startSchema.safeParse(await readJson(await toPlainRequest(c.req.raw)));
    if (!asked.success)
      return createErrorResponse(400, "invalid_request", asked.error.issues[0]?.message ?? "not a JSON object");
    return begin(parts, getOrigin(c.req.raw), asked.data);
  });
  app.post(`${agentConnectPath}/:client/token`, async (c) => {
    countRequest.token(c.req.raw);
    const sent = pollSchema.safeParse(await readJson(await toPlainRequest(c.req.raw)));
    if (!sent.success)
      return createErrorResponse(400, "invalid_request", "send the polling_code from the first response");
    return poll(parts, getOrigin(c.req.raw), c.req.param("client"), sent.data.polling_code);
  });
}

async function begin(
  parts: AgentConnectParts,
  origin: string,
  { client_id, client_name, resource, authorization_details }: z.infer<typeof startSchema>,
): Promise<Response> {
  const known = await isDeviceClient(parts.store, client_id ?? "");
  // A client with an expired or different registration registers again.
  const registered = known ? undefined : await register(parts, origin, client_name ?? "Unnamed app");
  if (registered instanceof Response) return registered;
  const clientId = registered ?? client_id ?? "";
  const answer = await postForm(parts, `${origin}${paths.device_authorization}`, {
    client_id: clientId,
    scope,
    ...(resource ? { resource } : {}),
    ...(authorization_details ? { authorization_details: JSON.stringify(authorization_details) } : {}),
  });
  if (answer.status !== 200) return answer;
  const { device_code, user_code, verification_uri_complete, expires_in } = deviceResponseSchema.parse(
    await answer.json(),
  );
  const pollUrl = `${origin}${agentConnectPath}/${encodeURIComponent(clientId)}/token`;
  return createJsonResponse(201, {
    object: "agent_connect_attempt",
    status: "pending",
    client_id: clientId,
    approval_url: verification_uri_complete,
    user_code,
    poll_url: pollUrl,
    token_url: pollUrl,
    polling_code: device_code,
    // Not `interval`, which clients of that protocol read as milliseconds.
    interval_ms: intervalMs,
    expires_in,
  });
}

async function isDeviceClient(store: Store, clientId: string): Promise<boolean> {
  const held = await store.engine.read((on) => findClient(on, clientId));
  if (held === undefined) return false;
  const { grant_types } = parseJsonAs(z.looseObject({ grant_types: z.array(z.string()) }), held.metadata);
  return grant_types.includes(deviceGrant);
}

async function register({ callLibrary }: AgentConnectParts, origin: string, name: string): Promise<string | Response> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ client_name: name });
  const answer = await callLibrary(new Request(`${origin}${paths.registration}`, { method: "POST", headers, body }));
  return answer.status === 201 ? z.looseObject({ client_id: z.string() }).parse(await answer.json()).client_id : answer;
}

async function poll(parts: AgentConnectParts, origin: string, clientId: string, code: string): Promise<Response> {
  const { store, now, isTooSoon } = parts;
  const createPendingResponse = () =>
    createJsonResponse(202, { status: "pending", error: "authorization_pending", interval_ms: intervalMs });
  const held = await store.engine.read((on) => findArtifact(on, "DeviceCode", { idHash: hashToken(code) }, now()));
  if (held === undefined) return createErrorResponse(400, "expired_token", "this attempt has expired; connect again");
  // The library would treat a second use as theft and revoke the grant.
  if (held.consumedAt !== null)
    return createErrorResponse(401, "invalid_grant", "this attempt was already answered; connect again");
  if (isTooSoon(code, intervalMs)) return createPendingResponse();
  const answer = await postForm(parts, `${origin}${paths.token}`, {
    grant_type: deviceGrant,
    client_id: clientId,
    device_code: code,
  });
  if (answer.status === 200) return respondApproved(parts, code, tokenResponseSchema.parse(await answer.json()));
  const { error = "invalid_grant", error_description } = z
    .looseObject({ error: z.string().optional(), error_description: z.string().optional() })
    .parse((await readJson(answer)) ?? {});
  if (error === "authorization_pending" || error === "slow_down") return createPendingResponse();
  return createErrorResponse(statusByError.get(error) ?? 401, error, error_description ?? "connect again");
}

const statusByError = new Map([
  ["access_denied", 403],
  ["expired_token", 400],
]);

async function respondApproved(
  { store, now }: AgentConnectParts,
  code: string,
  { access_token, token_type, expires_in, scope: granted }: z.infer<typeof tokenResponseSchema>,
): Promise<Response> {
  const grants = await store.engine.read(async (on) => {
    const held = await findArtifact(on, "DeviceCode", { idHash: hashToken(code) }, now());
    return held?.grantId ? listGrantsInPackage(on, held.grantId) : [];
  });
  const [first] = grants;
  return createJsonResponse(200, {
    status: "approved",
    access_token,
    token_type,
    scope: granted ?? scope,
    expires_in,
    expires_at: formatInstant(now() + 1000 * expires_in),
    ...(first === undefined ? {} : { grant_id: first.grant.grant_id, grant_package_id: first.grant.package_id }),
  });
}

const createErrorResponse = (status: number, error: string, error_description: string): Response =>
  createJsonResponse(status, { error, error_description });

const postForm = ({ callLibrary }: AgentConnectParts, url: string, params: Record<string, string>): Promise<Response> =>
  callLibrary(new Request(url, { method: "POST", body: new URLSearchParams(params) }));

const readJson = (message: Request | Response): Promise<unknown> => message.json().catch(() => undefined);
