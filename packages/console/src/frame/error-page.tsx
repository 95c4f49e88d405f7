import { PdppError } from "@pdpp/contract/errors";
import { buildPageHeaders, type Html, renderNotice } from "./frame.tsx";
import { asSentence } from "./render/sentences.ts";
import type { ConsoleParts } from "./session.ts";
import { tryLoadViewer, type Viewer } from "./viewer.ts";

/** Says what went wrong, and links onwards. */
interface ErrorNotice {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly headers?: Record<string, string>;
}

/** Rethrows bugs: the server logs them and answers with `renderBugPage`. */
export async function renderErrorPage(error: unknown, request: Request, parts: ConsoleParts): Promise<Response> {
  if (!(error instanceof PdppError)) throw error;
  const { status, message } = error;
  const retry = status === 429 ? { headers: { "retry-after": "60" } } : {};
  return respond(
    { status, title: titles[status] ?? "Something went wrong", text: asSentence(message), ...retry },
    request,
    parts,
  );
}

const titles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  403: "Not allowed",
  404: "Not found",
  409: "Something has changed",
  410: "Link expired",
  413: "Too large",
  421: "Wrong address",
  422: "Invalid request",
  429: "Too many requests",
  503: "Not available right now",
};

export const renderUnknownPathPage = (request: Request, parts: ConsoleParts): Promise<Response> =>
  respond(
    { status: 404, title: "Page not found", text: "There is no page at this address. Check it for typos." },
    request,
    parts,
  );

/** Shows only the request id under which the server logged the bug. */
export const renderBugPage = (requestId: string, request: Request, parts: ConsoleParts): Promise<Response> =>
  respond(
    { status: 500, title: "Something went wrong", text: `See the server log, request ${requestId}.` },
    request,
    parts,
  );

async function respond(
  { status, title, text, headers }: ErrorNotice,
  request: Request,
  parts: ConsoleParts,
): Promise<Response> {
  // Under a wrong host name, nobody is signed in and no link works.
  const isWrongHost = status === 421;
  const viewer = isWrongHost ? undefined : await tryLoadViewer(request, parts);
  const links = isWrongHost ? <></> : renderWaysBack(viewer, findPreviousPage(request, parts));
  const around = viewer === undefined ? {} : { owner: { room: undefined, viewer } };
  const body = await renderNotice(title, text, links, around);
  return new Response(String(body), { status, headers: { ...buildPageHeaders(), ...headers } });
}

/** A visitor who is not signed in has one way to go. */
const renderWaysBack = (viewer: Viewer | undefined, previous: string | undefined): Html =>
  viewer === undefined ? (
    <p class="buttons">
      <a class="button yes" href="/sign-in">
        Sign in
      </a>
    </p>
  ) : (
    <p class="buttons">
      {previous !== undefined && (
        <a class="button" href={previous}>
          Back
        </a>
      )}
      <a class="button" href="/">
        Home
      </a>
      <a class="button" href="/explore">
        Explore
      </a>
    </p>
  );

/** The page with the link or form that led here. Its full URL, because a path such as `//host` would lead elsewhere. */
function findPreviousPage(request: Request, { getOrigin }: ConsoleParts): string | undefined {
  const referrer = request.headers.get("referer") ?? "";
  if (!URL.canParse(referrer)) return undefined;
  const { origin, pathname, search } = new URL(referrer);
  const here = new URL(request.url);
  const isElsewhere = origin !== getOrigin(request) || pathname === "/sign-in";
  const isHere = request.method === "GET" && pathname === here.pathname && search === here.search;
  return isElsewhere || isHere ? undefined : `${origin}${pathname}${search}`;
}
