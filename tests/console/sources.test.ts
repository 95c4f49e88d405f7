import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { readElementText, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { createSampleSources, type SampleSources } from "@pdpp/test-support/web/sample-sources";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseManifest } from "#contract/manifest/manifest";
import { locationManifest } from "#importers/locations/manifest";
import { createApp } from "#server/app";
import { stage } from "../oauth/agent.ts";

const failOnBug = (error: unknown): never => {
  throw error;
};

describe.each(surfaceEngines)("the pages of sources, on %s", (engine) => {
  let vault: TestVault;
  let api: OwnerApi;
  let owner: Person;
  let service: SampleSources["service"];
  let saved: SampleSources["saved"];
  beforeAll(async () => {
    vault = await createVault(engine);
    api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const { store, dataDir } = vault;
    const sample = createSampleSources({ store, dataDir, onBug: failOnBug });
    ({ service, saved } = sample);
    owner = await signInOwner(stage(vault, [createApp({ store: vault.store, sources: sample.service })]));
  });
  afterAll(async () => {
    await service.close();
    await vault.drop();
  });
  const page = `${site}/source/sample`;
  const open = () => owner.open(page);
  const until = async (text: string): Promise<VisitedPage> => {
    await expect.poll(async () => (await open()).html, { interval: 50 }).toContain(text);
    return open();
  };
  const send = (given: Record<string, string>, action: string) =>
    open().then((shown) => owner.send(shown, given, `/source/sample/${action}`));

  it("[CSL-162] offers no runs for a source that only receives", async () => {
    await api.connectors.register(parseManifest(locationManifest));
    await api.connections.add({ connector_key: "location", connection_id: "phone" });
    const settings = { accepts: "location" };
    await api.sources.add({ source_id: "phone", kind: "push", connection_id: "phone", settings });
    for (const path of ["/sources", "/source/phone"]) {
      const { html } = await owner.open(`${site}${path}`);
      expect(html).toContain("Nothing received yet");
      for (const absent of ["Run now", "Full resync", "Change the schedule"]) expect(html).not.toContain(absent);
    }
    expect((await owner.open(`${site}/source/phone`)).html).toContain("/v1/push/<bdi>phone");
    await api.sources.remove("phone");
    await api.connections.remove("phone");
  });

  it("[CSL-163] offers the fields of a manifest, and says what is missing without losing the rest", async () => {
    const empty = await owner.open(`${site}/sources`);
    expect(empty.html).toContain("No sources yet");
    const kinds = await owner.open(`${site}/sources/add`);
    expect(kinds.html).toContain("&lt;b&gt;mail&lt;/b&gt;");
    const form = await owner.open(`${site}/sources/add?kind=sample`);
    for (const shown of ["Email address", "App password", "Folder", "(optional)", 'type="password"'])
      expect(form.html).toContain(shown);
    const given = { "field account": "ada@example.org", "field password": "right-horse", label: "Work mail" };
    const refused = await owner.send(form, { ...given, "field account": "" }, "/sources/add");
    expect([refused.status, readElementText(refused, "p")]).toMatchObject([400, expect.any(String)]);
    expect(refused.html).toContain("Enter a value for &quot;Email address&quot;.");
    expect(refused.html).toContain('value="Work mail"');
    expect(refused.html).not.toContain("right-horse");
    expect(await api.sources.list()).toEqual([]);
  });

  it("[CSL-160] [CSL-163] [CSL-165] [CSL-166] adds it, collects it, and asks for another password when it is wrong", async () => {
    const form = await owner.open(`${site}/sources/add?kind=sample`);
    const given = { "field account": "ada@example.org", "field password": "wrong-horse", label: "Work mail" };
    const added = await owner.send(form, given, "/sources/add");
    expect(added.url).toBe(page);
    const failed = await until("Needs a new password");
    expect(failed.html).toContain("The server refused [secret].");
    expect(failed.html).not.toContain("wrong-horse");
    const list = await owner.open(`${site}/sources`);
    expect(list.html).toMatch(/Needs a new password[\s\S]*\/source\/sample#credentials/);
    // [CSL-166] Home says so in its line of attention, and beside the source.
    const { html: home } = await owner.open(`${site}/`);
    expect(home).toMatch(
      /aria-label="Needs attention"><p><bdi>[^<]*Work mail[^<]*<\/bdi>: <bdi>Needs a new password\.<\/bdi>/,
    );
    expect(home.split('class="home-sources"')[1]).toContain("Needs a new password");
    const nothing = await send({ "field account": "x", "field password": "" }, "credentials");
    expect([nothing.status, nothing.html.includes("Enter a value for &quot;App password&quot;.")]).toEqual([400, true]);
    const renewed = await send({ "field account": "ada@example.org", "field password": "right-horse" }, "credentials");
    expect(renewed.url).toBe(page);
    expect(saved.get("sample")).toEqual({ PASSWORD: "right-horse" });
  });

  it("[CSL-164] passes a one-time code on to the connector, once", async () => {
    const asked = await until("It asks for a one-time code");
    expect(asked.html).toContain("Enter the &lt;i&gt;code&lt;/i&gt; we sent");
    expect(asked.html).toMatch(/Answer within [34] minutes/);
    expect((await owner.send(asked, { question: "other", "field code": "1" }, "/source/sample/answer")).status).toBe(
      404,
    );
    const empty = await owner.send(asked, { "field code": "", act: "answer" }, "/source/sample/answer");
    expect(empty.status).toBe(400);
    const answered = await owner.send(asked, { "field code": "271828", act: "answer" }, "/source/sample/answer");
    expect([answered.status, answered.url]).toEqual([200, page]);
    const done = await until("Up to date, just now");
    expect(done.html).not.toContain("271828");
    expect((await owner.send(asked, { "field code": "1", act: "answer" }, "/source/sample/answer")).status).toBe(404);
    const reader = await api.reader();
    const { data } = await reader.queryRecords({ stream: "notes", connection_id: "sample", limit: 10 });
    expect(JSON.stringify(data)).toContain("success 271828");
  });

  it("[CSL-161] lists runs with what was skipped and put aside, and why", async () => {
    const { html } = await open();
    expect(html).toContain("1 new");
    expect(html).toMatch(/Skipped <bdi>tasks<\/bdi>: <bdi>no access to tasks<\/bdi>/);
    const [, run = ""] = /href="(\/import\/[^"]+)#aside">1 record put aside/.exec(html) ?? [];
    const report = await owner.open(`${site}${run}`);
    expect([report.status, report.html.includes("count")]).toEqual([200, true]);
    expect(html).toContain("Failed");
  });

  it("[CSL-162] [CSL-164] runs, declines, resyncs, pauses, reschedules and removes", async () => {
    await send({}, "run");
    const asked = await until("It asks for a one-time code");
    await owner.send(asked, { act: "decline" }, "/source/sample/answer");
    await until("Up to date");
    const full = await open();
    await owner.send(full, { full: "1" }, "/source/sample/run");
    await until("It asks for a one-time code");
    expect((await send({}, "cancel")).status).toBe(200);
    expect(await until("(full resync)")).toMatchObject({ html: expect.stringContaining("Stopped") });

    expect((await send({}, "pause")).html).toContain("It is not collected until you resume it.");
    expect((await owner.open(`${site}/sources`)).html).toContain("When resumed");
    expect((await owner.send(full, {}, "/source/sample/run")).status).toBe(400);
    expect((await send({}, "resume")).html).toContain("Resumed.");
    const changed = await send({ every: "21600", from: "23:00", to: "07:00" }, "schedule");
    expect(changed.html).toContain("every 6 hours, not between 23:00 and 07:00");
    expect((await send({ every: "3600", from: "23:00", to: "" }, "schedule")).status).toBe(400);
    expect((await send({ every: "manual", from: "", to: "" }, "schedule")).html).toContain("only by hand");

    expect((await send({ confirmed: "" }, "remove")).status).toBe(400);
    const removed = await send({ confirmed: "1" }, "remove");
    expect(removed.url).toMatch(`${site}/sources?did=`);
    expect(removed.html).toContain("Its records are still here.");
    expect(removed.html).toMatch(/Imported or added by hand[\s\S]*Work mail/);
    expect(await api.sources.list()).toEqual([]);
    expect((await open()).status).toBe(404);
    const activity = await owner.open(`${site}/activity`);
    for (const act of ["paused a source", "changed when a source is collected", "stopped collecting a source"])
      expect(activity.html).toContain(act);
  });
});
