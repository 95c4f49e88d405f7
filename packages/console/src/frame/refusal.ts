import { PdppError } from "@pdpp/contract/errors";
import { notice, pageHeaders } from "./frame.ts";

/** A refusal as a page. Bugs are passed on: the server logs them and answers with `bugPage`. */
export function refusalPage(error: unknown): Response {
  if (!(error instanceof PdppError)) throw error;
  const retry = error.status === 429 ? { "retry-after": "60" } : undefined;
  const body = notice("That did not work", sentence(error.message));
  return new Response(String(body), { status: error.status, headers: { ...pageHeaders(), ...retry } });
}

/** A bug shows nothing of itself but the id under which the server logged it. */
export function bugPage(requestId: string): Response {
  const body = notice("Something went wrong", `The server's log has the details under request id ${requestId}.`);
  return new Response(String(body), { status: 500, headers: pageHeaders() });
}

/** Errors are written for programs: a sentence begins with a capital and ends with a stop. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
