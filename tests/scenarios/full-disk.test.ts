import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccessDocument } from "@pdpp/contract/owner";
import { serve } from "@pdpp/server/main";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { fillDisk, mountSmallDisk } from "@pdpp/test-support/processes/small-disk";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, putRecords } from "@pdpp/test-support/vaults/sample";
import { createPerson } from "@pdpp/test-support/web/person";
import { describe, expect, it } from "vitest";
import { writeTar } from "../importers/archives/tar-writer.ts";

it("[LOG-7] releases the reserved disk space for a revocation on a full disk, and reserves it again", async () => {
  const vault = await createVault("sqlite");
  try {
    await createSample(vault);
    const reserve = join(vault.dataDir, "reserve");
    const { engine } = vault.store;
    const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
    let isFull = false;
    const write: typeof engine.write = (work) =>
      isFull && statSync(reserve).size > 0 ? Promise.reject(full) : engine.write(work);
    const store = { ...vault.store, engine: { ...engine, write } };
    const owner = createOwner({ store, ownerNo: 1, now: () => now });
    const { grants } = await owner.grants.issue(everything);
    const { token_id } = await owner.tokens.create({ name: "script" });
    expect(statSync(reserve).size).toBe(1024 * 1024);
    isFull = true;
    await expect(owner.grants.issue(everything)).rejects.toThrow("full");
    expect(await owner.grants.revoke(grants[0]?.grant_id ?? "")).toMatchObject({ status: "revoked" });
    expect(statSync(reserve).size).toBe(1024 * 1024);
    expect(await owner.tokens.revoke(token_id)).toMatchObject({ status: "revoked" });
  } finally {
    await vault.drop();
  }
});

describe("on a really full disk", () => {
  it("[LOG-2] [LOG-7] logs reads, revokes a grant and loses no log entry", async (context) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return context.skip("a small disk can be mounted by root only");
    const dataDir = join(disk.path, "vault");
    try {
      const store = await openStore({ dataDir });
      const world = await createSample({ store, dataDir } as TestVault);
      await putRecords({ store, dataDir } as TestVault, "chat_home", "messages", [buildMessage("last", 1)]);
      const token = await world.grant(everything);
      const owner = createOwner({ store, ownerNo: 1, now: Date.now });
      const { token: other, grants } = await owner.grants.issue(everything);
      const held = await owner.grants.issue(everything);
      await store.close();
      const running = await serve({ dataDir, port: 0, host: "127.0.0.1", strictLog: true });
      const ask = async (as: string, id: string) => {
        const headers = { authorization: `Bearer ${as}`, "request-id": id };
        const response = await fetch(`${running.url}/v1/streams/messages/records?limit=3`, { headers });
        await response.text();
        return response.status;
      };
      fillDisk(disk.path);
      for (let n = 0; n < 300; n += 1) expect(await ask(token, `full-${n}`)).toBe(200);
      expect(await ask(other, "other")).toBe(200);
      const revoked = await runPdpp(["grant", "revoke", grants[0]?.grant_id ?? "", "--data-dir", dataDir]);
      expect([revoked.code, revoked.stderr]).toEqual([0, ""]);
      expect(await ask(other, "refused")).toBe(403);
      rmSync(join(disk.path, "filler"));
      await running.close();
      const listed = await runPdpp(["log", "--json", "--limit", "1000", "--data-dir", dataDir]);
      const entries: AccessDocument[] = JSON.parse(listed.stdout).data;
      const ids = entries.map(({ request_id }) => request_id);
      expect(Array.from({ length: 300 }, (_, n) => `full-${n}`).filter((id) => !ids.includes(id))).toEqual([]);
      expect(entries.filter(({ operation }) => operation === "grant.revoke")).toHaveLength(1);
      expect((await runPdpp(["log", "verify", "--data-dir", dataDir])).code).toBe(0);
      // The server has stopped, and the disk is full again.
      fillDisk(disk.path);
      const again = await runPdpp(["grant", "revoke", held.grants[0]?.grant_id ?? "", "--data-dir", dataDir]);
      expect([again.code, again.stderr]).toEqual([0, ""]);
    } finally {
      disk.unmount();
    }
  });

  it("[KEEP-7] makes a sign-in link that works", async (context) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return context.skip("a small disk can be mounted by root only");
    const dataDir = join(disk.path, "vault");
    const makeLink = () => runPdpp(["sign-in", "--json", "--data-dir", dataDir]);
    try {
      const running = await serve({ dataDir, port: 0, host: "127.0.0.1" });
      fillDisk(disk.path);
      const made = await makeLink();
      expect([made.code, made.stderr]).toEqual([0, ""]);
      const code = /sign-in#([\w-]+)/.exec(made.stdout)?.[1] ?? "";
      const person = createPerson(
        (request) => fetch(request, { redirect: "manual" }),
        () => false,
      );
      const page = await person.send(await person.open(`${running.url}/sign-in`), { code });
      expect([page.status, page.url.includes("sign-in")]).toEqual([200, false]);
      rmSync(join(disk.path, "filler"));
      await running.close();
      // The server has stopped, and the disk is full again.
      await (await openStore({ dataDir })).close();
      fillDisk(disk.path);
      const again = await makeLink();
      expect([again.code, again.stderr]).toEqual([0, ""]);
    } finally {
      disk.unmount();
    }
  });

  it("[IMP-7] reports that an archive cannot be unpacked, and does not call it damaged", async (context) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return context.skip("a small disk can be mounted by root only");
    const folder = mkdtempSync(join(tmpdir(), "pdpp-full-"));
    try {
      const archive = join(folder, "a.tar");
      writeFileSync(archive, writeTar([{ name: "a.txt", content: Buffer.alloc(30_000_000) }]));
      const { code, stderr } = await runPdpp(["import", archive, "--dry-run", "--data-dir", join(folder, "vault")], {
        env: { TMPDIR: disk.path },
      });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/no space left in .* free some/)]);
      expect(readdirSync(disk.path)).toEqual([]);
    } finally {
      disk.unmount();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
