import { PdppError } from "@pdpp/contract/errors";
import { notice, pageHeaders } from "./frame.ts";
import { asSentence } from "./words.ts";

/** A refusal as a page. Bugs are passed on: the server logs them and answers with `bugPage`. */
export function refusalPage(error: unknown): Response {
  if (!(error instanceof PdppError)) throw error;
  const retry = error.status === 429 ? { "retry-after": "60" } : undefined;
  const body = notice(titles[error.status] ?? "Something went wrong", asSentence(error.message));
  return new Response(String(body), { status: error.status, headers: { ...pageHeaders(), ...retry } });
}

const titles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  403: "Not allowed",
  404: "Not found",
  422: "Invalid request",
  429: "Too many requests",
};

/** A bug shows nothing of itself but the id under which the server logged it. */
export function bugPage(requestId: string): Response {
  const body = notice("Something went wrong", `See the server log, request ${requestId}.`);
  return new Response(String(body), { status: 500, headers: pageHeaders() });
}
