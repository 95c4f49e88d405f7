import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createReadingThreads, type ReadingThreads } from "#server/http/threads/reading-threads";
import { type Stage, stage } from "../oauth/agent.ts";
import { connectionId, createLibrary, extraFields } from "./world.ts";

describe.each(engineNames)("the page of a large record on %s", (engine) => {
  let vault: TestVault;
  let threads: ReadingThreads;
  let on: Stage;
  let owner: Person;
  const bugs: unknown[] = [];
  beforeAll(async () => {
    vault = await createVault(engine);
    await createLibrary(vault);
    const { dataDir, databaseUrl, store } = vault;
    threads = createReadingThreads({ dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    on = stage(vault, [createApp({ store, threads, onBug: (error) => void bugs.push(error) })]);
    owner = await signInOwner(on);
  });
  afterAll(async () => {
    await threads.close();
    await vault.drop();
  });

  it("[CSL-83] shows every field when a thread reads it", async () => {
    const page = await owner.open(`${site}/record?id=${encodeURIComponent(`${connectionId}/papers:large`)}`);
    expect(bugs).toEqual([]);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    for (const name of extraFields) expect(page.html).toContain(`value of ${name}`);
    expect(page.html).toMatch(/cin_library%2Fnotes%3An\d/);
  });

  it("[CSL-84] shows an error page with the request id", async () => {
    const failing = createApp({
      store: vault.store,
      onBug: (error) => void bugs.push(error),
      threads: { ...threads, read: () => Promise.reject(new Error("the disk is on fire")) },
    });
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const open = (accept: string) =>
      failing.fetch(
        new Request(`${site}/record?id=${encodeURIComponent(`${connectionId}/papers:large`)}`, {
          headers: { cookie, accept, "request-id": "req_fire" },
        }),
      );
    const page = await open("text/html");
    const html = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"]);
    expect(html).toContain("req_fire");
    expect(html).not.toContain("on fire");
    expect(bugs.map(String)).toEqual(["Error: the disk is on fire"]);
    const program = await open("application/json");
    expect(await program.json()).toMatchObject({ error: { code: "api_error", request_id: "req_fire" } });
  });
});
