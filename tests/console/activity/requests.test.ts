import type { LoggedRequest } from "@pdpp/contract/logged-request";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, type Sample } from "@pdpp/test-support/vaults/sample";
import { signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { type Stage, stage } from "../../oauth/agent.ts";

const readText = (html: string): string =>
  html
    .replace(/<[^>]+>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

describe.each(surfaceEngines)("what agents asked, on the pages, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(() => vault.drop());

  /** The newest line of the log, and the page it opens. */
  const openNewest = async (): Promise<{ line: string; html: string; page: string }> => {
    const log = await owner.open(`${site}/activity`);
    const [line = ""] = /<li class="(?:read|refusal)"[\s\S]*?<\/li>/.exec(log.html) ?? [];
    const [, path = ""] = /class="opens" href="(\/activity\/\d+)"/.exec(line) ?? [];
    const { html, status } = await owner.open(`${site}${path}`);
    expect(status).toBe(200);
    return { line: readText(line), html, page: readText(html.split("What it asked")[1] ?? "") };
  };
  const ask = async (path: string) => {
    const token = await world.grant({ ...everything, client: { name: "Agent" } });
    await (await world.call(token, path)).arrayBuffer();
    return openNewest();
  };
  const note = (operation: string, request: LoggedRequest | null | undefined, more: object = {}) => {
    vault.store.log.note({
      ownerNo: 1,
      at: on.now(),
      requestId: "r",
      client: "Agent",
      grantIds: ["g"],
      operation,
      connectionIds: ["chat_home"],
      stream: "messages",
      status: 200,
      records: 1,
      bytes: 1,
      ...(request === undefined ? {} : { request: JSON.stringify(request) }),
      ...more,
    });
    return openNewest();
  };
  const noteArguments = (operation: string, asked: LoggedRequest["arguments"], more: object = {}) =>
    note(operation, { operation, arguments: asked }, more);

  it("[CSL-148] says what was searched, where and with which filters", async () => {
    const path = "/v1/search?q=boiler%20invoice&streams=messages&connection_id=chat_home&filter[likes][gte]=2";
    const { line, page } = await ask(path);
    expect(line).toMatch(/Agent searched for “boiler invoice” in Home/);
    expect(page).toMatch(/Search words ?boiler invoice ?Source ?Home ?Kind ?Messages ?Filters ?Likes ≥ 2/);
    expect(page).toContain("Technical details");
    expect(page).toContain("&quot;operation&quot;: &quot;search&quot;");
  });

  it("[CSL-148] says which fields, order and page were asked for", async () => {
    const query = "connection_id=chat_home&fields=text,sent_at&sort=-sent_at&limit=3&filter[pinned]=true";
    const { line, page } = await ask(`/v1/streams/messages/records?${query}`);
    expect(line).toMatch(/listed Text, Sent at of records where Pinned is true in Home · Messages · 3 records/);
    expect(page).toMatch(/Order ?Sent at, descending ?Fields ?Text, Sent at ?Page ?up to 3 records/);
  });

  it("[CSL-148] has words for every operation", async () => {
    const cases: readonly [string, LoggedRequest["arguments"], RegExp][] = [
      ["fetch", { fields: ["text"] }, /read Text of a record/],
      ["fetch", {}, /opened a record/],
      ["readField", { field: "text" }, /read Text of a record/],
      ["readField", { field: "text", q: "roof" }, /searched for “roof” in Text of a record/],
      ["aggregate", { metric: "count", group_by: "channel_id" }, /counted records by Channel/],
      [
        "aggregate",
        { metric: "sum", field: "likes", granularity: "month", group_by_time: "sent_at" },
        /added up Likes by month/,
      ],
      ["aggregate", { metric: "max", field: "likes" }, /found the highest Likes/],
      ["queryRecords", { changes_since: "bookmark" }, /listed changes/],
      ["export", {}, /exported records/],
      ["schema", {}, /listed the available data/],
    ];
    for (const [operation, asked, words] of cases) expect((await noteArguments(operation, asked)).line).toMatch(words);
    const next = await note("search", { operation: "search", arguments: { q: "x" }, continued: true, shortened: true });
    expect(next.page).toMatch(/next page[\s\S]*Long values were shortened/);
  });

  it("[CSL-148] says what a rejected request tried", async () => {
    const { line, page } = await ask("/v1/streams/messages/records/unknown?connection_id=chat_home");
    expect(line).toMatch(/was refused: not found · tried to open a record in Home · Messages/);
    expect(page).toMatch(/Record ?unknown/);
    const elsewhere = await ask("/v1/streams/nowhere/records?connection_id=chat_home");
    expect(elsewhere.line).toMatch(/tried to list records in Home · Nowhere/);
    const beyond = await ask("/v1/streams/order_lines/records?fields=price");
    expect(beyond.line).toMatch(/was refused: not covered by its access · tried to list price of records/);
  });

  it("[CSL-148] shows hostile text as isolated text, and bounds it", async () => {
    const q = `<img src=x onerror=alert(1)>\u202e${"long ".repeat(200)}`;
    const { html, line } = await noteArguments("search", { q, filter: { "<b>": { "<i>": "\u2067" } } });
    expect(html).not.toMatch(/<img|<b>|<i>/);
    expect(html).toContain("<bdi>&lt;img src=x onerror=alert(1)&gt;\u202e");
    expect(html).toContain("alert(1)&gt;\\u202e");
    expect(line.length).toBeLessThan(300);
    for (const odd of [{ q: 7 }, { q: ["a"] }, { fields: "x" }, { filter: ["x"] }, { limit: "x" }, { sort: {} }])
      expect((await noteArguments("search", odd)).page).toContain("Technical details");
  });

  it("[CSL-148] says when the request was deleted, or is not in the log", async () => {
    expect((await note("search", undefined)).page).toMatch(/^ ?Not in the log\./);
    await noteArguments("search", { q: "secret" });
    await vault.store.log.flush();
    await vault.store.engine.write((at) => at.run(raw("UPDATE access_log SET request = NULL")));
    const { line, page } = await openNewest();
    expect(line).toContain("Agent searched in Home");
    expect(page).toContain("Deleted together with the data it was about.");
  });
});
