import { isLoopback } from "@pdpp/agent-setup/loopback";
import { UsageError } from "../runtime/failure.ts";

export const defaultPort = 7663;

/** The default address of `pdpp serve`. */
export const defaultProviderUrl = `http://127.0.0.1:${defaultPort}`;

/** Removes credentials, query, fragment and trailing slash, so that each server has one spelling. */
export function normalizeProviderUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `${JSON.stringify(removeSecrets(text))} is not a server URL; example: ${defaultProviderUrl} or https://vault.example.org`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** The URL may contain a password or token. */
const removeSecrets = (text: string): string => text.replace(/\/\/[^/]*@/, "//").replace(/[?#].*$/s, "");

export function getEncryptionWarning(providerUrl: string): string | undefined {
  if (providerUrl.startsWith("https:") || isLoopback(providerUrl)) return undefined;
  return `${providerUrl} is not encrypted: others on the network can read the token and the data. Use https.`;
}
