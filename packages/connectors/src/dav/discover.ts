import { z } from "zod";
import { ConnectorFailure } from "../kit/protocol.ts";
import type { DavAnswer, DavClient, DavRow } from "./dav-client.ts";
import { readText } from "./dav-client.ts";
import type { DavService } from "./service.ts";

/** A calendar or an address book. */
export interface Collection {
  readonly url: string;
  readonly name: string | undefined;
  readonly ctag: string | undefined;
  readonly token: string | undefined;
  readonly timeZone: string | undefined;
}

const collectionProps = [
  "d:resourcetype",
  "d:displayname",
  "d:sync-token",
  "cs:getctag",
  "c:calendar-timezone",
  "c:supported-calendar-component-set",
];

/** Finds the collections of an account, in the order of their addresses. */
export async function discoverCollections(
  client: DavClient,
  service: DavService,
  candidates: readonly string[],
): Promise<Collection[]> {
  const { urls, depth } = await findHomes(client, service, candidates);
  const found = new Map<string, Collection>();
  for (const url of urls) {
    const answer = await client.propfind(url, depth, collectionProps);
    for (const row of answer.rows ?? []) {
      const collection = readCollection(row, answer.url, service);
      if (collection !== undefined && client.isAllowed(collection.url)) found.set(collection.url, collection);
    }
  }
  if (found.size === 0)
    throw new ConnectorFailure("nothing_found", `found no ${service.plural} at this address`, "manual_action_required");
  return [...found.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
}

/** Whether a collection that is no longer listed was deleted. */
export async function isGone(client: DavClient, url: string): Promise<boolean> {
  const { status, rows } = await client.propfind(url, "0", ["d:resourcetype"]);
  return [404, 410].includes(rows?.[0]?.status ?? status);
}

interface Homes {
  readonly urls: readonly string[];
  /** 0 for a collection: it holds objects. */
  readonly depth: "0" | "1";
}

/** The folders that hold an account's collections; or the address itself, if it is a collection. */
async function findHomes(client: DavClient, service: DavService, candidates: readonly string[]): Promise<Homes> {
  const props = ["d:resourcetype", "d:current-user-principal", service.homeSet];
  let denied: number | undefined;
  for (const candidate of candidates) {
    const answer = await client.propfind(candidate, "0", props);
    const [row] = answer.rows ?? [];
    if (row === undefined || row.status >= 400) {
      if (answer.status === 403 || row?.status === 403) denied = 403;
      continue;
    }
    if (isCollectionOf(row, service)) return { urls: [answer.url], depth: "0" };
    const homes = listHrefs(row.props[service.homeSetName], answer.url);
    if (homes.length > 0) return { urls: homes, depth: "1" };
    const [principal] = listHrefs(row.props.currentUserPrincipal, answer.url);
    if (principal === undefined) continue;
    const described = await client.propfind(principal, "0", [service.homeSet]);
    const own = listHrefs(described.rows?.[0]?.props[service.homeSetName], described.url);
    if (own.length > 0) return { urls: own, depth: "1" };
  }
  if (denied !== undefined)
    throw new ConnectorFailure("access_denied", "the server denies access to this account", "refresh_credentials");
  throw new ConnectorFailure(
    "no_account",
    `there is no ${service.protocol} account at this address; use the address that the server's help gives for ${service.protocol}`,
    "manual_action_required",
  );
}

function readCollection(row: DavRow, base: DavAnswer["url"], service: DavService): Collection | undefined {
  if (row.status >= 400 || !isCollectionOf(row, service)) return undefined;
  const { displayname, getctag, syncToken, calendarTimezone, supportedCalendarComponentSet } = row.props;
  if (service.type === "caldav" && !hasEvents(supportedCalendarComponentSet)) return undefined;
  return {
    url: new URL(row.href, base).href,
    name: readText(displayname)?.trim(),
    ctag: readText(getctag),
    token: readText(syncToken),
    timeZone: readText(calendarTimezone),
  };
}

const resourceType = z.record(z.string(), z.unknown());
const isCollectionOf = ({ props }: DavRow, service: DavService): boolean =>
  service.resourceType in (resourceType.safeParse(props.resourcetype).data ?? {});

const component = z.object({ _attributes: z.object({ name: z.string() }) });
const componentSet = z.object({ comp: z.union([component, z.array(component)]) });

/** A calendar that does not say what it holds may hold events. */
function hasEvents(value: unknown): boolean {
  const parsed = componentSet.safeParse(value);
  return !parsed.success || [parsed.data.comp].flat().some(({ _attributes }) => _attributes.name === "VEVENT");
}

const withHref = z.object({ href: z.unknown() });

function listHrefs(value: unknown, base: string): string[] {
  const { href } = withHref.safeParse(value).data ?? {};
  const texts = (Array.isArray(href) ? href : [href]).map(readText);
  return texts.flatMap((text) => (text === undefined ? [] : [new URL(text, base).href]));
}
