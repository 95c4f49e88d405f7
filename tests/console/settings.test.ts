import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@pdpp/server/store/store";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSignInCode } from "#server/auth/sessions";
import { restore, verifyBackup } from "#server/backup/backup";
import { finishRemovals } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";
import { addOwner } from "#server/owner/owners";
import { sql } from "#server/store/engine/sql";
import { type Stage, stage } from "../oauth/agent.ts";

const day = 86_400_000;

describe.each(surfaceEngines)("settings, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  const home = mkdtempSync(join(tmpdir(), "pdpp-settings-"));
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(async () => {
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(async () => {
    await vault.drop();
    rmSync(home, { recursive: true, force: true });
  });
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: on.now });
  const readCsrfToken = ({ html }: VisitedPage): string => /name="csrf_token" value="([^"]+)"/.exec(html)?.[1] ?? "";
  /** Submits a form that returns a file. */
  const downloadFile = async (path: string, form: Record<string, string> = {}): Promise<Response> => {
    const csrfToken = readCsrfToken(await owner.open(`${site}/settings`));
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = new URLSearchParams({ csrf_token: csrfToken, ...form });
    return on.fetch(new Request(`${site}${path}`, { method: "POST", headers: { cookie, origin: site }, body }));
  };
  const listExported = async (of = openOwner()): Promise<string[]> => {
    const lines: string[] = [];
    for await (const record of (await of.reader()).export({})) lines.push(JSON.stringify(record));
    return lines;
  };

  it("[CSL-41] shows browsers, sources, storage, tokens and shortcuts, and redirects from /browsers", async () => {
    const { html } = await owner.open(`${site}/settings`);
    for (const shown of ["This browser", "Passkeys", ">Home<", ">Work<", "Database", "<kbd>j</kbd>"])
      expect(html).toContain(shown);
    expect(html).toMatch(/<dt>Database<\/dt><dd>\d[\d.]* [kMG]B<\/dd>/);
    expect((await owner.open(`${site}/browsers`)).url).toBe(`${site}/settings`);
    const { database_bytes, files } = await openOwner().storage();
    expect(database_bytes).toBeGreaterThan(10_000);
    expect(files).toMatchObject({ is_whole: true });
  });

  it("[CSL-79] sets the owner's time zone, which records and hits show with its offset", async () => {
    const page = await owner.open(`${site}/settings`);
    expect(page.html).toContain("Same as the server (UTC)");
    const after = await owner.send(page, { zone: "Europe/Berlin" }, "/settings/time-zone");
    expect(after.html).toContain("Time zone saved.");
    expect(after.html).toContain('<option selected="">Europe/Berlin</option>');
    const local =
      /<time datetime="2026-05-01T12:00\+02:00" title="2026-05-01T10:00:00.000Z">1 May 2026, 12:00 <span data-offset="\+02:00">\+02:00<\/span><\/time>/;
    expect((await owner.open(`${site}/record?id=chat_home%2Fmessages%3Ah00`)).html).toMatch(local);
    expect((await owner.open(`${site}/explore?q=h00`)).html).toMatch(local);
    const refused = await downloadFile("/settings/time-zone", { zone: "Atlantis" });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("not a time zone")]);
    await owner.send(await owner.open(`${site}/settings`), { zone: "" }, "/settings/time-zone");
    expect(await openOwner().self()).toMatchObject({ is_time_zone_set: false });
  });

  it("[CSL-41] revokes an API token", async () => {
    const { token, token_id } = await openOwner().tokens.create({ name: "Collector" });
    const call = () => on.fetch(new Request(`${site}/v1/streams`, { headers: { authorization: `Bearer ${token}` } }));
    expect((await call()).status).toBe(200);
    const page = await owner.open(`${site}/settings`);
    expect(page.html).toContain("Collector");
    expect(page.html).not.toContain(token);
    const after = await owner.send(page, {}, `/settings/tokens/${token_id}/revoke`);
    expect(after.html).toContain("Token revoked");
    expect((await call()).status).toBe(401);
  });

  it("[CSL-42] creates a backup that can be restored, with and without a passphrase", async () => {
    for (const passphrase of ["", "correct horse"]) {
      const answer = await downloadFile("/settings/backup", { passphrase, again: passphrase });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="vault-\d{4}-\d\d-\d\d\.pdpp"$/);
      const file = join(home, `${engine}-${passphrase.length}.pdpp`);
      writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));
      const dataDir = join(home, `${engine}-${passphrase.length}`);
      const given = passphrase === "" ? {} : { passphrase };
      if (passphrase !== "") await expect(verifyBackup(file)).rejects.toThrow("is encrypted");
      await restore({ dataDir }, file, [], given);
      const store = await openStore({ dataDir });
      try {
        expect(await listExported(createOwner({ store, ownerNo: 1, now: on.now }))).toEqual(await listExported());
      } finally {
        await store.close();
      }
    }
    expect((await owner.open(`${site}/activity?kind=act`)).html).toContain("downloaded a backup");
  });

  it("[CSL-42] rejects passphrases that differ, and a second backup at the same time", async () => {
    const slip = await downloadFile("/settings/backup", { passphrase: "one", again: "two" });
    expect([slip.status, (await slip.text()).includes("passphrases don&#39;t match")]).toEqual([400, true]);
    const first = await downloadFile("/settings/backup");
    const second = await downloadFile("/settings/backup");
    expect([first.status, second.status]).toEqual([200, 503]);
    await first.body?.cancel();
    const downloadAgain = async () => {
      const { status, body } = await downloadFile("/settings/backup");
      await body?.cancel();
      return status;
    };
    await expect.poll(downloadAgain).toBe(200);
  });

  it("[CSL-42] stops a backup when its browser is signed out", async () => {
    const large = "x".repeat(200_000);
    await putRecords(vault, "chat_work", "messages", [
      ...Array.from({ length: 40 }, (_, i) => ({
        data: { id: `large${i}`, sent_at: "2026-01-01T00:00:00Z", text: `${large}${i}` },
      })),
    ]);
    const answer = await downloadFile("/settings/export");
    const reader = answer.body?.getReader();
    await reader?.read();
    await owner.send(await owner.open(`${site}/settings`), {}, "/sign-out");
    await new Promise((waited) => setTimeout(waited, 150));
    let rest = "";
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
      rest += new TextDecoder().decode(read.value);
    expect(rest.slice(-300)).toContain("this browser was signed out");
    await openOwner().records.delete({ connection_id: "chat_work", stream: "messages" });
  });

  it("[CSL-43] exports every record as a line", async () => {
    const answer = await downloadFile("/settings/export");
    expect(answer.headers.get("content-disposition")).toMatch(/records-\d{4}-\d\d-\d\d\.ndjson/);
    expect((await answer.text()).trimEnd().split("\n")).toEqual(await listExported());
    expect((await owner.open(`${site}/activity?kind=act`)).html).toContain("exported all records");
  });

  it("[CSL-44] deletes old versions and log entries, and reports from the log how many", async () => {
    await putRecords(vault, "chat_home", "messages", [
      { data: { id: "h00", sent_at: "2026-05-01T08:00:00.000Z", text: "said anew", channel_id: "c0" } },
    ]);
    on.wait(2 * day);
    owner = await signInOwner(on);
    const page = await owner.open(`${site}/settings`);
    const before = new Date(on.now()).toISOString().slice(0, 10);
    const after = await owner.send(page, { before }, "/settings/prune-versions");
    expect(after.html).toMatch(/Deleted \d+ old versions?\./);
    expect((await owner.open(after.url)).html).toMatch(/Deleted \d+ old version/);
    expect((await owner.open(`${site}/record?id=chat_home%2Fmessages%3Ah00`)).html).toContain("said anew");
    for (const made of ["/settings?did=999999", "/settings?did=1e3", "/settings?did=<b>"])
      expect((await owner.open(`${site}${made}`)).html).not.toContain('class="done"');
    const log = await owner.send(page, { before }, "/settings/prune-log");
    expect(log.html).toMatch(/Deleted \d+ log (entry|entries)/);
    const future = await owner.send(page, { before: "2999-01-01" }, "/settings/prune-log");
    expect([future.status, future.html.includes("Choose a date in the past")]).toEqual([400, true]);
  });

  it("[CSL-45] renames a source", async () => {
    const settings = await owner.open(`${site}/settings`);
    const page = await owner.open(findLink(settings, "Shop"));
    const after = await owner.send(page, { name: "  Corner <b>shop</b> " }, "/settings/rename-source");
    expect(after.html).toContain("Source renamed");
    expect(after.html).toContain("Corner &lt;b&gt;shop&lt;/b&gt;");
    expect((await owner.open(`${site}/`)).html).toContain("Corner &lt;b&gt;shop");
    const empty = await owner.send(page, { name: "   " }, "/settings/rename-source");
    expect(empty.status).toBe(400);
    await owner.send(page, { name: "Shop" }, "/settings/rename-source");
  });

  it("[CSL-46] finishes a deletion that a stopped server left, in steps, with the data already hidden", async () => {
    const source = await openOwner().connections.add({ connector_key: "chat", connection_id: "chat_half" });
    const many = Array.from({ length: 1500 }, (_, i) => buildMessage(`m${i}`, i % 60));
    await putRecords(vault, source.connection_id, "messages", many);
    const listRows = () =>
      vault.store.engine.read((reading) =>
        reading.one<{ n: number }>(sql`SELECT count(*) AS n FROM r_1 WHERE key LIKE 'm%'`),
      );
    // As if the process stopped right after the first step.
    const stopped = {
      ...vault.store,
      engine: { ...vault.store.engine, yieldToWriters: () => Promise.reject(new Error("stopped")) },
    };
    const half = createOwner({ store: stopped, ownerNo: 1, now: on.now });
    await expect(half.connections.remove("chat_half")).rejects.toThrow("stopped");
    expect((await listRows())?.n).toBe(500);
    expect((await owner.open(`${site}/settings`)).html).toContain("still being cleared");
    expect((await openOwner().connections.list()).map(({ connection_id }) => connection_id)).not.toContain("chat_half");
    await finishRemovals(vault.store, on.now());
    expect((await listRows())?.n).toBe(0);
    expect((await owner.open(`${site}/settings`)).html).not.toContain("still being cleared");
  });

  it("[CSL-46] says what is deleted and what is kept, and deletes only after the name was typed", async () => {
    const agent = await on.register({ client_name: "Shopper", redirect_uris: ["http://localhost:41234/callback"] });
    const { access_token } = await on.granted(agent, { account: ["chat_home"], part: ["chat_home/messages/text"] });
    const list = () =>
      agent.mcp(access_token, "tools/call", { name: "query_records", arguments: { stream: "messages" } });
    expect(await (await list()).text()).toContain("message h29");
    const page = await owner.open(`${site}/settings/delete-source?id=chat_home`);
    for (const shown of ["What will be deleted", "30", "May 2026", "Shopper", "What is kept", "The activity log"])
      expect(page.html).toContain(shown);
    const wrong = await owner.send(page, { name: "home!" }, "/settings/delete-source");
    expect(wrong.html).toContain("That doesn&#39;t match the name");
    const none = await owner.send(page, { name: "" }, "/settings/delete-source");
    expect(none.html).toContain("That doesn&#39;t match the name");
    expect((await openOwner().connections.get("chat_home")).record_count).toBeGreaterThan(0);
    const after = await owner.send(page, { name: " Home " }, "/settings/delete-source");
    expect(after.html).toMatch(/Source deleted, with 3\d records/);
    expect((await owner.open(`${site}/`)).html).not.toMatch(/<bdi>Home</);
    expect(await (await list()).text()).not.toContain("message h");
    expect((await owner.open(`${site}/activity?client=Shopper`)).html).toContain("listed");
    expect(after.html).toContain(">Work<");
    expect((await owner.open(page.url)).status).toBe(404);
    await expect.poll(async () => (await openOwner().storage()).is_clearing).toBe(false);
  });
});

describe.each(surfaceEngines)("a vault with two owners, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  const people: Person[] = [];
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    await addOwner(vault.store, "Bea", Date.now());
    on = stage(vault);
    for (const no of [1, 2]) {
      const person = on.owner();
      await person.send(await person.open(`${site}/sign-in`), {
        code: await createSignInCode(vault.store, no, on.now()),
      });
      people.push(person);
    }
    const bea = createOwner({ store: vault.store, ownerNo: 2, now: on.now });
    await bea.connections.add({ connector_key: "chat", connection_id: "chat_bea", display_name: "Bea's chat" });
    const line = JSON.stringify({ data: { id: "b1", sent_at: "2026-05-01T08:00:00Z", text: "of Bea" } });
    await bea.records.ingest(
      { connection_id: "chat_bea", stream: "messages" },
      (async function* () {
        yield Buffer.from(`${line}\n`);
      })(),
    );
  });
  afterAll(() => vault.drop());

  it("[CSL-40] says on each page who is signed in, with the full navigation", async () => {
    for (const path of ["/", "/explore", "/agents", "/activity", "/settings"]) {
      const [first, bea] = await Promise.all(people.map((person) => person.open(`${site}${path}`)));
      expect(bea?.html).toContain("Signed in as </span><bdi>Bea</bdi>");
      expect(first?.html).not.toContain("<bdi>Bea</bdi>");
      expect(first?.html).toContain("Signed in as ");
      for (const room of ["/", "/explore", "/day", "/agents", "/activity", "/sources", "/settings"])
        expect(bea?.html).toContain(`<a href="${room}"`);
      expect(bea?.html).toContain('<details class="menu">');
    }
  });

  it("[CSL-41] [CSL-42] reveals no sizes of another owner's data, and offers no backup", async () => {
    const page = (await people[1]?.open(`${site}/settings`)) ?? {
      html: "",
      url: "",
      status: 0,
      headers: new Headers(),
    };
    expect(page.html).not.toContain("Database");
    expect(page.html).toContain("pdpp backup FILE");
    const csrfToken = /name="csrf_token" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const form = `<form action="/settings/backup"><input name="csrf_token" value="${csrfToken}"></form>`;
    const refused = await people[1]?.send({ ...page, html: form }, {}, "/settings/backup");
    expect([refused?.status, refused?.html.includes("every owner")]).toEqual([403, true]);
  });

  it("[CSL-47] deletes everything of one owner after a typed sentence, and nothing of the other's", async () => {
    const ada = people[0];
    const page = await ada?.open(`${site}/settings/delete-everything`);
    if (ada === undefined || page === undefined) throw new Error("nobody is signed in");
    const agent = await on.register({ client_name: "Reader", redirect_uris: ["http://localhost:41234/callback"] });
    const { access_token } = await on.granted(agent);
    const wrong = await ada.send(page, { sentence: "delete something" }, "/settings/delete-everything");
    expect(wrong.html).toContain("Type exactly");
    const openOwner = (no: number) => createOwner({ store: vault.store, ownerNo: no, now: on.now });
    expect(await openOwner(1).connections.list()).toHaveLength(3);
    const after = await ada.send(page, { sentence: "Delete  everything" }, "/settings/delete-everything");
    expect(after.html).toContain("Everything was deleted: 55 records");
    expect(await openOwner(1).connections.list()).toEqual([]);
    expect((await agent.mcp(access_token, "tools/list")).status).toBe(403);
    expect((await ada.open(`${site}/`)).html).toContain("Your vault is empty");
    expect((await ada.open(`${site}/activity`)).html).toContain("deleted everything");
    expect((await openOwner(2).connections.list()).map(({ record_count }) => record_count)).toEqual([1]);
    await expect.poll(async () => (await openOwner(1).storage()).is_clearing).toBe(false);
  });
});
