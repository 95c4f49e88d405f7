import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, origin, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { type Stage, stage } from "../oauth/agent.ts";

describe.each(surfaceEngines)("access history, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  let api: OwnerApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    on = stage(vault);
    owner = await signInOwner(on);
    api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  });
  afterAll(() => vault.drop());

  const connectAgent = async (name: string) => {
    const { token, grants } = await api.grants.issue({ ...everything, client: { name } });
    return { token, id: grants[0]?.grant_id ?? "" };
  };
  const get = async (token: string, path: string): Promise<void> => {
    const app = createApp({ store: vault.store });
    const answer = await app.fetch(new Request(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } }));
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.arrayBuffer();
  };
  const formatRecordUrl = (id: string) => `/v1/streams/messages/records/${id}?connection_id=chat_home`;
  const openRecordPage = (id: string, more = "") =>
    owner.open(`${site}/record?id=${encodeURIComponent(`chat_home/messages:${id}`)}${more}`);
  const findSection = ({ html }: { readonly html: string }, id: string): string =>
    html
      .slice(html.indexOf(`<section id="${id}">`))
      .split("</section>")[0]
      ?.replace(/<[^>]+>/g, "")
      .replace(/\s+/g, " ") ?? "";

  it("[CSL-60] says on a record's page who has read it, and links to the agent", async () => {
    expect(findSection(await openRecordPage("h03"), "readers")).toContain("No agent has read this record.");
    const [claude, other] = [await connectAgent("Claude <b>Code</b>"), await connectAgent("Other")];
    for (let n = 0; n < 3; n += 1) await get(claude.token, formatRecordUrl("h03"));
    await get(other.token, formatRecordUrl("h03"));
    const page = await openRecordPage("h03");
    expect(findSection(page, "readers")).toContain("Other, once, just now");
    expect(findSection(page, "readers")).toContain("Claude &lt;b&gt;Code&lt;/b&gt;, 3 times, last just now");
    expect(findLink(page, "Other")).toBe(`${site}/agents/${other.id}`);
    // The owner's own views are not logged as reads.
    expect(findSection(await openRecordPage("h04"), "readers")).toContain("No agent has read this record.");
  });

  it("[CSL-60] distinguishes possible reads, and marks the owner's own tokens", async () => {
    const many = Array.from({ length: 400 }, (_, i) => buildMessage(`x${i}`, i));
    await putRecords(vault, "chat_home", "messages", many);
    const { token } = await connectAgent("Copier");
    await get(token, "/v1/export?stream=messages&connection_id=chat_home");
    const text = findSection(await openRecordPage("x99"), "readers");
    expect(text).toMatch(/Copier May have read it: one response isn&#39;t listed record by record, just now/);
    const { token: mine } = await api.tokens.create({ name: "my script" });
    await get(mine, formatRecordUrl("h06"));
    expect(findSection(await openRecordPage("h06"), "readers")).toContain("my script your own token, once, just now");
  });

  it("[CSL-61] lists an agent's records in their current version, and counts deleted ones", async () => {
    const { token, id } = await connectAgent("Reader");
    const openPage = () => owner.open(`${site}/agents/${id}`);
    expect(findSection(await openPage(), "records")).toContain("None.");
    for (const each of ["h10", "h11", "h10"]) await get(token, formatRecordUrl(each));
    await get(token, "/v1/streams/channels/records/general?connection_id=chat_home");
    await putRecords(vault, "chat_home", "messages", [buildMessage("h10", 40)]);
    const text = findSection(await openPage(), "records");
    const places = ["General", "messages: message h10", "messages: message h11"].map((title) => text.indexOf(title));
    expect([places, [...places].sort((a, b) => a - b)]).toEqual([places, places]);
    expect(places[0]).toBeGreaterThan(0);
    expect(text).toContain("messages: message h10 Home · Messages · 2 times, last just now");
    expect(findLink(await openPage(), "General")).toBe(`${site}/record?id=chat_home%2Fchannels%3Ageneral`);
    await api.records.delete({ stream: "messages", connection_id: "chat_home", record_id: "h11" });
    await get(token, "/v1/export?stream=messages&connection_id=chat_home");
    const later = findSection(await openPage(), "records");
    expect(later).toContain("Showing the latest");
    expect(later).toContain("One response (such as an export) isn&#39;t listed record by record.");
  });

  it("[CSL-60, CSL-61] says how far back a long log was searched, and continues from there", async () => {
    const { token, id } = await connectAgent("Early");
    await get(token, formatRecordUrl("h20"));
    const busy = {
      ownerNo: 1,
      at: Date.now(),
      requestId: "many",
      client: "Busy",
      grantIds: ["grt_busy"],
      operation: "schema",
      connectionIds: [],
      stream: null,
      status: 200,
      records: 0,
      bytes: 1,
    };
    for (let n = 0; n < 20_000; n += 1) vault.store.log.note(busy);
    const newest = await openRecordPage("h20");
    expect(findSection(newest, "readers")).toMatch(/No reads in this part of the log\.\s*Searched the log back to/);
    const further = await owner.open(findLink(newest, "Search further back").replace(/#.*/, ""));
    expect(findSection(further, "readers")).toMatch(/Early, once.*No older entries in the log\./);
    const agentPage = await owner.open(`${site}/agents/${id}`);
    const before = await owner.open(findLink(agentPage, "Search further back").replace(/#.*/, ""));
    expect(findSection(before, "records")).toContain("messages: message h20");
  });
});
