import { setTimeout as wait } from "node:timers/promises";
import { commandName } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorMessage } from "@pdpp/server/system-error";
import { scaleTimeLimit } from "@pdpp/server/time-limits";

/** Requests a grant through the public protocol's `agent_connect_endpoint`, then polls until the owner has decided. */

export interface Attempt {
  readonly approvalUrl: string;
  readonly userCode: string | undefined;
  readonly pollUrl: string;
  readonly pollingCode: string;
  readonly intervalMs: number;
  readonly endsAt: number;
}

interface Answered {
  readonly accessToken: string;
  readonly expiresAt: string | undefined;
  readonly packageId: string | undefined;
}

const answerMs = scaleTimeLimit(10_000);
const shortestMs = 500;
const longestMs = 30 * 60_000;

type Json = Readonly<Record<string, unknown>>;
const toText = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

async function requestJson(url: string, body?: object): Promise<{ readonly status: number; readonly body: Json }> {
  try {
    const answer = await fetch(url, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
      redirect: "error",
      signal: AbortSignal.timeout(answerMs),
    });
    const json: unknown = await answer.json().catch(() => undefined);
    return { status: answer.status, body: typeof json === "object" && json !== null ? { ...json } : {} };
  } catch (error) {
    throw createFailure(
      `${new URL(url).origin} is not reachable: ${getErrorMessage(error)}`,
      "check the address, and that pdpp serve is running there",
    );
  }
}

export async function beginConnecting(providerUrl: string, name: string): Promise<Attempt> {
  const { origin } = new URL(providerUrl);
  const metadata = await requestJson(`${origin}/.well-known/oauth-authorization-server`);
  const endpoint = toText(metadata.body.agent_connect_endpoint);
  if (metadata.status !== 200 || endpoint === undefined)
    throw createFailure(
      `${origin} does not support requesting a grant`,
      `find out why with: ${commandName} doctor ${origin}`,
    );
  const begun = await requestJson(onServer(endpoint, metadata.body), { client_name: name });
  const { approval_url, poll_url, polling_code, user_code, interval_ms, expires_in } = begun.body;
  const [approvalUrl, pollUrl, pollingCode] = [toText(approval_url), toText(poll_url), toText(polling_code)];
  if (begun.status >= 300 || approvalUrl === undefined || pollUrl === undefined || pollingCode === undefined)
    throw createRefusal(begun);
  return {
    approvalUrl: onServer(approvalUrl, metadata.body),
    userCode: toText(user_code),
    pollUrl: onServer(pollUrl, metadata.body),
    pollingCode,
    intervalMs: typeof interval_ms === "number" ? Math.max(shortestMs, interval_ms) : 2000,
    endsAt: Date.now() + Math.min(longestMs, typeof expires_in === "number" ? 1000 * expires_in : longestMs),
  };
}

/** Rejects a URL on another server: metadata must not redirect the client elsewhere. */
function onServer(url: string, { issuer }: Json): string {
  const meant = toText(issuer);
  if (meant !== undefined && URL.canParse(url) && URL.canParse(meant) && new URL(url).origin === new URL(meant).origin)
    return url;
  throw createFailure(
    `the server redirects to ${url}, which is on another server`,
    "ask the server's administrator to check its --public-url",
  );
}

export async function waitForAnswer({ pollUrl, pollingCode, intervalMs, endsAt }: Attempt): Promise<Answered> {
  while (Date.now() < endsAt) {
    await wait(intervalMs);
    const answer = await requestJson(pollUrl, { polling_code: pollingCode });
    if (answer.status === 202 || answer.status === 429) continue;
    const accessToken = toText(answer.body.access_token);
    if (answer.status !== 200 || accessToken === undefined) throw createRefusal(answer);
    return {
      accessToken,
      expiresAt: toText(answer.body.expires_at),
      packageId: toText(answer.body.grant_package_id),
    };
  }
  throw createFailure("the request timed out", `run ${commandName} connect again`);
}

const createFailure = (message: string, nextStep: string): PdppError =>
  new PdppError("unavailable", message, { next_step: nextStep });

function createRefusal({ status, body }: { readonly status: number; readonly body: Json }): PdppError {
  if (body.error === "access_denied")
    return new PdppError("permission_error", "the owner denied the request", {
      next_step: `ask the owner, then run ${commandName} connect again`,
    });
  const said = toText(body.error_description) ?? toText(body.error) ?? `status ${status}`;
  return createFailure(`the server rejected the request: ${said}`, `run ${commandName} connect again`);
}
