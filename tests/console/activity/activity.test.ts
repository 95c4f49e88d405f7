import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemStatus } from "#contract/errors";
import { whatsapp } from "#importers/formats/whatsapp/whatsapp";
import { createOwner } from "#server/owner/owner";
import { createMemoryTree, importTree } from "../../importers/support.ts";
import { type Stage, stage } from "../../oauth/agent.ts";

/** The log entries, without the filter form. */
const listLines = ({ html }: VisitedPage): string[] =>
  [...html.matchAll(/<li class="(?:read|refusal|act)"[\s\S]*?<\/li>/g)].map(([line]) => line.replace(/<[^>]+>/g, ""));

describe.each(surfaceEngines)("the activity page and the home page, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    on = stage(vault);
    owner = await signInOwner(on);
    const entry = {
      ownerNo: 1,
      grantIds: ["g"],
      operation: "search",
      stream: null,
      status: 200,
      records: 1,
      bytes: 1,
      at: on.now(),
    };
    const note = (more: object) =>
      vault.store.log.note({ ...entry, client: "A", requestId: "r", connectionIds: [], ...more });
    note({ client: "Alpha", connectionIds: ["chat_home"], records: 11 });
    note({ client: "Alpha", connectionIds: ["chat_work"], records: 12 });
    note({ client: "Alpha", connectionIds: ["chat_home", "chat_work"], records: 13, outcome: "cut" });
    note({ client: "Alpha", kind: "refusal", status: 403, code: "grant_expired", connectionIds: ["chat_home"] });
    note({ client: "Beta", kind: "refusal", status: 403, code: "grant_revoked" });
    note({ client: "Beta", connectionIds: ["chat_home"], records: 14 });
  });
  afterAll(() => vault.drop());

  it("[CSL-48] filters by agent, source and outcome, all in the URL", async () => {
    const readShown = async (query: string): Promise<string[]> =>
      listLines(await owner.open(`${site}/activity?${query}`)).map(
        (line) => /\d+ records|access has expired|access was revoked/.exec(line)?.[0] ?? line,
      );
    expect(await readShown("client=Alpha")).toEqual(["access has expired", "13 records", "12 records", "11 records"]);
    expect(await readShown("client=Alpha&source=chat_work")).toEqual(["13 records", "12 records"]);
    expect(await readShown("source=chat_home&kind=read&outcome=answered")).toEqual(["14 records", "11 records"]);
    expect(await readShown("client=Alpha&outcome=early")).toEqual(["13 records"]);
    expect(await readShown("outcome=refused")).toEqual(["access was revoked", "access has expired"]);
    expect(await readShown("client=Alpha&outcome=running")).toEqual([]);
    // A source whose id is a prefix of another's is a different source.
    expect(await readShown("source=chat")).toEqual([]);
    const page = await owner.open(`${site}/activity`);
    const sent = new URL(`${site}/activity?client=Alpha&source=chat_work&outcome=early`);
    const narrowed = await owner.open(sent.href);
    for (const chosen of ['value="chat_work" selected', 'value="early" selected', 'value="Alpha" selected'])
      expect(narrowed.html).toContain(chosen);
    expect(listLines(await owner.open(findLink(narrowed, "Clear filters"))).length).toBe(listLines(page).length);
  });

  it("[CSL-48] explains every refusal in words, without showing tokens", async () => {
    for (const [code, status] of Object.entries(problemStatus))
      vault.store.log.note({
        ownerNo: 1,
        at: on.now(),
        requestId: "r",
        client: `Refused ${code}`,
        grantIds: [],
        operation: "search",
        connectionIds: [],
        stream: null,
        status,
        records: 0,
        bytes: 0,
        kind: "refusal",
        code,
      });
    const token = "pdpp_ct_".padEnd(51, "q");
    await on.fetch(new Request(`${site}/v1/streams`, { headers: { authorization: `Bearer ${token}` } }));
    const page = await owner.open(`${site}/activity?kind=refusal`);
    const lines = listLines(page).filter((line) => line.includes("Refused "));
    expect(lines.length).toBe(Object.keys(problemStatus).length);
    for (const line of lines) expect(line).toMatch(/was refused: [a-z ,'&#;39]{8,}/);
    for (const line of lines) expect(line.split("was refused")[1]).not.toContain("_");
    expect(page.html).not.toContain("q".repeat(20));
    expect(page.html).toContain("Unknown client");
  });

  it("[CSL-49] returns only the entries after a given one", async () => {
    const first = await owner.open(`${site}/activity?client=Gamma`);
    const next = /data-live="([^"]+)"/.exec(first.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(next).toMatch(/^\/activity\?client=Gamma&after=\d+$/);
    expect(listLines(await owner.open(`${site}${next}`))).toEqual([]);
    for (const client of ["Gamma", "Delta"])
      vault.store.log.note({
        ownerNo: 1,
        at: on.now(),
        requestId: "r",
        client,
        grantIds: ["g"],
        operation: "fetch",
        connectionIds: [],
        stream: null,
        status: 200,
        records: 1,
        bytes: 1,
      });
    const page = await owner.open(`${site}${next}`);
    expect(listLines(page)).toHaveLength(1);
    const later = /data-live="([^"]+)"/.exec(page.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(later).not.toBe(next);
    expect(listLines(await owner.open(`${site}${later}`))).toEqual([]);
    expect(page.headers.get("content-security-policy")).toContain("connect-src 'self'");
    expect((await owner.open(`${site}/settings`)).headers.get("content-security-policy")).not.toContain("connect-src");
  });

  it("[CSL-51] shows times in UTC without scripts, and says so", async () => {
    const { html } = await owner.open(`${site}/activity`);
    expect(html).toContain("Times shown in UTC.");
    const at = new Date(on.now());
    expect(html).toMatch(new RegExp(`title="[^"]+ UTC" data-as="minute">${at.toISOString().slice(11, 13)}:\\d\\d<`));
    const record = await owner.open(`${site}/record?id=chat_home%2Fmessages%3Ah00`);
    expect(record.html).toMatch(
      /title="2026-05-01T10:00:00.000Z">1 May 2026, 10:00 <span data-offset="UTC">UTC<\/span></,
    );
    const order = await owner.open(`${site}/stream?source=shop_1&stream=order_lines`);
    expect(order.html).toContain('<time datetime="2026-01-31">31 Jan 2026</time>');
  });

  it("[LOG-18] lists imports with their source, what they brought and their report", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const chat = {
      "WhatsApp Chat with Cem.txt": "13/01/2024, 10:00 - Ada: which one?\n13/01/2024, 10:01 - Cem: both\n",
    };
    for (const _ of [1, 2]) await importTree(api, createMemoryTree(chat, 0), { importers: [whatsapp] });
    const page = await owner.open(`${site}/activity?kind=act`);
    const [second, first] = listLines(page).filter((line) => line.includes("imported data"));
    expect(first).toMatch(/You imported data WhatsApp · \d+ records/);
    expect(second).toMatch(/You imported data WhatsApp · nothing new/);
    expect(page.html).not.toContain("Chat with Cem");
    const report = await owner.open(findLink(page, "imported data"));
    expect([report.status, report.html.includes("Import report")]).toEqual([200, true]);
  });

  it("[CSL-52] says when a source was last imported, and links to rejected items", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const { part_id } = await api.imports.begin({
      import_id: "imp_1",
      connection_id: "chat_work",
      format: "chat",
      importer_version: "1",
      label: "Chat export",
      fingerprint: "f",
      sources: [],
      answers: {},
      exported_at: "2026-05-01T00:00:00Z",
    });
    const raw = Buffer.from("?");
    const aside = [
      {
        kind: "part" as const,
        stream: "messages",
        path: "a.json",
        offset: 0,
        code: "unreadable",
        reason: "no date",
        raw,
      },
    ];
    await api.imports.store({ part_id, records: [], merge: {}, aside, skipped: {}, blobs: 0, mark: null });
    await api.imports.finish(part_id);
    const { html } = await owner.open(`${site}/`);
    const sources = html.split('class="home-sources"')[1]?.split("</ul>")[0]?.split("<li>") ?? [];
    const findSource = (name: string) =>
      sources.map((each) => each.replace(/<[^>]+>/g, "")).find((each) => each.includes(name));
    expect(findSource("Work")).toContain("1 item not imported, just now");
    expect(findSource("Home")).toContain("Updated ");
    expect(html).toMatch(
      /item of <bdi>Chat export<\/bdi> couldn(?:'|&#39;)t be imported, [\s\S]{1,200}<a href="\/import\/imp_1#aside">See details<\/a>/,
    );
  });
});
