import { ConnectorFailure } from "../kit/protocol.ts";
import type { DavAnswer, DavClient } from "./dav-client.ts";
import { readText } from "./dav-client.ts";
import type { Collection } from "./discover.ts";

/** An object as a listing names it. */
export interface ListedObject {
  readonly href: string;
  /** Undefined if the server did not say; then its content decides. */
  readonly etag: string | undefined;
}

export interface Listing {
  /** Lists all objects, so that the others are gone. */
  readonly isFull: boolean;
  readonly listed: ReadonlyMap<string, ListedObject>;
  readonly gone: ReadonlySet<string>;
  /** Where the next listing continues; undefined if the server has no tokens. */
  readonly token: string | undefined;
}

/** The collection cannot be listed now; the others can. */
export class CollectionDenied extends Error {
  override readonly name = "CollectionDenied";
}

/** An href in one spelling, because servers do not always spell it alike. */
export function normalizeHref(href: string, base: string): string {
  const { pathname } = new URL(href, base);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** A token that a server hands out again and again would never end. */
const maxPages = 10_000;

/** Lists what changed since the token, or everything if there is no token or the server refuses it. */
export async function listChanges(
  client: DavClient,
  collection: Collection,
  token: string | undefined,
): Promise<Listing> {
  const since = token === undefined ? undefined : await listByToken(client, collection, token);
  return since ?? (await listByToken(client, collection, "")) ?? (await listByEtags(client, collection));
}

/** Undefined if the server refuses the token, or has no tokens. */
async function listByToken(client: DavClient, { url }: Collection, since: string): Promise<Listing | undefined> {
  const listed = new Map<string, ListedObject>();
  const gone = new Set<string>();
  let token = since;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await client.report(url, "0", "d:sync-collection", {
      "d:sync-token": token,
      "d:sync-level": "1",
      "d:prop": { "d:getetag": {} },
    });
    if (answer.rows === undefined || answer.token === undefined) return assertRefusal(answer, url);
    const isTruncated = readRows(answer, url, listed, gone);
    const isStuck = answer.token === token && page > 0;
    token = answer.token;
    if (!isTruncated) return { isFull: since === "", listed, gone, token };
    if (isStuck) return undefined;
  }
  return undefined;
}

/** Etags of all objects, for servers without sync tokens. */
export async function listByEtags(client: DavClient, { url }: Collection): Promise<Listing> {
  const answer = await client.propfind(url, "1", ["d:getetag", "d:resourcetype"]);
  if (answer.rows === undefined) {
    assertRefusal(answer, url);
    throw new CollectionDenied(`the server does not list it (status ${answer.status})`);
  }
  const listed = new Map<string, ListedObject>();
  const isTruncated = readRows(answer, url, listed, new Set());
  if (isTruncated) throw new CollectionDenied("the server lists only a part of it");
  return { isFull: true, listed, gone: new Set(), token: undefined };
}

/** Returns whether the server left out rows. */
function readRows(
  { rows = [], url: base }: DavAnswer,
  url: string,
  listed: Map<string, ListedObject>,
  gone: Set<string>,
): boolean {
  const own = normalizeHref(url, url);
  let isTruncated = false;
  for (const { href, status, props } of rows) {
    const key = normalizeHref(href, base);
    if (isSamePath(key, own)) {
      isTruncated ||= status === 507;
      continue;
    }
    listed.delete(key);
    gone.delete(key);
    // Nextcloud has reported deletions as 418.
    if ([404, 410, 418].includes(status)) gone.add(key);
    else if (!isFolder(props)) listed.set(key, { href, etag: readText(props.getetag) });
  }
  return isTruncated;
}

const isSamePath = (a: string, b: string): boolean => a.replace(/\/$/, "") === b.replace(/\/$/, "");

const isFolder = ({ resourcetype }: Readonly<Record<string, unknown>>): boolean =>
  typeof resourcetype === "object" && resourcetype !== null && "collection" in resourcetype;

/** Tells a server without a kind of listing from one that answers nonsense. */
function assertRefusal({ status }: DavAnswer, url: string): undefined {
  if (status >= 400 && status < 500) return undefined;
  if (status === 501 || status === 507) return undefined;
  const { host } = new URL(url);
  const what = status < 400 ? "an answer that is not WebDAV" : `status ${status}`;
  throw new ConnectorFailure("unexpected_answer", `${host} sent ${what}`, "retry_by_runtime");
}
