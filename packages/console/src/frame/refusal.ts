import { PdppError } from "@pdpp/contract/errors";
import { notice, pageHeaders } from "./frame.ts";

/** A person who is refused something is told on a page. What is a fault of ours is told as everywhere. */
export function refusalPage(error: unknown): Response {
  if (!(error instanceof PdppError)) throw error;
  const retry = error.status === 429 ? { "retry-after": "60" } : undefined;
  const body = notice("That did not work", sentence(error.message));
  return new Response(String(body), { status: error.status, headers: { ...pageHeaders(), ...retry } });
}

/** Errors are written for programs: a sentence begins with a capital and ends with a stop. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
