import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A CalDAV server in a few lines, whose answers a test may replace. It has one calendar. */

interface FakeObject {
  readonly text: string;
  readonly etag: string | null;
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Answer = { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> };

export interface FakeServer {
  readonly url: string;
  readonly objects: Map<string, FakeObject>;
  readonly seen: SeenRequest[];
  ctag: string;
  token: string | null;
  /** Answers instead of the server; undefined leaves it to the server. */
  respond: ((request: SeenRequest) => Answer | undefined) | undefined;
  close(): void;
}

export const multistatus = (...rows: readonly string[]): Answer => ({
  status: 207,
  headers: { "content-type": "application/xml; charset=utf-8" },
  body: `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/">${rows.join("")}</d:multistatus>`,
});

export const row = (href: string, props: string, status = "HTTP/1.1 200 OK"): string =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>${status}</d:status></d:propstat></d:response>`;

export const gone = (href: string, status = 404): string =>
  `<d:response><d:href>${href}</d:href><d:status>HTTP/1.1 ${status} Gone</d:status></d:response>`;

const home = "/cal/";
export const calendarPath = "/cal/main/";
const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const tagEtag = ({ etag }: FakeObject): string => (etag === null ? "" : `<d:getetag>${escapeXml(etag)}</d:getetag>`);

export async function startFakeServer(): Promise<FakeServer> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const fake: FakeServer = {
    url: `http://127.0.0.1:${address.port}/`,
    objects: new Map(),
    seen: [],
    ctag: "c1",
    token: null,
    respond: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  const listAll = (): string[] => [...fake.objects].map(([href, object]) => row(href, tagEtag(object)));
  const describe = (): string =>
    `<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Main</d:displayname><cs:getctag>${fake.ctag}</cs:getctag>${fake.token === null ? "" : `<d:sync-token>${fake.token}</d:sync-token>`}`;
  const respond = ({ method, path, body }: SeenRequest): Answer => {
    if (method === "GET") {
      const object = fake.objects.get(path);
      return object === undefined ? { status: 404 } : { status: 200, body: object.text };
    }
    if (path === "/.well-known/caldav") return { status: 301, headers: { location: home } };
    if (method === "PROPFIND" && path === home && body.includes("calendar-home-set"))
      return multistatus(row(home, `<c:calendar-home-set><d:href>${home}</d:href></c:calendar-home-set>`));
    if (method === "PROPFIND" && path === home) return multistatus(row(calendarPath, describe()));
    if (method === "PROPFIND" && path === calendarPath) return multistatus(row(calendarPath, describe()), ...listAll());
    if (body.includes("calendar-multiget")) {
      const wanted = [...body.matchAll(/<d:href>([^<]*)<\/d:href>/g)].map(([, href = ""]) => href);
      return multistatus(
        ...wanted.map((href) => {
          const object = fake.objects.get(href);
          if (object === undefined) return gone(href);
          return row(href, `${tagEtag(object)}<c:calendar-data>${escapeXml(object.text)}</c:calendar-data>`);
        }),
      );
    }
    return { status: 501 };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url: path = "", headers } = request;
    const said = { method, path, authorization: headers.authorization, body: Buffer.concat(chunks).toString() };
    fake.seen.push(said);
    const { status, headers: more = {}, body = "" } = fake.respond?.(said) ?? respond(said);
    response.writeHead(status, more).end(body);
  };
  return fake;
}
