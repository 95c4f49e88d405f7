import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countChanges, createDavWorld, type DavWorld } from "./dav-world.ts";
import { calendarPath, type FakeServer, gone, multistatus, row, startFakeServer } from "./fake-server.ts";
import { event } from "./radicale.ts";

describe("unusual servers", () => {
  let server: FakeServer;
  let world: DavWorld;
  beforeEach(async () => {
    server = await startFakeServer();
    world = await createDavWorld("caldav", { DAV_URL: server.url, DAV_USER: "ada" });
  });
  afterEach(async () => {
    await world.drop();
    server.close();
  });

  const href = (name: string): string => `${calendarPath}${name}.ics`;
  const put = (name: string, title: string, etag: string | null = `"${title}"`): void => {
    server.objects.set(href(name), { text: event(name, title).join("\r\n"), etag });
    server.ctag = `c-${Math.random()}`;
  };
  const sync = async () => {
    server.seen.length = 0;
    const run = await world.sync();
    expect(run, JSON.stringify(run.error)).toMatchObject({ status: "succeeded" });
    return countChanges(run);
  };
  const titles = async (): Promise<unknown[]> => [...(await world.read()).values()].map(({ title }) => title).sort();
  const countDownloads = (): number =>
    server.seen.reduce((sum, { method, body }) => sum + (method === "GET" ? 1 : body.split("<d:href>").length - 1), 0);
  const isSync = (body: string): boolean => body.includes("sync-collection");
  const token = (value: string): string => `<d:sync-token>${value}</d:sync-token>`;

  it("[COL-112] [COL-119] compares etags if the server has no sync tokens", async () => {
    put("a", "One");
    put("b", "Two");
    expect(await sync()).toEqual({ stored: 2, changed: 0, deleted: 0 });
    expect(await sync()).toEqual({ stored: 0, changed: 0, deleted: 0 });
    expect(server.seen.map(({ method }) => method)).toEqual(["PROPFIND", "PROPFIND", "PROPFIND"]);
    put("a", "Uno");
    put("c", "Three");
    server.objects.delete(href("b"));
    expect(await sync()).toEqual({ stored: 1, changed: 1, deleted: 1 });
    expect(countDownloads()).toBe(2);
    expect(await titles()).toEqual(["Three", "Uno"]);
  });

  it("[COL-119] reads every object again if the server has no etags either", async () => {
    put("a", "One", null);
    expect(await sync()).toEqual({ stored: 1, changed: 0, deleted: 0 });
    put("a", "Uno", null);
    expect(await sync()).toEqual({ stored: 0, changed: 1, deleted: 0 });
    expect(await sync()).toEqual({ stored: 0, changed: 0, deleted: 0 });
  });

  it.each([
    ["418 in the row", (path: string) => gone(path, 418)],
    ["404 in the row", (path: string) => gone(path)],
    ["418 in the properties", (path: string) => row(path, "<d:getetag/>", "HTTP/1.1 418 I'm a teapot")],
    ["404 in the properties", (path: string) => row(path, "<d:getetag/>", "HTTP/1.1 404 Not Found")],
  ])("[COL-119] takes a deletion reported as %s", async (_name, report) => {
    let step = 1;
    server.respond = ({ body }) => {
      if (!isSync(body)) return undefined;
      if (step === 1)
        return multistatus(
          ...[...server.objects.keys()].map((path) => row(path, "<d:getetag>1</d:getetag>")),
          token("t1"),
        );
      expect(body).toContain(">t1<");
      return multistatus(report(href("a")), token("t2"));
    };
    put("a", "One");
    put("b", "Two");
    server.token = "t1";
    expect(await sync()).toEqual({ stored: 2, changed: 0, deleted: 0 });
    step = 2;
    server.objects.delete(href("a"));
    server.token = "t2";
    expect(await sync()).toEqual({ stored: 0, changed: 0, deleted: 1 });
    expect(await titles()).toEqual(["Two"]);
  });

  it("[COL-119] does not trust a token 0 that never changes", async () => {
    server.token = "0";
    server.respond = ({ body }) => {
      if (!isSync(body)) return undefined;
      if (body.includes("<d:sync-token>0<")) return multistatus(token("0"));
      return multistatus(
        ...[...server.objects].map(([path, { etag }]) => row(path, `<d:getetag>${etag}</d:getetag>`)),
        token("0"),
      );
    };
    put("a", "One");
    expect(await sync()).toEqual({ stored: 1, changed: 0, deleted: 0 });
    put("b", "Two");
    server.objects.delete(href("a"));
    expect(await sync()).toEqual({ stored: 1, changed: 0, deleted: 1 });
    expect(await sync()).toEqual({ stored: 0, changed: 0, deleted: 0 });
  });

  it("[COL-119] goes on after a truncated report", async () => {
    for (const name of ["a", "b", "c"]) put(name, name);
    server.token = "t3";
    server.respond = ({ body }) => {
      if (!isSync(body)) return undefined;
      const at = Number(/>t(\d)</.exec(body)?.[1] ?? 0);
      const path = [...server.objects.keys()][at];
      const rest = path === undefined ? [] : [row(path, "<d:getetag>1</d:getetag>")];
      const more =
        at < 2
          ? [
              `<d:response><d:href>${calendarPath}</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>`,
            ]
          : [];
      return multistatus(...rest, ...more, token(`t${Math.min(3, at + 1)}`));
    };
    expect(await sync()).toEqual({ stored: 3, changed: 0, deleted: 0 });
    expect(server.seen.filter(({ body }) => isSync(body))).toHaveLength(3);
  });

  it("[COL-119] fetches what a report lacks, and accepts what is gone meanwhile", async () => {
    for (const name of ["a", "b", "c"]) put(name, name);
    server.respond = ({ body, method, path }) => {
      // Lists one that is gone, and leaves one out of the report.
      if (method === "PROPFIND" && path === calendarPath)
        return multistatus(...["a", "b", "c", "d"].map((name) => row(href(name), `<d:getetag>${name}</d:getetag>`)));
      if (!body.includes("multiget")) return undefined;
      const text = server.objects.get(href("a"))?.text ?? "";
      return multistatus(
        row(href("a"), `<d:getetag>a</d:getetag><c:calendar-data><![CDATA[${text}]]></c:calendar-data>`),
        gone(href("d")),
      );
    };
    expect(await sync()).toEqual({ stored: 3, changed: 0, deleted: 0 });
    expect(server.seen.filter(({ method }) => method === "GET").map(({ path }) => path)).toEqual([
      href("b"),
      href("c"),
    ]);
  });

  it("[COL-119] downloads objects singly if the server knows no multiget", async () => {
    put("a", "One");
    server.respond = ({ body }) => (body.includes("multiget") ? { status: 403 } : undefined);
    expect(await sync()).toEqual({ stored: 1, changed: 0, deleted: 0 });
  });

  it("[COL-119] halves a part whose answer is too large, and skips an object that alone is", async () => {
    for (const name of ["a", "b", "c"]) put(name, name);
    const filler = "x".repeat(1024 * 1024);
    server.respond = ({ body, method, path }) => {
      const isTooLarge = method === "GET" ? path === href("c") : body.includes("multiget") && body.includes(href("c"));
      return isTooLarge ? { status: 207, headers: { "content-type": "text/xml" }, body: filler.repeat(65) } : undefined;
    };
    const run = await world.sync();
    expect(countChanges(run)).toEqual({ stored: 2, changed: 0, deleted: 0 });
    expect(run.skipped).toMatchObject([
      { reason: "object_unreadable", message: `Main, ${href("c")}: it is larger than 64 MiB` },
    ]);
    server.respond = undefined;
    expect(await sync()).toEqual({ stored: 1, changed: 0, deleted: 0 });
  });

  it("[COL-119] deletes nothing when a proxy answers with a page, or an object is one", async () => {
    put("a", "One");
    put("b", "Two");
    await sync();
    const page = { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in to the hotel</html>" };
    server.respond = ({ method, path }) => (method === "PROPFIND" && path === calendarPath ? page : undefined);
    put("a", "Uno");
    expect(await world.sync()).toMatchObject({ status: "failed", error: { code: "unexpected_answer" } });
    server.respond = ({ method, body }) => (method === "GET" || body.includes("multiget") ? page : undefined);
    const run = await world.sync();
    expect(run.skipped).toMatchObject([
      { reason: "object_unreadable", message: `Main, ${href("a")}: the server sent something else` },
    ]);
    expect(await titles()).toEqual(["One", "Two"]);
    server.respond = undefined;
    expect(await sync()).toEqual({ stored: 0, changed: 1, deleted: 0 });
  });

  it("[COL-117] skips a calendar that may not be listed, and keeps its records", async () => {
    put("a", "One");
    await sync();
    server.respond = ({ method, path }) => (method !== "GET" && path === calendarPath ? { status: 403 } : undefined);
    put("a", "Uno");
    const run = await world.sync();
    expect(run).toMatchObject({ status: "succeeded", skipped: [{ reason: "collection_denied" }] });
    expect(await titles()).toEqual(["One"]);
    server.respond = undefined;
    expect(await sync()).toEqual({ stored: 0, changed: 1, deleted: 0 });
  });

  it("[COL-117] says that a server cannot be reached, is busy, or has no calendars", async () => {
    server.respond = () => ({ status: 404 });
    expect(await world.sync()).toMatchObject({ error: { code: "no_account", recovery: "manual_action_required" } });
    server.respond = () => ({ status: 401, headers: { "www-authenticate": 'Digest realm="x"' } });
    expect((await world.sync()).error?.message).toMatch(/asks for a kind of sign-in that is not supported \(Digest\)/);
    let failures = 3;
    put("a", "One");
    server.respond = () => {
      failures -= 1;
      return failures >= 0 ? { status: 503, headers: { "retry-after": "0" } } : undefined;
    };
    expect(await sync()).toEqual({ stored: 1, changed: 0, deleted: 0 });
    server.close();
    expect(await world.sync()).toMatchObject({
      status: "failed",
      error: {
        code: "unreachable",
        is_retryable: true,
        recovery: "retry_by_runtime",
        message: expect.stringContaining("ECONNREFUSED"),
      },
    });
  });

  it("[COL-111] never sends credentials to another origin", async () => {
    const asked: (string | undefined)[] = [];
    const other = createServer(({ headers }, response) => {
      asked.push(headers.authorization);
      response.end();
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        server.respond = ({ path }) =>
          path.startsWith("/.well-known") ? { status, headers: { location: `http://127.0.0.1:${port}/` } } : undefined;
        const run = await world.sync();
        expect(run).toMatchObject({ status: "failed", error: { code: "other_site" } });
        expect(run.error?.message).toContain(`refers to http://127.0.0.1:${port}, which`);
      }
      expect(server.seen.every(({ authorization }) => authorization?.startsWith("Basic "))).toBe(true);
      // Nor does a calendar elsewhere get them.
      server.respond = ({ method, path }) =>
        method === "PROPFIND" && path === "/cal/"
          ? multistatus(
              row("/cal/", `<c:calendar-home-set><d:href>http://127.0.0.1:${port}/cal/</d:href></c:calendar-home-set>`),
            )
          : undefined;
      expect(await world.sync()).toMatchObject({ error: { code: "other_site" } });
      expect(asked).toEqual([]);
    } finally {
      other.close();
    }
    const plain = await createDavWorld("caldav", { DAV_URL: "http://dav.example.com", DAV_USER: "ada" });
    expect(await plain.sync()).toMatchObject({ error: { code: "insecure_address" } });
    await plain.drop();
  });
});
