import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
    const ticked = { account: ["chat_home"], part: ["chat/messages/text", "chat/messages/headings"], days: "7" };
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
      "May 2026",
      "Busy agent",
      "loses access on",
    ])
      expect(html).toContain(shown);
    expect(html).toMatch(/aria-label="Home: records per month, last two years: 30, most in May 2026 \(30\)"/);
    expect(html).toMatch(/Busy agent<\/bdi><\/a><\/th><td class="number">1<\/td><td class="number">3<\/td>/);
    const agents = await owner.open(`${site}/agents`);
    const action = /action="([^"]+\/revoke)"/.exec(agents.html)?.[1] ?? "";
    await owner.send(agents, {}, action);
    expect((await call()).status).toBe(403);
    const after = await owner.open(`${site}/`);
    expect(after.html).toContain("was refused");
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
    const readCount = async (): Promise<string | undefined> =>
      /aria-label="(Home: records per month[^"]*)"/.exec((await owner.open(`${site}/`)).html)?.[1];
    await expect.poll(readCount).toContain(": 30,");
    await putRecords(vault, "chat_home", "messages", [buildMessage("h98", 30), buildMessage("h99", 31)]);
    on.wait(61_000);
    expect(await readCount()).toContain(": 30,");
    await expect.poll(readCount).toContain(": 32,");
    const deleted = ["h98", "h99"].map((key) => ({ key, op: "delete" }));
    await putRecords(vault, "chat_home", "messages", deleted);
  });
});

it("[CSL-6] shows two ways to start in an empty vault", async () => {
  const vault = await createVault("sqlite");
  try {
    const owner = await signInOwner(stage(vault));
    expect((await owner.open(`${site}/explore`)).html).toContain("No data yet");
    const { html: page } = await owner.open(`${site}/`);
    for (const shown of ['href="/import"', "npx pdpp import FILE", "npx pdpp serve --demo"])
      expect(page).toContain(shown);
  } finally {
    await vault.drop();
  }
});
