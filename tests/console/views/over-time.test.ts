import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../../oauth/agent.ts";

const countMinutes = (iso: string): number => (Date.parse(iso) - Date.parse("2026-05-01T10:00:00Z")) / 60_000;

describe.each(surfaceEngines)("results over time, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  const times = ["2025-11-03T08:00:00Z", "2026-01-10T08:00:00Z", "2026-01-31T23:59:00Z", "2026-03-02T08:00:00Z"];
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    const boilers = times.map((time, i) =>
      buildMessage(`b${i}`, countMinutes(time), { text: `boiler number ${i} in March` }),
    );
    await putRecords(vault, "chat_home", "messages", boilers);
    await putRecords(vault, "chat_work", "messages", [
      buildMessage("b9", countMinutes("2026-02-11T08:00:00Z"), { text: "a boiler at work" }),
    ]);
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(() => vault.drop());
  const grantFor = async (fields: string[]): Promise<string> => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const streams = [{ name: "messages", connection_ids: ["chat_home"], fields }];
    const { grants } = await api.grants.issue({
      client: { name: "Reader" },
      sources: [{ connector_key: "chat", streams }],
    });
    return grants[0]?.grant_id ?? "";
  };
  const listBars = (html: string) => [...html.matchAll(/<li title="([^"]+)">/g)].map(([, title]) => title);

  it("[CSL-10] are bars by month that link to their results", async () => {
    const page = await owner.open(`${site}/explore?q=boiler`);
    expect(listBars(page.html)).toEqual(["Nov 2025: 1", "Dec 2025: 0", "Jan 2026: 2", "Feb 2026: 1", "Mar 2026: 1"]);
    const january = await owner.open(findLink(page, "Jan 2026"));
    expect(january.url).toContain("since=2026-01-01&until=2026-02-01");
    expect(january.html).toContain("2 records");
    expect(listBars(january.html)[0]).toBe("10 Jan 2026: 1");
    const day = await owner.open(findLink(january, "31 Jan 2026"));
    expect(day.html).toContain("1 record");
    expect((await owner.open(findLink(day, "Clear dates"))).html).toContain("5 records");
    expect((await owner.open(findLink(day, "Jan 2026"))).url).toBe(january.url);
  });

  it("[CSL-10] are also listed by source and year, and in a table for screen readers", async () => {
    const { html } = await owner.open(`${site}/explore?q=boiler`);
    expect(html).toMatch(/<bdi>Home<\/bdi> <span class="count">4<\/span>/);
    expect(html).toMatch(/<bdi>Work<\/bdi> <span class="count">1<\/span>/);
    expect(html).toMatch(/<bdi>2026<\/bdi> <span class="count">4<\/span>/);
    expect(html).not.toMatch(/<bdi>Shop<\/bdi>/);
    expect(html).toMatch(
      /<tr><th scope="row"><a href="[^"]+"><bdi>Jan 2026<\/bdi><\/a><\/th><td class="number">2<\/td><\/tr>/,
    );
  });

  it("[CSL-10] are limited to an impersonated grant, and missing when it exposes no date", async () => {
    const timed = await grantFor(["id", "sent_at", "text"]);
    const worn = await owner.open(`${site}/as/${timed}/explore?q=boiler`);
    expect(listBars(worn.html)).toEqual(["Nov 2025: 1", "Dec 2025: 0", "Jan 2026: 2", "Feb 2026: 0", "Mar 2026: 1"]);
    expect(worn.html).not.toContain("Work");
    const january = await owner.open(findLink(worn, "Jan 2026"));
    expect([january.url.startsWith(`${site}/as/${timed}/`), january.html.includes("2 records")]).toEqual([true, true]);
    const untimed = await grantFor(["id", "text"]);
    const without = await owner.open(`${site}/as/${untimed}/explore?q=boiler`);
    expect([listBars(without.html), without.html.includes("4 records")]).toEqual([[], true]);
  });

  it("[CSL-11] recognizes a date in the query, says so, and links back to the exact words", async () => {
    const page = await owner.open(`${site}/explore?q=boiler+since+January+2026`);
    const { searchParams } = new URL(page.url);
    expect(searchParams.get("q")).toBe("boiler");
    expect(searchParams.get("since")).toMatch(/^2026-01-01T/);
    expect(page.html).toContain("Limited to dates");
    expect(page.html).toContain("<h1><bdi>boiler since January 2026</bdi></h1>");
    expect(page.html).toContain("4 records");
    const words = await owner.open(findLink(page, "Search the exact words"));
    expect(new URL(words.url).searchParams.get("q")).toBe("boiler since January 2026");
    expect(words.html).not.toContain("Limited to dates");
    const any = await owner.open(findLink(page, "Clear dates"));
    expect(any.html).toContain("5 records");
    // Explicit dates take precedence, and the query stays as it is.
    const given = await owner.open(`${site}/explore?q=boiler+in+March&since=2025-01-01`);
    expect(new URL(given.url).searchParams.get("q")).toBe("boiler in March");
    const none = await owner.open(`${site}/explore?q=boiler+since+January+2027`);
    expect((await owner.open(findLink(none, "Search all dates for the exact words"))).html).toContain("boiler");
  });

  it("[CSL-11] [SRCH-50] names a time that is preferred, and links to the exact words", async () => {
    const page = await owner.open(`${site}/explore?q=boiler+2026-01-10`);
    expect(page.html).toContain("Records of this time come first: ");
    expect(page.html).not.toContain("Limited to dates");
    const words = await owner.open(findLink(page, "Search the exact words"));
    expect(new URL(words.url).searchParams.get("q")).toBe("boiler 2026-01-10");
    expect(words.html).not.toContain("Records of this time");
  });

  it("[CSL-11] says what else was searched for, and what was left out", async () => {
    const typo = await owner.open(`${site}/explore?q=boilr`);
    expect(typo.html).toContain("Also searched for boiler");
    const phrase = await owner.open(`${site}/explore?q=${encodeURIComponent('"boiler message"')}`);
    expect(phrase.html).toContain("word for word; its words were searched for.");
    const timed = await owner.open(`${site}/explore?q=boiler&since=2026-01-01`);
    expect(timed.html).not.toContain("stream ");
  });

  it("[CSL-15] links from a hit to the exact output that an agent gets for it", async () => {
    const id = await grantFor(["id", "sent_at", "text"]);
    const worn = await owner.open(`${site}/as/${id}/explore?q=boiler`);
    const record = await owner.open(findLink(worn, "the record chat_home/messages:b"));
    expect(record.html).toContain('id="tool-output"');
    expect(record.html).toMatch(/<code>fetch \{&quot;id&quot;:/);
    const passage = await owner.open(findLink(worn, "this passage of chat_home/messages:b"));
    expect(passage.html).toMatch(/<code>read_record_field /);
    const own = await owner.open(`${site}/explore?q=boiler`);
    expect((await owner.open(findLink(own, "Reader"))).url).toMatch(/\/as\/[^/]+\/explore\?q=boiler$/);
  });
});
