import { hash } from "node:crypto";
import { AnswerTooLarge, fetchLimited, isRedirect } from "../http/fetch-limited.ts";
import { isPrivate } from "../http/site.ts";
import { ConnectorFailure } from "../kit/protocol.ts";

/** Validators of the last response, for conditional requests. */
export interface FeedVersion {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly digest?: string | undefined;
}

export interface FetchedFeed {
  readonly text: string;
  readonly version: FeedVersion;
}

/** This feed cannot be read; others may. */
export class FeedError extends Error {
  override readonly name = "FeedError";
}

const maxBytes = 10 * 1024 * 1024;
const maxRedirects = 5;
const accept = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5";

/** Undefined if it has not changed. */
export async function fetchFeed(address: string, last: FeedVersion): Promise<FetchedFeed | undefined> {
  const start = URL.parse(address);
  if (start === null || !isWebAddress(start)) throw new FeedError("its address must begin with https:// or http://");
  if (start.username !== "" || start.password !== "") throw new FeedError("its address must not contain a password");
  let url = start;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const headers = {
      accept,
      ...(last.etag !== undefined && { "if-none-match": last.etag }),
      ...(last.lastModified !== undefined && { "if-modified-since": last.lastModified }),
    };
    const answer = await fetchLimited(url, { method: "GET", headers }, { maxBytes, attempts: 3 }).catch(
      describeFailure,
    );
    const location = answer.headers.get("location");
    if (isRedirect(answer.status) && location !== null) {
      url = followRedirect(url, location);
      continue;
    }
    if (answer.status === 304) return undefined;
    if (answer.status !== 200) throw new FeedError(`the server answered with status ${answer.status}`);
    const digest = hash("sha256", answer.bytes, "hex");
    if (digest === last.digest) return undefined;
    const etag = answer.headers.get("etag");
    const lastModified = answer.headers.get("last-modified");
    const text = decode(answer.bytes, answer.headers.get("content-type") ?? "");
    return {
      text,
      version: { digest, ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) },
    };
  }
  throw new FeedError("its server redirects too often");
}

function describeFailure(error: unknown): never {
  if (error instanceof AnswerTooLarge) throw new FeedError("it is larger than 10 MiB");
  if (error instanceof ConnectorFailure) throw new FeedError(error.message);
  throw error;
}

const isWebAddress = ({ protocol }: URL): boolean => protocol === "https:" || protocol === "http:";

/** A feed on the internet must not make us read from the owner's network. */
function followRedirect(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null || !isWebAddress(to)) throw new FeedError("its server redirects to something that is no web address");
  if (isPrivate(to) && to.host !== from.host)
    throw new FeedError(`its server redirects to ${to.host}, which is private`);
  return to;
}

/** By the header, else by the XML declaration, else as UTF-8. */
function decode(bytes: Uint8Array, contentType: string): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const [, named] =
    /charset="?([\w.:-]+)/i.exec(contentType) ?? /^\W*<\?xml[^>]*encoding=["']([\w.:-]+)/i.exec(head) ?? [];
  try {
    return new TextDecoder(named).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
