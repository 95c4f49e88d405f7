import { createConsole } from "../../../packages/console/src/console.ts";
import { buildUrl } from "../../../packages/console/src/frame/addresses.ts";
import { openRoutes } from "../../../packages/console/src/frame/guard.ts";
import type { ConsoleParts } from "../../../packages/console/src/frame/session.ts";

/** An example address for every console page, generated from its routes, for tests that apply to all pages. */

/** The vault contents that the pages are opened for. */
export interface ExamplePlace {
  readonly grant: string;
  readonly source: string;
  readonly stream: string;
  readonly record: string;
  readonly field: string;
  readonly blob: string;
  readonly words: string;
}

/** Fits the sample vault; the grant and the file do not exist. */
export const samplePlace: ExamplePlace = {
  grant: "pkg_x",
  source: "chat_home",
  stream: "messages",
  record: "h00",
  field: "text",
  blob: "blob_x",
  words: "message",
};

/** A page without an example fails the tests built on these. */
function listAddresses({ grant, source, stream, record, field, blob, words }: ExamplePlace): Record<string, string> {
  const id = `${source}/${stream}:${record}`;
  const listExplorePages = (base: string): Record<string, string> => ({
    day: buildUrl(`${base}/day`, { date: "2026-05-01" }),
    "day/:day": `${base}/day/2026-05-01`,
    document: buildUrl(`${base}/document`, { id }),
    explore: buildUrl(`${base}/explore`, { q: words }),
    record: buildUrl(`${base}/record`, { id }),
    text: buildUrl(`${base}/text`, { id, field }),
    file: buildUrl(`${base}/file`, { connection: source, blob }),
    money: buildUrl(`${base}/money`, { source, stream }),
    calendar: buildUrl(`${base}/calendar`, { source, stream }),
    people: buildUrl(`${base}/people`, { q: words }),
    person: buildUrl(`${base}/person`, { id }),
    photos: `${base}/photos`,
    places: `${base}/places`,
    photo: buildUrl(`${base}/photo`, { id }),
    thumbnail: buildUrl(`${base}/thumbnail`, { connection: source, blob }),
    stream: buildUrl(`${base}/stream`, { source, stream }),
    mail: buildUrl(`${base}/mail`, { id }),
    "mail/html": buildUrl(`${base}/mail/html`, { id }),
    conversation: buildUrl(`${base}/conversation`, { id, q: words }),
    "stream/raw": buildUrl(`${base}/stream/raw`, { source, stream, as: "csv" }),
  });
  const prefixPaths = (path: string, pages: Record<string, string>) =>
    Object.fromEntries(Object.entries(pages).map(([name, address]) => [`${path}/${name}`, address]));
  return {
    "/": "/",
    "/activity": "/activity",
    "/activity/:entry": "/activity/1",
    "/agents": "/agents",
    "/agents/:id": `/agents/${grant}`,
    "/agents/:id/narrow": `/agents/${grant}/narrow`,
    "/agents/:id/try": buildUrl(`/agents/${grant}/try`, { q: words }),
    "/agents/new": "/agents/new",
    "/agents/made/:page": "/agents/made/x",
    "/browsers": "/browsers",
    "/go": "/go?to=chat",
    "/import": "/import",
    "/import/:id": "/import/imp_x",
    "/person/merge": buildUrl("/person/merge", { id, q: words }),
    "/searches": "/searches",
    "/sources": "/sources",
    "/sources/add": "/sources/add",
    "/source/:id": `/source/${source}`,
    "/settings": "/settings",
    "/settings/source": buildUrl("/settings/source", { id: source }),
    "/settings/delete-source": buildUrl("/settings/delete-source", { id: source }),
    "/settings/delete-everything": "/settings/delete-everything",
    "/record/*": `/record/${source}/${stream}:${record}`,
    ...prefixPaths("", listExplorePages("")),
    ...prefixPaths("/as/:grant", listExplorePages(`/as/${grant}`)),
  };
}

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Every route that requires signing in. */
export function listGuardedRoutes(): Route[] {
  const failWhenCalled = () => {
    throw new Error("not called");
  };
  // Building the routes calls none of these.
  const { routes } = createConsole(new Proxy({}, { get: () => failWhenCalled }) as ConsoleParts);
  return routes.filter(({ method, path }) => !openRoutes.has(`${method} ${path}`));
}

export const noExample = "/no-example";

export interface PageExample {
  readonly path: string;
  readonly address: string;
}

/** Routes that serve a file rather than a page. */
const files = /\/(file|thumbnail|raw|html)$/;

export const listHtmlExamples = (place: ExamplePlace): PageExample[] =>
  listPageExamples(place).filter(({ path }) => !files.test(path));

export function listPageExamples(place: ExamplePlace): PageExample[] {
  const examples = listAddresses(place);
  return listGuardedRoutes()
    .filter(({ method }) => method === "GET")
    .map(({ path }) => ({ path, address: examples[path] ?? noExample }));
}
