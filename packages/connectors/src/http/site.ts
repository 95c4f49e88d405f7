import { BlockList, isIP } from "node:net";

/** Where requests may go. */

const loopbackName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const isLoopback = ({ hostname }: URL): boolean => loopbackName.test(hostname);

/** Whether a server may get the credentials for `home`: encrypted and of the same site, or the same server on this machine. */
export function isSameSite(home: URL, target: URL): boolean {
  if (target.origin === home.origin) return home.protocol === "https:" || isLoopback(home);
  if (home.protocol !== "https:" || target.protocol !== "https:") return false;
  if (target.hostname === home.hostname) return true;
  const site = findSite(home.hostname);
  return site !== undefined && `.${target.hostname}`.endsWith(`.${site}`);
}

/** Registries sell names below these: `example.co.uk`, `example.com.au`. */
const secondLevel = new Set("ac co com edu gob gov gv mil ne net nom or org sch".split(" "));

/** The domain that one owner registered, as far as names tell. */
function findSite(host: string): string | undefined {
  if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return undefined;
  const labels = host.split(".");
  const [second = "", top = ""] = labels.slice(-2);
  const count = top.length === 2 && secondLevel.has(second) ? 3 : 2;
  return labels.length < count ? undefined : labels.slice(-count).join(".");
}

const privateRanges = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  privateRanges.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  privateRanges.addSubnet(net, prefix, "ipv6");

/** An address of this machine or its network, which a server on the internet has no reason to redirect to. */
export function isPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(host);
  if (version !== 0) return privateRanges.check(host, version === 4 ? "ipv4" : "ipv6");
  return host === "localhost" || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host) || !host.includes(".");
}
