import type { GrantRequest } from "@pdpp/contract/grant";
import { type OwnerApi, undoRevocationMs } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, now, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyRevocations, getRevocationsFile, readRevocations } from "#server/store/access/revocations";
import { stage } from "../oauth/agent.ts";

const both: GrantRequest = {
  client: { name: "Undone" },
  sources: [
    { connector_key: "chat", streams: [{ name: "*" }] },
    { connector_key: "shop", streams: [{ name: "order_lines" }] },
  ],
};

describe.each(surfaceEngines)("undoing a revocation, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let clock = now;
  let owner: OwnerApi;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => clock });
  });
  afterAll(() => vault.drop());

  const issue = async () => {
    const { token, package_id, grants } = await owner.grants.issue(both);
    return { token, id: package_id ?? "", grantIds: grants.map(({ grant_id }) => grant_id) };
  };
  const readStatus = async (token: string) => (await world.call(token, "/v1/streams")).status;
  const tooLate = { code: "permission_error" };

  it("[CSL-87] refuses the agent at once, and restores the same token within the window", async () => {
    const { token, id } = await issue();
    expect(await readStatus(token)).toBe(200);
    await owner.grants.revoke(id);
    expect(await readStatus(token)).toBe(403);
    // A second click on Revoke changes nothing.
    clock += 5000;
    await owner.grants.revoke(id);
    clock += undoRevocationMs - 5000;
    await owner.grants.undoRevoke(id);
    expect(await readStatus(token)).toBe(200);
    const acts = (await owner.log.page({ kind: "act", limit: 3 })).entries.map(({ operation }) => operation);
    expect(acts).toEqual(["grant.restore", "grant.revoke", "grant.revoke"]);
  });

  it("[CSL-87] refuses to undo after the window, before the revocation, and twice", async () => {
    const { token, id } = await issue();
    await expect(owner.grants.undoRevoke(id)).rejects.toMatchObject(tooLate);
    await owner.grants.revoke(id);
    clock -= 1;
    await expect(owner.grants.undoRevoke(id)).rejects.toMatchObject(tooLate);
    clock += 1;
    await owner.grants.undoRevoke(id);
    await expect(owner.grants.undoRevoke(id)).rejects.toMatchObject(tooLate);
    await owner.grants.revoke(id);
    clock += undoRevocationMs + 1;
    await expect(owner.grants.undoRevoke(id)).rejects.toMatchObject(tooLate);
    expect(await readStatus(token)).toBe(403);
  });

  it("[CSL-87] restores what that revocation ended, and nothing that ended before", async () => {
    const { token, id, grantIds } = await issue();
    const [first = "", second = ""] = grantIds;
    await owner.grants.revoke(first);
    clock += 1000;
    await owner.grants.revoke(id);
    await owner.grants.undoRevoke(id);
    const held = await owner.grants.list();
    const statuses = grantIds.map((each) => held.find(({ grant_id }) => grant_id === each)?.status);
    expect(statuses).toEqual(["revoked", "active"]);
    await owner.grants.revoke(second);
    expect(await readStatus(token)).toBe(403);
    await owner.grants.undoRevoke(second);
    expect(await readStatus(token)).toBe(200);
  });

  it("[CSL-87] belongs to one owner", async () => {
    const { id } = await issue();
    await owner.grants.revoke(id);
    const other = createOwner({ store: vault.store, ownerNo: 2, now: () => clock });
    await expect(other.grants.undoRevoke(id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("[CSL-87] lets an agent that signed in refresh again, but never revives a stolen token", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const tokens = await on.granted(agent);
    const grants = () => createOwner({ store: vault.store, ownerNo: 1, now: on.now }).grants;
    const id = (await grants().list()).at(-1)?.package_id ?? "";
    const call = async (token: string) => (await agent.mcp(token, "tools/list")).status;
    await grants().revoke(id);
    expect([await call(tokens.access_token), (await agent.refresh(tokens.refresh_token)).status]).toEqual([403, 400]);
    await grants().undoRevoke(id);
    expect(await call(tokens.access_token)).toBe(200);
    const refreshed = await agent.refresh(tokens.refresh_token);
    expect(refreshed.status).toBe(200);
    // A used refresh token that comes back later was stolen: the server revokes the package itself.
    on.wait(40_000);
    expect((await agent.refresh(tokens.refresh_token)).status).toBe(400);
    await expect(grants().undoRevoke(id)).rejects.toMatchObject(tooLate);
  });
});

it("[CSL-87] stays undone when the vault is opened again, and revoked when it was revoked again", async () => {
  const vault = await createVault("sqlite");
  try {
    await createSample(vault);
    let clock = now;
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: () => clock });
    const { package_id: id = "" } = await owner.grants.issue(both);
    const readFile = () => readRevocations(getRevocationsFile(vault.dataDir));
    await owner.grants.revoke(id);
    expect((await readFile()).map((each) => each.id)).toEqual([id]);
    await owner.grants.undoRevoke(id);
    expect(await readFile()).toEqual([]);
    expect(await applyRevocations(vault.store.engine, await readFile())).toBe(0);
    clock += 1000;
    await owner.grants.revoke(id);
    expect((await readFile()).map((each) => each.id)).toEqual([id]);
  } finally {
    await vault.drop();
  }
});
