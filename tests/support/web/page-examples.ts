import { consoleRoutes } from "../../../packages/console/src/console.ts";
import { addressWith } from "../../../packages/console/src/frame/addresses.ts";
import { openRoutes } from "../../../packages/console/src/frame/guard.ts";
import type { ConsoleParts } from "../../../packages/console/src/frame/session.ts";

/** An address of every page of the console, made from its routes: whatever is held to be so of all pages is asked of each. */

/** What pages of a vault are opened for. */
export interface ExamplePlace {
  readonly grant: string;
  readonly source: string;
  readonly stream: string;
  readonly record: string;
  readonly field: string;
  readonly blob: string;
  readonly words: string;
}

/** Of the sample vault; the grant and the file are nobody's. */
export const samplePlace: ExamplePlace = {
  grant: "pkg_x",
  source: "chat_home",
  stream: "messages",
  record: "h00",
  field: "text",
  blob: "blob_x",
  words: "message",
};

/** A page without an example fails the tests that are made of these. */
function examplesAt({ grant, source, stream, record, field, blob, words }: ExamplePlace): Record<string, string> {
  const id = `${source}/${stream}:${record}`;
  const explore = (base: string): Record<string, string> => ({
    explore: addressWith(`${base}/explore`, { q: words }),
    record: addressWith(`${base}/record`, { id }),
    text: addressWith(`${base}/text`, { id, field }),
    file: addressWith(`${base}/file`, { connection: source, blob }),
    stream: addressWith(`${base}/stream`, { source, stream }),
    "stream/raw": addressWith(`${base}/stream/raw`, { source, stream, as: "csv" }),
  });
  const under = (path: string, pages: Record<string, string>) =>
    Object.fromEntries(Object.entries(pages).map(([name, address]) => [`${path}/${name}`, address]));
  return {
    "/": "/",
    "/activity": "/activity",
    "/agents": "/agents",
    "/agents/:id": `/agents/${grant}`,
    "/agents/:id/narrow": `/agents/${grant}/narrow`,
    "/agents/:id/try": addressWith(`/agents/${grant}/try`, { q: words }),
    "/agents/new": "/agents/new",
    "/agents/made/:page": "/agents/made/x",
    "/browsers": "/browsers",
    "/import": "/import",
    "/import/:id": "/import/imp_x",
    "/settings": "/settings",
    "/settings/source": addressWith("/settings/source", { id: source }),
    "/settings/delete-source": addressWith("/settings/delete-source", { id: source }),
    "/settings/delete-everything": "/settings/delete-everything",
    "/record/*": `/record/${source}/${stream}:${record}`,
    ...under("", explore("")),
    ...under("/as/:grant", explore(`/as/${grant}`)),
  };
}

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Every route that is not open to whoever can reach the server. */
export function guardedRoutes(): Route[] {
  const never = () => {
    throw new Error("nobody is asked");
  };
  // Routes are made without asking any of the parts.
  const { routes } = consoleRoutes(new Proxy({}, { get: () => never }) as ConsoleParts);
  return routes.filter(({ method, path }) => !openRoutes.has(`${method} ${path}`));
}

export const noExample = "/no-example";

export interface PageExample {
  readonly path: string;
  readonly address: string;
}

/** What is taken as a file, and is no page. */
const files = /\/(file|raw)$/;

/** Those that are pages. */
export const htmlExamples = (place: ExamplePlace): PageExample[] =>
  pageExamples(place).filter(({ path }) => !files.test(path));

export function pageExamples(place: ExamplePlace): PageExample[] {
  const examples = examplesAt(place);
  return guardedRoutes()
    .filter(({ method }) => method === "GET")
    .map(({ path }) => ({ path, address: examples[path] ?? noExample }));
}
