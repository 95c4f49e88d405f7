import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorMessage } from "@pdpp/server/system-error";

/** Asks for a grant in the words of the public protocol (`agent_connect_endpoint`): one request begins, another is repeated until the owner has decided. */

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

const answerMs = 10_000;
const shortestMs = 500;
const longestMs = 30 * 60_000;

type Json = Readonly<Record<string, unknown>>;
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

async function asked(url: string, body?: object): Promise<{ readonly status: number; readonly body: Json }> {
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
    throw failed(
      `${new URL(url).origin} does not answer: ${getErrorMessage(error)}`,
      "check the address, and that pdpp serve runs there",
    );
  }
}

/** The endpoint is where the server says; it must be on that very server. */
export async function beginConnecting(providerUrl: string, name: string): Promise<Attempt> {
  const { origin } = new URL(providerUrl);
  const metadata = await asked(`${origin}/.well-known/oauth-authorization-server`);
  const endpoint = text(metadata.body.agent_connect_endpoint);
  if (metadata.status !== 200 || endpoint === undefined)
    throw failed(
      `${origin} does not say how a program can ask for a grant`,
      `look at what is wrong with: pdpp doctor ${origin}`,
    );
  const begun = await asked(onServer(endpoint, metadata.body), { client_name: name });
  const { approval_url, poll_url, polling_code, user_code, interval_ms, expires_in } = begun.body;
  const [approvalUrl, pollUrl, pollingCode] = [text(approval_url), text(poll_url), text(polling_code)];
  if (begun.status >= 300 || approvalUrl === undefined || pollUrl === undefined || pollingCode === undefined)
    throw refused(begun);
  return {
    approvalUrl: onServer(approvalUrl, metadata.body),
    userCode: text(user_code),
    pollUrl: onServer(pollUrl, metadata.body),
    pollingCode,
    intervalMs: typeof interval_ms === "number" ? Math.max(shortestMs, interval_ms) : 2000,
    endsAt: Date.now() + Math.min(longestMs, typeof expires_in === "number" ? 1000 * expires_in : longestMs),
  };
}

/** A server that was named must not lead to another. */
function onServer(url: string, { issuer }: Json): string {
  const meant = text(issuer);
  if (meant !== undefined && URL.canParse(url) && URL.canParse(meant) && new URL(url).origin === new URL(meant).origin)
    return url;
  throw failed(`the server leads to ${url}, which is not part of it`, "ask whoever runs it about its --public-url");
}

export async function waitForAnswer({ pollUrl, pollingCode, intervalMs, endsAt }: Attempt): Promise<Answered> {
  while (Date.now() < endsAt) {
    await wait(intervalMs);
    const answer = await asked(pollUrl, { polling_code: pollingCode });
    if (answer.status === 202 || answer.status === 429) continue;
    const accessToken = text(answer.body.access_token);
    if (answer.status !== 200 || accessToken === undefined) throw refused(answer);
    return {
      accessToken,
      expiresAt: text(answer.body.expires_at),
      packageId: text(answer.body.grant_package_id),
    };
  }
  throw failed("nobody decided in time", "run pdpp connect again");
}

const failed = (message: string, nextStep: string): PdppError =>
  new PdppError("unavailable", message, { next_step: nextStep });

function refused({ status, body }: { readonly status: number; readonly body: Json }): PdppError {
  if (body.error === "access_denied")
    return new PdppError("permission_error", "the owner shared nothing", {
      next_step: "ask the owner, then run pdpp connect again",
    });
  const said = text(body.error_description) ?? text(body.error) ?? `status ${status}`;
  return failed(`the server did not go on: ${said}`, "run pdpp connect again");
}
