import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOwner } from "@pdpp/server/owner/owner";
import { addOwner } from "@pdpp/server/owner/owners";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSourceService } from "#collecting/service/source-service";
import { createApp } from "#server/app";
import { stage } from "../oauth/agent.ts";
import { buildMail } from "./folder-files.ts";

describe("a watched folder in the console", () => {
  let vault: TestVault;
  let service: ReturnType<typeof createSourceService>;
  let folder: string;
  beforeEach(async () => {
    vault = await createVault("sqlite");
    const { store, dataDir } = vault;
    const onBug = (error: unknown): never => {
      throw error;
    };
    service = createSourceService({ store, dataDir, env: {}, isScheduled: false, onBug });
    folder = join(dataDir, "Exports");
    mkdirSync(folder);
    writeFileSync(join(folder, "mail.mbox"), buildMail(1) + buildMail(2));
  });
  afterEach(async () => {
    await service.close();
    await vault.drop();
  });
  const open = (ownDisk: boolean): Promise<Person> =>
    signInOwner(stage(vault, [createApp({ store: vault.store, sources: service, ownDisk })]));
  const listSources = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).sources.list();

  it("[CSL-167] is added by a form, and shows what its runs imported", async () => {
    const owner = await open(true);
    const form = await owner.open(`${site}/sources/add?kind=folder`);
    expect(form.html).toContain("now and whenever something changes");
    for (const [path, words] of [
      ["Exports", "Use an absolute path"],
      [join(folder, "none"), "is not a folder"],
    ] as const) {
      const refused = await owner.send(form, { "field path": path, "field absent": "delete" }, "/sources/add");
      expect([refused.status, refused.html]).toEqual([400, expect.stringContaining(words)]);
      expect(refused.html).toContain(`value="${path}"`);
      expect(refused.html).toMatch(/value="delete" selected/);
    }
    const added = await owner.send(form, { "field path": folder, "field absent": "keep" }, "/sources/add");
    expect(added.url).toBe(`${site}/source/exports`);
    await expect.poll(async () => (await owner.open(added.url)).html).toContain("2 new");
    const { html } = await owner.open(added.url);
    expect(html).toMatch(/<h1><bdi>Exports<\/bdi><\/h1>/);
    for (const words of [folder, "Their records stay", "1 file"]) expect(html).toContain(words);
    expect((await owner.open(`${site}/sources`)).html).toMatch(/Exports[\s\S]*Watched folder[\s\S]*Up to date/);
  });

  it("[CSL-33] [CSL-167] is not offered remotely, nor when several owners share the vault", async () => {
    const send = async (owner: Person, path: string) => {
      const page = await owner.open(`${site}/sources/add`);
      expect(page.html).not.toContain("kind=folder");
      expect(page.html).toContain("source add folder PATH");
      const other = await owner.open(`${site}/browsers`);
      const forged = {
        ...other,
        html: other.html.replaceAll("/browsers/", "/x/").replace("/sign-out", "/sources/add"),
      };
      const given = { kind: "folder", "field path": path, "field absent": "keep" };
      return owner.send(forged, given, "/sources/add");
    };
    const remote = await open(false);
    await addOwner(vault.store, "ben", Date.now());
    const shared = await open(true);
    for (const path of [folder, "/no/such/folder"]) {
      expect(await send(remote, path)).toMatchObject({ status: 403, html: /accepts remote connections/ });
      expect(await send(shared, path)).toMatchObject({ status: 403, html: /several owners/ });
    }
    expect(await listSources()).toEqual([]);
  });
});
