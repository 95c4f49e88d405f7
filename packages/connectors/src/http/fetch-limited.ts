import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ConnectorFailure } from "../kit/protocol.ts";

/** Requests with limits of size and time, which are repeated after passing failures. Redirects are left to the caller. */

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface HttpLimits {
  readonly maxBytes: number;
  readonly attempts: number;
}

/** The answer is longer than the limit. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

/** Listing a large collection takes some servers minutes. */
const timeoutMs = 3 * 60_000;
/** A host may end a connector that is silent for long. */
const maxRetryMs = 5 * 60_000;
const firstPauseMs = 250;
const maxPauseMs = 60_000;
const passing = new Set([429, 502, 503, 504]);

export async function fetchLimited(url: URL, request: HttpRequest, limits: HttpLimits): Promise<HttpAnswer> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= limits.attempts || performance.now() - startedAt > maxRetryMs;
    const pause = firstPauseMs * 2 ** (attempt - 1);
    try {
      const answer = await fetchOnce(url, request, limits.maxBytes);
      if (isLast || !passing.has(answer.status)) return answer;
      await sleep(Math.min(readRetryAfter(answer.headers) ?? pause, maxPauseMs));
    } catch (error) {
      if (error instanceof AnswerTooLarge) throw error;
      const reason = describeCause(error);
      if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason))
        throw new ConnectorFailure(
          "certificate_invalid",
          `the certificate of ${url.host} is not valid (${reason})`,
          "manual_action_required",
        );
      if (isLast) throw new ConnectorFailure("unreachable", `cannot reach ${url.host} (${reason})`, "retry_by_runtime");
      await sleep(pause);
    }
  }
}

async function fetchOnce(url: URL, { method, headers, body }: HttpRequest, maxBytes: number): Promise<HttpAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method, headers, signal, redirect: "manual", ...(body && { body }) });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new AnswerTooLarge(`${url.host} sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText } = response;
  return { status, statusText, headers: response.headers, bytes: new Uint8Array(Buffer.concat(chunks)) };
}

function readRetryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

const withCode = z.object({ code: z.string() });

/** The system's code, such as ECONNREFUSED, or what the innermost error says; `fetch` hides both in causes. */
function describeCause(error: unknown): string {
  let reason = String(error);
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const coded = withCode.safeParse(at);
    if (coded.success) return coded.data.code;
    if (at.name === "TimeoutError") return "timed out";
    reason = at.message;
  }
  return reason;
}

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);
