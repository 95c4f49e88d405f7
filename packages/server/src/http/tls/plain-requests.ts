import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import { buildErrorEnvelope, PdppError } from "@pdpp/contract/errors";
import { describePeer } from "../peer.ts";

/**
 * Plain HTTP at the port of a server with TLS: programs of this computer may use it, as they may behind a proxy;
 * everything else has to use https.
 */

export const isEncrypted = ({ socket }: IncomingMessage): boolean => socket instanceof TLSSocket;

export const isPlainAllowed = (request: IncomingMessage): boolean =>
  describePeer(request.socket).address === "loopback" && !isPage(request);

/** A browser has to use https, or its sign-in would not be kept. */
const isPage = ({ method = "", headers, url = "" }: IncomingMessage): boolean =>
  /^(GET|HEAD|POST)$/.test(method) && /\btext\/html\b/.test(headers.accept ?? "") && !/^\/(v1\/|mcp\b)/.test(url);

export function refusePlain(request: IncomingMessage, response: ServerResponse, origin: string): void {
  const { method, url = "/" } = request;
  if (isPage(request) && method !== "POST") {
    const path = url.startsWith("/") ? url : "/";
    response.writeHead(308, { location: `${origin}${path}`, connection: "close", "content-length": "0" }).end();
    return;
  }
  const problem = new PdppError("misdirected_request", `this server speaks https; use ${origin}`);
  const body = JSON.stringify(buildErrorEnvelope(problem));
  response.writeHead(problem.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  response.end(body);
}

/** Thirty days after the last visit, so that a server that gives up TLS is not locked out for long. */
const strictTransport = "max-age=2592000";

/**
 * Browsers apply the rule to all ports of a name, so it is made only for a name whose usual https port is ours. It
 * would otherwise break other servers of a home network, or of this computer.
 */
export function findStrictTransport(publicUrl: string): string | undefined {
  const { port, hostname } = new URL(publicUrl);
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith("[") && !/(^|\.)localhost$/.test(hostname);
  return port === "" && isName ? strictTransport : undefined;
}
