import { type LookupAddress, lookup as lookUp } from "node:dns";
import { request as sendRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import ipaddr from "ipaddr.js";
import type { DocumentFetch } from "./documents.ts";

/**
 * Fetches from public addresses only. A host name is resolved once, each of its addresses is checked, and the connection goes to a checked one, so that nothing in
 * a private network is ever connected to. Redirects are not followed.
 */

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export const isPublicIp = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast";

const resolveByDns: Resolve = (hostname) =>
  new Promise((resolve, reject) =>
    lookUp(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error))),
  );

export function createPublicFetch(resolve: Resolve = resolveByDns, isAllowed = isPublicIp): DocumentFetch {
  const findAddresses = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
      throw new Error("the host name does not resolve to public addresses");
    return addresses;
  };
  const lookup: LookupFunction = (hostname, { all }, done) => {
    findAddresses(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (all) done(null, [...addresses]);
        else if (first !== undefined) done(null, first.address, first.family);
      },
      (error: Error) => done(error, ""),
    );
  };
  return async (url, { headers, signal }) => {
    const { hostname } = new URL(url);
    const literal = hostname.replace(/^\[(.*)\]$/, "$1");
    // Node does not look up addresses.
    if (ipaddr.isValid(literal) && !isAllowed(literal)) throw new Error("the address is not public");
    return new Promise((resolveResponse, reject) => {
      const sent = sendRequest(
        url,
        { lookup, agent: false, headers: Object.fromEntries(new Headers(headers)), ...(signal ? { signal } : {}) },
        (answer) => {
          const given = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
            value === undefined ? [] : [[name, String(value)]],
          );
          const status = answer.statusCode ?? 502;
          const body = [204, 205, 304].includes(status) ? null : Readable.toWeb(answer);
          resolveResponse(new Response(body, { status, headers: given }));
        },
      );
      sent.once("error", reject);
      sent.end();
    });
  };
}
