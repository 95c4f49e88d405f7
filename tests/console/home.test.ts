import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../oauth/agent.ts";

/** The log entries, without the filter form. */
const findLog = ({ html }: VisitedPage): string => html.slice(html.indexOf("data-log"), html.indexOf('class="pages"'));

const list = { name: "query_records", arguments: { stream: "messages", limit: 3 } };

describe.each(surfaceEngines)("the home page and the log, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(() => vault.drop());
  const letIn = async (name: string) => {
    const agent = await on.register({ client_name: name, redirect_uris: ["http://localhost:41234/callback"] });
    const ticked = {
      account: ["chat_home"],
      part: ["chat_home/messages/text", "chat_home/messages/headings"],
      days: "7",
    };
    const { access_token } = await on.granted(agent, ticked);
    return () => agent.mcp(access_token, "tools/call", list);
  };

  it("[CSL-6] answers browsers with a page and programs with the index", async () => {
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answers = await Promise.all(
      ["*/*", "application/json", "", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"].map((accept) =>
        on.fetch(new Request(`${site}/`, { headers: { accept, cookie } })),
      ),
    );
    expect(answers.map(({ headers }) => headers.get("content-type")?.split(";")[0])).toEqual([
      "application/json",
      "application/json",
      "application/json",
      "text/html",
    ]);
    expect(answers.every(({ headers }) => headers.get("vary")?.includes("accept"))).toBe(true);
  });

  it("[CSL-6] shows sources, agent activity, and what needs attention", async () => {
    const call = await letIn("Busy agent");
    expect((await call()).status).toBe(200);
    await on.fetch(new Request(`${site}/v1/streams`, { headers: { authorization: `Bearer ${"x".repeat(43)}` } }));
    const { html } = await owner.open(`${site}/`);
    for (const shown of [
      "55 records from 3 sources",
      "Home",
      "Work",
      "Shop",
      "Recent",
      "message h29",
      "loses access on",
    ])
      expect(html).toContain(shown);
    expect(readText(html)).toMatch(/Busy agent read 3 records from Home ?\. *\d\d:\d\d/);
    // As in Activity: a time that the browser shows in its own zone.
    expect(html).toMatch(/<span class="when"><time [^>]*data-as="minute">\d\d:\d\d<\/time>/);
    expect(html.match(/<a class="bar-/g)).toHaveLength(365);
    const agents = await owner.open(`${site}/agents`);
    const action = /action="([^"]+\/revoke)"/.exec(agents.html)?.[1] ?? "";
    await owner.send(agents, {}, action);
    expect((await call()).status).toBe(403);
    const after = await owner.open(`${site}/`);
    expect(after.html).toContain("was refused");
    expect(readText(after.html)).toContain("Busy agent was refused : access was revoked");
    expect(after.html).not.toContain("loses access on");
    const why = await owner.open(findLink(after, "See details"));
    expect(why.html).toContain("was refused");
  });

  it("[CSL-7] shows reads, refusals and actions, filtered by kind and client", async () => {
    const call = await letIn("Logged agent");
    await call();
    const all = await owner.open(`${site}/activity`);
    for (const shown of ["Logged agent", "listed", "3 records", "connected", "added a source", "was refused"])
      expect(all.html).toContain(shown);
    const reads = await owner.open(`${site}/activity?kind=read&client=Logged+agent`);
    expect(findLog(reads)).toContain("listed");
    for (const hidden of ["connected", "was refused", "Busy agent"]) expect(findLog(reads)).not.toContain(hidden);
    const refusals = await owner.open(findLink(all, "Refusals"));
    expect(refusals.html).toMatch(/access was revoked|unknown token/);
    expect(refusals.html).not.toContain("listed");
    expect(all.html).not.toMatch(/x{43}|pdpp_[a-z]+_\w{20}/);
  });

  it("[CSL-7] pages through the log, and finds a rare kind further back", async () => {
    const entry = {
      ownerNo: 1,
      client: "Paged",
      grantIds: ["g"],
      operation: "search",
      connectionIds: ["chat_home"],
      stream: null,
      status: 200,
      records: 1,
      bytes: 1,
    };
    for (let i = 0; i < 150; i += 1) vault.store.log.note({ ...entry, at: on.now(), requestId: `r${i}` });
    const first = await owner.open(`${site}/activity?client=Paged`);
    const second = await owner.open(findLink(first, "Older"));
    const countLines = (html: string) => html.match(/<li class="read"/g)?.length;
    expect([countLines(first.html), countLines(second.html)]).toEqual([100, 50]);
    expect(second.html).not.toContain('rel="next"');
  });

  it("[CSL-76] shows cached counts at once, and new ones on the next request", async () => {
    const may = `${site}/day/2026-05-01`;
    const readCount = async (): Promise<string | undefined> =>
      /Friday, 1 May 2026: (\d+) records/.exec((await owner.open(may)).html)?.[1];
    await expect.poll(readCount).toBe("50");
    await putRecords(vault, "chat_home", "messages", [buildMessage("h98", 30), buildMessage("h99", 31)]);
    on.wait(61_000);
    expect(await readCount()).toBe("50");
    await expect.poll(readCount).toBe("52");
    const deleted = ["h98", "h99"].map((key) => ({ key, op: "delete" }));
    await putRecords(vault, "chat_home", "messages", deleted);
  });
});

/** The page's words, without elements. */
const readText = (html: string): string => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

it("[CSL-139] shows three steps in a new vault, each ticked by itself", async () => {
  const vault = await createVault("sqlite");
  try {
    const on = stage(vault);
    const owner = await signInOwner(on);
    const openHome = async () => (await owner.open(`${site}/`)).html;
    const countDone = (html: string) => html.match(/class="done-step"/g)?.length ?? 0;
    expect((await owner.open(`${site}/explore`)).html).toContain("No data yet");
    const empty = await openHome();
    for (const shown of ["Your vault is empty", "npx pdpp import FILE", "npx pdpp serve --demo", "See what it read"])
      expect(empty).toContain(shown);
    expect(countDone(empty)).toBe(0);
    await createSample(vault);
    expect(countDone(await openHome())).toBe(1);
    const agent = await on.register({ client_name: "New agent", redirect_uris: ["http://localhost:41234/callback"] });
    const ticked = {
      account: ["chat_home"],
      part: ["chat_home/messages/text", "chat_home/messages/headings"],
      days: "30",
    };
    const { access_token } = await on.granted(agent, ticked);
    expect(countDone(await openHome())).toBe(2);
    await agent.mcp(access_token, "tools/call", list);
    await expect.poll(openHome).not.toContain("Get started");
  } finally {
    await vault.drop();
  }
});

it("[CSL-138] shows the newest items of all sources, this day in earlier years, and one line of attention", async () => {
  const vault = await createVault("sqlite");
  try {
    await createSample(vault);
    const on = stage(vault);
    const owner = await signInOwner(on);
    const formatYearsAgo = (years: number) => {
      const { date } = { date: new Date(on.now()) };
      date.setUTCFullYear(date.getUTCFullYear() - years);
      return `${date.toISOString().slice(0, 11)}12:00:00Z`;
    };
    await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).setTimeZone("UTC");
    await putRecords(vault, "chat_work", "messages", [
      buildMessage("today", 0, { sent_at: formatYearsAgo(0), text: "the <b>newest</b> words" }),
      buildMessage("tomorrow", 0, { sent_at: new Date(on.now() + 9 * 86_400_000).toISOString(), text: "not yet" }),
      buildMessage("year1", 0, { sent_at: formatYearsAgo(1), text: "a year back" }),
      buildMessage("year3", 0, { sent_at: formatYearsAgo(3), text: "long ago" }),
    ]);
    const openHome = () => owner.open(`${site}/`);
    on.wait(61_000);
    await expect.poll(async () => (await openHome()).html).toContain("3 years ago");
    const { html } = await openHome();
    const recent = html.slice(html.indexOf('id="recent-title"'), html.indexOf('id="on-this-day"'));
    expect(recent.indexOf("newest")).toBeLessThan(recent.indexOf("message h29"));
    expect(html).not.toContain("<b>newest");
    expect(html).not.toContain("not yet");
    expect(readText(html)).toMatch(/a year ago.*a year back.*3 years ago.*long ago/);
    expect(findLink(await openHome(), "Open the day")).toBe(`${site}/day/${formatYearsAgo(1).slice(0, 10)}`);
    expect(html.length).toBeLessThan(200_000);
    for (const name of ["One", "Two", "Three"]) {
      const agent = await on.register({ client_name: name, redirect_uris: ["http://localhost:41234/callback"] });
      await on.granted(agent, { account: ["chat_home"], part: ["chat_home/messages/text"], days: "7" });
    }
    expect((await openHome()).html).toContain("<summary>and 2 more</summary>");
  } finally {
    await vault.drop();
  }
});

it("[CSL-138] shows an event that recurs once among the newest items", async () => {
  const vault = await createVault("sqlite");
  try {
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    await owner.connectors.register(
      parseManifest({
        connector_key: "agenda",
        version: "1.0.0",
        streams: [
          {
            name: "events",
            primary_key: ["id"],
            cursor_field: "begins",
            consent_time_field: "begins",
            presentation: { kind: "event" },
            schema: {
              type: "object",
              required: ["id", "begins"],
              properties: {
                id: { type: "string" },
                begins: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
                subject: { type: "string", x_pdpp_role: "primary-title" },
              },
            },
            query: {
              range_filters: { begins: ["gte", "lt"] },
              aggregations: { count: true, group_by_time: ["begins"] },
            },
          },
        ],
      }),
    );
    await owner.connections.add({ connector_key: "agenda", connection_id: "cal" });
    const buildEvent = (day: string, subject: string) => ({ data: { id: day, begins: `${day}T10:00:00Z`, subject } });
    await putRecords(vault, "cal", "events", [
      buildEvent("2001-01-01", "Dentist"),
      ...["2001-02-05", "2001-02-12", "2001-02-19"].map((day) => buildEvent(day, "Choir")),
    ]);
    const { html } = await (await signInOwner(stage(vault))).open(`${site}/`);
    const recent = html.slice(html.indexOf('id="recent-title"'));
    expect(recent.match(/<bdi>Choir<\/bdi>/g)).toHaveLength(1);
    expect(recent).toContain("19 Feb 2001");
    expect(recent).toContain("<bdi>Dentist</bdi>");
  } finally {
    await vault.drop();
  }
});
