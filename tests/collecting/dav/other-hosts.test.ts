import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drive } from "./driver.ts";
import { calendarPath, type FakeServer, startFakeServer } from "./fake-server.ts";
import { event } from "./radicale.ts";

describe("the CalDAV connector under another host", () => {
  let server: FakeServer;
  let folder: string;
  beforeEach(async () => {
    server = await startFakeServer();
    folder = mkdtempSync(join(tmpdir(), "pdpp-state-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    server.close();
  });

  const put = (name: string, title: string): void => {
    server.objects.set(`${calendarPath}${name}.ics`, { text: event(name, title).join("\r\n"), etag: `"${title}"` });
    server.ctag = title;
  };
  const run = (state: Awaited<ReturnType<typeof drive>>["state"], more: Record<string, string> = {}) =>
    drive("dav/caldav-connector.ts", {
      env: { DAV_URL: server.url, DAV_USER: "ada", DAV_PASSWORD: "secret", ...more },
      streams: ["events"],
      state,
    });
  const listTitles = ({ records }: Awaited<ReturnType<typeof drive>>) =>
    records.map(({ op, key, data }) => (op === "delete" ? `- ${key}` : data.title));

  it("[COL-118] collects what is new and changed without a folder", async () => {
    put("a", "One");
    const first = await run(null);
    expect(first).toMatchObject({ exitCode: 0, done: { status: "succeeded" } });
    expect(listTitles(first)).toEqual(["One"]);
    expect(first.records[0]).toMatchObject({ stream: "events", key: '["a","single"]' });
    expect(listTitles(await run(first.state))).toEqual([]);
    put("b", "Two");
    // A server with sync tokens sends changes only; this one has none, so all is read again.
    expect(listTitles(await run(first.state))).toEqual(["One", "Two"]);
    server.token = "t2";
    server.respond = ({ body }) => {
      if (!body.includes("sync-collection")) return undefined;
      const wanted = body.includes(">t2<") ? ["c"] : ["a", "b"];
      const rows = wanted.map(
        (name) =>
          `<d:response><d:href>${calendarPath}${name}.ics</d:href><d:propstat><d:prop><d:getetag>${name}</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
      );
      const token = body.includes(">t2<") ? "t3" : "t2";
      return {
        status: 207,
        headers: { "content-type": "text/xml" },
        body: `<d:multistatus xmlns:d="DAV:">${rows.join("")}<d:sync-token>${token}</d:sync-token></d:multistatus>`,
      };
    };
    const tokens = await run(null);
    put("c", "Three");
    server.token = "t3";
    expect(listTitles(await run(tokens.state))).toEqual(["Three"]);
  });

  it("[COL-115] accounts for what an interrupted run has sent, when the object is gone or back to what it was", async () => {
    const env = { PDPP_STATE_DIR: folder };
    put("a", "One");
    put("b", "Two");
    const first = await run(null, env);
    const before = server.objects.get(`${calendarPath}b.ics`);
    put("a", "One");
    put("b", "Two again");
    put("c", "Three");
    // Its records may have been stored, but its cursor was not.
    expect(listTitles(await run(first.state, env))).toEqual(["Two again", "Three"]);
    server.objects.delete(`${calendarPath}c.ics`);
    if (before !== undefined) server.objects.set(`${calendarPath}b.ics`, before);
    server.ctag = "back";
    const third = await run(first.state, env);
    expect(listTitles(third)).toEqual(["Two", '- ["c","single"]']);
    expect(listTitles(await run(third.state, env))).toEqual([]);
    // The files of earlier runs are removed once a cursor says that they are not needed.
    put("d", "Four");
    const last = await run(third.state, env);
    await run(last.state, env);
    expect(readdirSync(folder).filter((file) => file.startsWith("objects-"))).toHaveLength(1);
    expect(readdirSync(folder).filter((file) => file.startsWith("journal-"))).toHaveLength(0);
  });

  it("[COL-117] fails in words without settings", async () => {
    const failed = await drive("dav/caldav-connector.ts", { env: {}, streams: ["events"] });
    expect(failed).toMatchObject({ exitCode: 1, done: { status: "failed", error: { code: "invalid_setting" } } });
    const absent = await run(null, { DAV_ABSENT: "perhaps" });
    expect(absent.done.error?.message).toBe("DAV_ABSENT must be delete or keep");
  });
});
