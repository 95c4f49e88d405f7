import { PdppError } from "@pdpp/contract/errors";
import { buildPageHeaders, renderNotice } from "./frame.tsx";
import { asSentence } from "./render/sentences.ts";

/** Rethrows bugs: the server logs them and answers with `renderBugPage`. */
export function renderErrorPage(error: unknown): Response {
  if (!(error instanceof PdppError)) throw error;
  const retry = error.status === 429 ? { "retry-after": "60" } : undefined;
  const body = renderNotice(titles[error.status] ?? "Something went wrong", asSentence(error.message));
  return new Response(String(body), { status: error.status, headers: { ...buildPageHeaders(), ...retry } });
}

const titles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  403: "Not allowed",
  404: "Not found",
  413: "Too large",
  422: "Invalid request",
  429: "Too many requests",
};

/** Shows only the request id under which the server logged the bug. */
export function renderBugPage(requestId: string): Response {
  const body = renderNotice("Something went wrong", `See the server log, request ${requestId}.`);
  return new Response(String(body), { status: 500, headers: buildPageHeaders() });
}
