import { resolveSrv, resolveTxt } from "node:dns/promises";
import { isSameSite } from "../http/site.ts";
import { ConnectorFailure } from "../kit/protocol.ts";
import { createSiteError } from "./dav-client.ts";

/** Where to look for an account (RFC 6764). */
export interface Start {
  /** The address that the owner named; credentials go to its site only. */
  readonly home: URL;
  /** Addresses to ask, in this order. */
  readonly candidates: readonly string[];
  /** The user in `user@domain`. */
  readonly user: string | undefined;
}

export interface Resolver {
  resolveSrv(name: string): Promise<{ readonly name: string; readonly port: number; readonly priority: number }[]>;
  resolveTxt(name: string): Promise<string[][]>;
}

export async function findStart(
  address: string,
  service: "caldav" | "carddav",
  resolver: Resolver = { resolveSrv, resolveTxt },
): Promise<Start> {
  const wellKnown = `/.well-known/${service}`;
  const list = (base: URL, path: string): string[] => {
    const named = new URL(path, base).href;
    const others = [new URL(wellKnown, base).href, new URL("/", base).href];
    return path === "/" ? others : [named, ...others];
  };
  if (/^https?:\/\//i.test(address)) {
    const home = parseUrl(address);
    return { home, candidates: list(home, `${home.pathname}${home.search}`), user: undefined };
  }
  const [, user, domain = ""] = /^(?:(.+)@)?([^@/\s]+)$/.exec(address.trim()) ?? [];
  const home = parseUrl(`https://${domain}`);
  const name = `_${service}s._tcp.${home.hostname}`;
  const [server] = (await resolver.resolveSrv(name).catch(() => [])).sort((a, b) => a.priority - b.priority);
  if (server === undefined || server.name === "" || server.name === ".")
    return { home, candidates: list(home, "/"), user: user && address };
  const base = parseUrl(`https://${server.name.replace(/\.$/, "")}:${server.port}`);
  if (!isSameSite(home, base)) throw createSiteError(home, base);
  const texts = (await resolver.resolveTxt(name).catch(() => [])).map((parts) => parts.join(""));
  const path = texts.find((text) => /^path=\//i.test(text))?.slice(5) ?? "/";
  return { home, candidates: list(base, path), user: user && address };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || url.username !== "" || url.password !== "")
    throw new ConnectorFailure(
      "invalid_address",
      "the address must be like https://dav.example.com or user@example.com",
      "manual_action_required",
    );
  return url;
}
