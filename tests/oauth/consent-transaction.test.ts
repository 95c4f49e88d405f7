import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { findForm } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { sql } from "#server/store/engine/sql";
import { type Stage, someText, stage } from "./agent.ts";

/** Makes each write of a consent fail in turn. */
const failures = {
  "the library's grant": sql`CREATE TRIGGER injected BEFORE INSERT ON oauth_thing WHEN NEW.kind = 'Grant' BEGIN SELECT RAISE(ABORT, 'injected'); END`,
  "the answer to the client": sql`CREATE TRIGGER injected BEFORE UPDATE ON oauth_thing WHEN NEW.kind = 'Interaction' BEGIN SELECT RAISE(ABORT, 'injected'); END`,
  "the end of the earlier grant": sql`CREATE TRIGGER injected BEFORE UPDATE ON access_grant BEGIN SELECT RAISE(ABORT, 'injected'); END`,
};

describe("a consent whose writes fail", () => {
  let vault: TestVault;
  let on: Stage;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    await createSample(vault);
    on = stage(vault);
  });
  afterAll(() => vault.drop());

  it.each(Object.entries(failures))("[CON-3] leaves nothing behind when %s can't be written", async (_, trigger) => {
    const { engine } = vault.store;
    const api = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const agent = await on.register();
    await on.granted(agent);
    const describeState = async () => ({
      grants: await api.grants.list(),
      acts: (await api.log.page({ kind: "act", limit: 50 })).entries,
    });
    const owner = on.owner();
    const page = await on.consent(agent, owner);
    expect(findForm(page).fields.find(({ name }) => name === "replace")?.kind).toBe("ticked");
    const before = await describeState();

    await engine.write((tx) => tx.run(trigger));
    const failed = await owner.send(page, { ...someText, act: "allow" });
    expect(failed.status).toBe(500);
    expect(await describeState()).toEqual(before);

    await engine.write((tx) => tx.run(sql`DROP TRIGGER injected`));
    const retried = await owner.send(page, { ...someText, act: "allow" });
    const code = new URL(retried.url).searchParams.get("code") ?? "";
    expect((await agent.exchange(code)).status).toBe(200);
    const active = (await api.grants.list()).filter(
      ({ status, client }) => status === "active" && client.client_id === agent.clientId,
    );
    expect(active).toHaveLength(1);
  });
});
