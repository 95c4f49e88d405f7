import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countChanges, createDavWorld, type DavWorld } from "./dav-world.ts";

interface Item {
  readonly id: string;
  readonly title: string;
  readonly text?: string;
}

const rss = (...items: readonly Item[]): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Garden &amp;amp; pond</title><link>https://garden.example/</link>${items
    .map(
      ({ id, title, text = "" }) =>
        `<item><title>${title}</title><guid isPermaLink="false">${id}</guid><link>/${id}</link><pubDate>Mon, 02 Nov 2026 10:00:00 +0100</pubDate><description><![CDATA[${text}]]></description><enclosure url="https://garden.example/${id}.mp3" type="audio/mpeg" length="1"/></item>`,
    )
    .join("")}</channel></rss>`;

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link href="https://news.example/"/><entry><id>e1</id>
  <title type="html">Frost &amp;amp; snow</title><link href="/1"/><published>2026-11-01T00:00:00Z</published><updated>2026-11-02T00:00:00Z</updated>
  <author><name>Bo</name></author><category term="weather"/><content type="html">&lt;p&gt;Cold.&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</content></entry></feed>`;

const json = JSON.stringify({
  version: "https://jsonfeed.org/version/1.1",
  title: "Log",
  items: [
    {
      id: "1",
      url: "https://log.example/1",
      title: "a < b",
      content_text: "1 < 2",
      date_published: "2026-11-01T00:00:00Z",
    },
  ],
});

const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="x"><title>Old</title></channel><item rdf:about="https://old.example/r"><title>Still here</title><link>https://old.example/r</link><dc:date>2026-11-01</dc:date></item></rdf:RDF>`;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe("web feeds", () => {
  let server: Server;
  let base: string;
  const pages = new Map<string, string | Handler>();
  const asked: string[] = [];
  let world: DavWorld | undefined;
  beforeEach(async () => {
    pages.clear();
    asked.length = 0;
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const page = pages.get(request.url ?? "");
      if (typeof page === "function") page(request, response);
      else response.writeHead(page === undefined ? 404 : 200).end(page);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  });
  afterEach(async () => {
    await world?.drop();
    server.closeAllConnections();
    server.close();
  });

  const create = async (...paths: readonly string[]): Promise<DavWorld> => {
    world = await createDavWorld("feed", { FEED_URL: paths.map((path) => `${base}${path}`).join(",") });
    return world;
  };
  const titles = async (): Promise<unknown[]> =>
    [...((await world?.read()) ?? []).values()].map(({ title }) => title).sort();

  it("[COL-120] collects entries of every format as text, and replaces edited ones", async () => {
    pages.set("/rss", rss({ id: "1", title: "Roses", text: "<p>Cut &amp; <b>tie</b></p>" }, { id: "2", title: "Ice" }));
    pages.set("/atom", atom).set("/json?a=1,2", json).set("/rdf", rdf);
    const { sync, read } = await create("/rss", "/atom", "/json?a=1,2", "/rdf");
    expect(await sync()).toMatchObject({ status: "succeeded", tally: { streams: { entries: { stored: 5 } } } });
    const all = [...(await read()).values()];
    expect(all.find(({ title }) => title === "Roses")).toEqual({
      id: expect.stringMatching(/^h1_/),
      title: "Roses",
      author: null,
      text: "Cut & tie",
      url: "https://garden.example/1",
      feed_title: "Garden & pond",
      feed_url: `${base}/rss`,
      published_at: "2026-11-02T09:00:00.000Z",
      updated_at: null,
      categories: [],
      media: ["https://garden.example/1.mp3"],
    });
    expect(all.find(({ feed_title }) => feed_title === "News")).toMatchObject({
      title: "Frost & snow",
      text: "Cold.",
      author: "Bo",
      categories: ["weather"],
      url: "https://news.example/1",
      updated_at: "2026-11-02T00:00:00.000Z",
    });
    expect(all.find(({ feed_title }) => feed_title === "Log")).toMatchObject({ title: "a < b", text: "1 < 2" });
    expect(all.find(({ feed_title }) => feed_title === "Old")).toMatchObject({
      published_at: "2026-11-01T00:00:00.000Z",
    });

    pages.set("/rss", rss({ id: "1", title: "Roses", text: "<p>Water them</p>" }, { id: "3", title: "Snow" }));
    const run = await sync();
    expect(run.tally.read).toBe(2);
    expect(countChanges(run)).toEqual({ stored: 1, changed: 1, deleted: 0 });
    expect(await titles()).toEqual(["Frost & snow", "Ice", "Roses", "Snow", "Still here", "a < b"]);
  });

  it("[COL-121] asks with ETag and Last-Modified, and sends nothing for the same bytes", async () => {
    const conditions: unknown[] = [];
    pages.set("/tagged", ({ headers }, response) => {
      conditions.push([headers["if-none-match"], headers["if-modified-since"]]);
      const isSame = headers["if-none-match"] === '"v1"';
      response.writeHead(isSame ? 304 : 200, { etag: '"v1"', "last-modified": "Mon, 02 Nov 2026 10:00:00 GMT" });
      response.end(isSame ? undefined : atom);
    });
    pages.set("/plain", rdf);
    const { sync } = await create("/tagged", "/plain");
    expect((await sync()).tally.read).toBe(2);
    expect((await sync()).tally.read).toBe(0);
    expect((await sync()).tally.read).toBe(0);
    const known = ['"v1"', "Mon, 02 Nov 2026 10:00:00 GMT"];
    expect(conditions).toEqual([[undefined, undefined], known, known]);
    expect((await sync({ mode: "full_refresh" })).tally.read).toBe(2);
  });

  it("[COL-120] skips a feed that cannot be read, and fails if none can", async () => {
    pages.set("/good", atom).set("/page", "<!doctype html><title>Hello</title>");
    const { sync } = await create("/good", "/page", "/missing");
    const run = await sync();
    expect(run).toMatchObject({ status: "succeeded", tally: { read: 1 } });
    expect(run.skipped?.map(({ message }) => message)).toEqual([
      `${base}/page: it is not an RSS, Atom, RDF or JSON feed, or it is damaged`,
      `${base}/missing: the server answered with status 404`,
    ]);
    pages.delete("/good");
    expect(await sync()).toMatchObject({ status: "failed", error: { code: "no_feed_readable" } });
    expect(await titles()).toEqual(["Frost & snow"]);
  });

  it("[COL-122] survives bombs, endless answers and redirects into the owner's network", async () => {
    const entities = Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join("");
    pages.set(
      "/bomb",
      `<!DOCTYPE rss [<!ENTITY e0 "boom">${entities}]>${rss({ id: "1", title: "&e20;" }).replace(/^.*?\?>/, "")}`,
    );
    pages.set("/deep", `<rss version="2.0"><channel>${"<a>".repeat(1_000_000)}`);
    pages.set("/endless", (_request, response) => {
      const more = (): void => {
        while (response.write("<item><title>x</title></item>".repeat(1000)));
      };
      response.writeHead(200).on("drain", more).write("<rss version='2.0'><channel>");
      more();
    });
    pages.set("/loop", (_request, response) => void response.writeHead(302, { location: "/loop" }).end());
    pages.set(
      "/inward",
      (_request, response) => void response.writeHead(302, { location: "http://169.254.1.1/secret" }).end(),
    );
    pages.set("/good", atom);
    const { sync } = await create("/bomb", "/deep", "/endless", "/loop", "/inward", "/good");
    const run = await sync();
    expect(run.status).toBe("succeeded");
    expect(run.skipped?.map(({ message }) => message?.replace(base, ""))).toEqual([
      "/deep: it is not an RSS, Atom, RDF or JSON feed, or it is damaged",
      "/endless: it is larger than 10 MiB",
      "/loop: its server redirects too often",
      "/inward: its server redirects to 169.254.1.1, which is private",
    ]);
    // The bomb's title stays as it is written.
    expect(await titles()).toEqual(["&e20;", "Frost & snow"]);
  });
});
