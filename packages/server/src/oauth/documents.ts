import { randomBytes } from "node:crypto";
import ipaddr from "ipaddr.js";
import type Provider from "oidc-provider";
import { limitPerMinute } from "../auth/rate-limit.ts";
import { hashToken } from "../auth/tokens.ts";
import { findArtifact, findClient, saveArtifact, saveClient } from "../store/access/oauth-artifacts.ts";
import { parseJson, parseStoredJson } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";
import { readBoundedBody } from "./bridge.ts";
import { cleanRegistration } from "./front.ts";
import { createPublicFetch, isPublicIp } from "./public-fetch.ts";

/**
 * Clients whose id is the URL of a document that describes them. Fetching it is the only request a vault makes by
 * itself, so it happens only for a signed-in owner and never to local addresses, and the result is cached.
 */

export type DocumentFetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Documents {
  isFetching(clientId: string): boolean;
  readonly fetch: DocumentFetch;
  isKnown(clientId: string): Promise<boolean>;
  /** Fetches and stores the document, unless it is recent. Answers an error message, or undefined. */
  load(provider: Provider, clientId: string): Promise<string | undefined>;
  saveRequest(query: string): Promise<string>;
  loadRequest(id: string): Promise<string | undefined>;
}

const maxDocumentBytes = 16 * 1024;
const maxQueryChars = 8 * 1024;
const maxFetchesPerMinute = 30;
const refetchAfterMs = 24 * 3_600_000;
const requestLifetimeMs = 3_600_000;

export const isDocumentId = (clientId: string | null): clientId is string => clientId?.startsWith("https://") === true;

export function createClientDocuments(
  store: Store,
  now: () => number,
  reach: DocumentFetch = createPublicFetch(),
): Documents {
  const wanted = new Set<string>();
  const count = limitPerMinute(maxFetchesPerMinute, now);
  const findHeldClient = (clientId: string) => store.engine.read((on) => findClient(on, clientId));
  return {
    isFetching: (clientId) => wanted.has(clientId),
    fetch: (url, init) => fetchDocument(reach, url, init),
    isKnown: async (clientId) => (await findHeldClient(clientId)) !== undefined,
    async load(provider, clientId) {
      if (!isPublicAddress(clientId)) return "its address is not on the public internet";
      const before = await findHeldClient(clientId);
      if (before !== undefined && now() - before.createdAt < refetchAfterMs) return undefined;
      count("");
      wanted.add(clientId);
      try {
        const client = await provider.Client.find(clientId);
        if (client === undefined) return "its address can't be a document URL";
        const metadata = JSON.stringify(client.metadata());
        await store.engine.write((on) => saveClient(on, clientId, metadata, now()));
        return undefined;
      } catch (error) {
        // Use the older copy; the URL may be temporarily unreachable.
        if (before !== undefined) return undefined;
        return error instanceof Error ? error.message : "it couldn't be fetched";
      } finally {
        wanted.delete(clientId);
      }
    },
    async saveRequest(query) {
      const id = randomBytes(16).toString("base64url");
      const nobodys = { grantId: null, uidHash: null, userCodeHash: null, consumedAt: null };
      const body = JSON.stringify(query.slice(0, maxQueryChars));
      const kept = { ...nobodys, idHash: hashToken(id), body, expiresAt: now() + requestLifetimeMs };
      await store.engine.write((on) => saveArtifact(on, waitingKind, kept, now()));
      return id;
    },
    async loadRequest(id) {
      const kept = await store.engine.read((on) => findArtifact(on, waitingKind, { idHash: hashToken(id) }, now()));
      return kept === undefined ? undefined : parseStoredJson<string>(kept.body);
    },
  };
}

const waitingKind = "Waiting";

/**
 * Accepts a public host name on the default port, or a public address. The resolved address is checked before
 * connecting.
 */
export function isPublicAddress(clientId: string): boolean {
  if (!URL.canParse(clientId)) return false;
  const { protocol, hostname, port, username, password, hash } = new URL(clientId);
  if (protocol !== "https:" || port !== "" || `${username}${password}${hash}` !== "") return false;
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(address)) return isPublicIp(address);
  return /\.[a-z][a-z0-9-]*$/i.test(hostname) && !/\.(localhost|local|internal|lan|home\.arpa)$/i.test(hostname);
}

/** Limits the size, cleans it like a registration, and uses the library's dispatcher, which blocks private addresses. */
async function fetchDocument(reach: DocumentFetch, url: string, init: RequestInit): Promise<Response> {
  if (!("dispatcher" in init))
    throw new Error("refusing to fetch without the dispatcher that blocks private addresses");
  const response = await reach(url, init);
  if (response.status !== 200) return response;
  const bytes = await readBoundedBody(response.body, maxDocumentBytes);
  if (bytes === undefined) throw new Error("the document is too large");
  const given: unknown = parseJson(new TextDecoder().decode(bytes));
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error("it is not a JSON object");
  const { client_id, client_secret, token_endpoint_auth_method = "none" }: Record<string, unknown> = { ...given };
  const clean = {
    ...cleanRegistration({ ...given }),
    client_id,
    token_endpoint_auth_method,
    ...(client_secret === undefined ? {} : { client_secret }),
  };
  const age = response.headers.get("cache-control");
  return Response.json(clean, age === null ? {} : { headers: { "cache-control": age } });
}
