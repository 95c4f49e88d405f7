import { isLoopback } from "@pdpp/contract/loopback";
import { UsageError } from "../runtime/failure.ts";

export const defaultPort = 7663;

/** Where `pdpp serve` is when nothing else is said. */
export const defaultProviderUrl = `http://127.0.0.1:${defaultPort}`;

/** One spelling for each server: no credentials, query, fragment or slash at the end. */
export function normalizeProviderUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `${JSON.stringify(removeSecrets(text))} is not a server URL; write it like ${defaultProviderUrl} or https://vault.example.org`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Somebody may have put a password, or a token, into the address. */
const removeSecrets = (text: string): string => text.replace(/\/\/[^/]*@/, "//").replace(/[?#].*$/s, "");

/** What to know before a token goes to that server. */
export function getEncryptionWarning(providerUrl: string): string | undefined {
  if (providerUrl.startsWith("https:") || isLoopback(providerUrl)) return undefined;
  return `${providerUrl} is not encrypted: others on the network can read the token and the data; use https`;
}
