import { maxPersonIdentities } from "@pdpp/contract/people";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadDemo } from "#server/demo/load-demo";
import { deleteTraces, replaceTraces } from "#server/store/traces/person-traces";
import { type Stage, stage } from "../../oauth/agent.ts";

/** The page without markup, on one line. */
const readText = ({ html }: VisitedPage): string =>
  html
    .slice(html.indexOf("<main"))
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ");

describe.each(surfaceEngines)("the pages of people, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await loadDemo(vault.store, Date.now());
    await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).people.derive();
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(() => vault.drop());
  const openNoor = async () => {
    const found = await owner.open(`${site}/people?q=noor@tidewater.example.net`);
    return owner.open(findLink(found, "Noor Achterwald"));
  };

  it("[CSL-95] lists people by last contact and finds one by name or address", async () => {
    const all = await owner.open(`${site}/people`);
    expect(all.status).toBe(200);
    expect(all.html.length).toBeLessThan(200_000);
    expect(readText(all)).toContain("Heinz Brambleby");
    expect(all.html).toContain('aria-current="page"');
    const next = await owner.open(findLink(all, "Show more"));
    expect(readText(next)).not.toContain("heinz.brambleby@example.net");
    const found = await owner.open(`${site}/people?q=Noor`);
    expect(readText(found)).toContain("noor@tidewater.example.net");
    expect(readText(await owner.open(`${site}/people?q=nobodyhasthisname`))).toContain("Nobody found");
  });

  it("[CSL-147] tells people of the same name apart by their sources", async () => {
    const text = readText(await owner.open(`${site}/people?q=Ada+Brambleby`));
    for (const source of ["Photos", "Chat"])
      expect(text).toMatch(new RegExp(`Ada Brambleby\\d+ things from ${source}`));
  });

  it("[CSL-96] shows facts, months, sources and the newest records, and mentions apart", async () => {
    const page = await openNoor();
    const text = readText(page);
    for (const shown of [
      "26 Oct 2026",
      "8 Jan 2026",
      "things from 3 sources",
      "Ada's work mail",
      "Known as",
      "Mail 51",
      "Contacts 1",
    ])
      expect(text).toContain(shown.replace("'", "&#39;"));
    expect(page.html).toMatch(/aria-label="By month: 51, most in/);
    expect(page.html.length).toBeLessThan(200_000);
    const mail = await owner.open(findLink(page, "Re: Two ferry lines would like the harmonic solver"));
    expect(mail.status).toBe(200);
    expect(mail.html).toContain("Noor Achterwald");
    const more = await owner.open(findLink(page, "Show 20 more"));
    expect(more.html.split("<li>").length).toBeGreaterThan(page.html.split("<li>").length);
    const mentions = await owner.open(findLink(page, "Mentions"));
    expect(readText(mentions)).toContain("they are not counted");
    expect(readText(mentions)).toContain("Mentioned by name");
  });

  it("[CSL-97] asks one question, joins after the answer, and undoes it", async () => {
    const page = await openNoor();
    expect(page.html.match(/Same person/g)).toHaveLength(1);
    expect(readText(page)).toContain("Is this Noor?");
    const joined = await owner.send(page, {}, "/person/same");
    expect(joined.html).not.toContain("Is this");
    expect(readText(joined)).toContain("are one person");
    expect(readText(joined)).toContain("things from 4 sources");
    const apart = await owner.send(joined, {}, "/person/undo");
    expect(readText(apart)).toContain("things from 3 sources");
    expect(readText(apart)).toContain("Is this Noor?");
    const other = await owner.send(apart, {}, "/person/different");
    expect(readText(other)).toContain("are different people");
    expect((await openNoor()).html).not.toContain("Is this");
    await owner.send(other, {}, "/person/undo");
    expect((await openNoor()).html).toContain("Is this");
  });

  it("[CSL-156] asks in the list about equal names, joins after the answer, and undoes it", async () => {
    const getQuestions = (page: VisitedPage) => page.html.match(/class="attention ask"/g)?.length ?? 0;
    const url = `${site}/people?q=Noor+Achterwald`;
    const countEntries = (page: VisitedPage) => page.html.match(/<h2><a href="person/g)?.length ?? 0;
    const list = await owner.open(url);
    const before = countEntries(list);
    expect([before > 1, getQuestions(list)]).toEqual([true, 1]);
    expect(readText(list)).toMatch(/Same person\?Noor Achterwald appears in .*\(noor@tidewater.* and in /);
    const joined = await owner.send(list, {}, "/person/same");
    expect(new URL(joined.url).pathname).toBe("/people");
    expect(readText(joined)).toContain("are one person");
    expect(countEntries(await owner.open(url))).toBe(before - 1);
    const apart = await owner.send(joined, {}, "/person/undo");
    expect(new URL(apart.url).pathname).toBe("/people");
    const again = await owner.open(url);
    expect([countEntries(again), getQuestions(again)]).toEqual([before, 1]);
    const other = await owner.send(again, {}, "/person/different");
    expect(readText(other)).toContain("are different people");
    expect(getQuestions(await owner.open(url))).toBe(0);
    await owner.send(other, {}, "/person/undo");
    expect(getQuestions(await owner.open(url))).toBe(1);
    // Many names are listed more than once; a few questions at a time.
    expect(getQuestions(await owner.open(`${site}/people`))).toBe(3);
    const hostile = await owner.open(`${site}/people?did=%3Cscript%3E`);
    expect([hostile.status, hostile.html.includes("<script>")]).toEqual([200, false]);
  });

  it("[CSL-98] merges with a preview, and splits off what belongs to somebody else", async () => {
    const page = await openNoor();
    const search = await owner.open(findLink(page, "Merge with…"));
    const found = await owner.open(`${search.url}&q=Kino`);
    const preview = await owner.open(findLink(found, "Kino Bollwerk"));
    expect(readText(preview)).toContain("These become one person");
    expect(readText(preview)).toContain("programm@kino-bollwerk.example.com");
    expect(readText(await openNoor())).not.toContain("kino-bollwerk");
    const merged = await owner.send(preview, {}, "/person/same");
    expect(readText(merged)).toContain("programm@kino-bollwerk.example.com");
    const identity = "email:programm@kino-bollwerk.example.com";
    const split = await owner.send(merged, { identity }, "/person/split");
    expect(readText(split)).toContain("programm@kino-bollwerk.example.com is not");
    expect(readText(split)).not.toMatch(/programm@kino-bollwerk\.example\.com\d/);
  });

  it("[CSL-99] says who can read People, and shows an agent's view without buttons", async () => {
    expect(readText(await openNoor())).toContain("No agent can read People");
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const { grants } = await api.grants.issue({
      client: { name: "Address book" },
      purpose: "x",
      sources: [
        { connector_key: "people", streams: [{ name: "people", fields: ["id", "display_name", "last_contact"] }] },
      ],
    });
    expect(readText(await openNoor())).toContain("Address book can read People");
    const list = await owner.open(`${site}/as/${grants[0]?.grant_id}/people`);
    expect(readText(list)).toContain("Noor Achterwald");
    const { url } = await openNoor();
    const seen = await owner.open(url.replace("/person", `/as/${grants[0]?.grant_id}/person`));
    expect(readText(seen)).toContain("Noor Achterwald");
    expect(readText(seen)).not.toContain("noor@tidewater.example.net");
    expect(seen.html).not.toContain("Merge with");
    const other = await api.grants.issue({
      client: { name: "Mail reader" },
      purpose: "x",
      sources: [{ connector_key: "mail", streams: [{ name: "*" }] }],
    });
    const denied = await owner.open(`${site}/as/${other.grants[0]?.grant_id}/people`);
    expect(readText(denied)).toContain("Nobody. This access does not include people.");
    expect(denied.html).not.toContain("<p>Nobody yet");
    expect((await owner.open(url.replace("/person", `/as/${other.grants[0]?.grant_id}/person`))).html).not.toContain(
      "Noor",
    );
  });

  it("[CSL-95] [PPL-4] says when as many identities are known as are kept, to the owner only", async () => {
    const says = "Some people may be missing: your vault keeps at most 50,000 names, addresses and numbers.";
    expect(readText(await owner.open(`${site}/people`))).not.toContain(says);
    const nowhere = { ownerNo: 1, connectionNo: 1_000_000, streamNo: 1_000_000 };
    const held = { trace: "{}", records: "[]" };
    await vault.store.engine.write(async (on) => {
      for (let from = 0; from < maxPersonIdentities; from += 5000) {
        const identities = Array.from({ length: 5000 }, (_, i) => `email:x${from + i}@x.example`);
        await replaceTraces(
          on,
          nowhere,
          identities.map((identity) => ({ identity, held })),
        );
      }
    });
    expect(readText(await owner.open(`${site}/people`))).toContain(says);
    const { grants } = await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).grants.issue({
      client: { name: "Address book" },
      purpose: "x",
      sources: [{ connector_key: "people", streams: [{ name: "people" }] }],
    });
    const seen = await owner.open(`${site}/as/${grants[0]?.grant_id}/people`);
    expect([readText(seen).includes("Noor"), readText(seen).includes(says)]).toEqual([true, false]);
    await vault.store.engine.write((on) => deleteTraces(on, nowhere));
    expect(readText(await owner.open(`${site}/people`))).not.toContain(says);
  });
});
