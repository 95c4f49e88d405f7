import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { findForm } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { stage } from "../oauth/agent.ts";

describe.each(surfaceEngines)("a specific request, on %s", (engine) => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  afterAll(() => vault.drop());

  const allowRequest = async (streams: readonly object[], given: Record<string, string> = {}) => {
    const on = stage(vault);
    const owner = on.owner();
    const detail = { type: "https://pdpp.dev/data-access", source: { id: "chat" }, streams };
    const more = { authorization_details: JSON.stringify([detail]) };
    const page = await on.consent(await on.register(), owner, more);
    const answered = await owner.send(page, { ...given, act: "allow" });
    const grants = await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).grants.list();
    return { page, status: answered.status, streams: grants.at(-1)?.streams };
  };

  it("[PAG-8] does not grant an account for a stream it was not requested for", async () => {
    const { page, streams } = await allowRequest([
      { name: "messages", fields: ["text"], instance_ids: ["chat_work"] },
      { name: "channels", fields: ["title"], instance_ids: ["chat_home"] },
    ]);
    expect(streams).toMatchObject([
      { name: "channels", connection_ids: ["chat_home"] },
      { name: "messages", connection_ids: ["chat_work"] },
    ]);
    const parts = findForm(page).fields.filter(({ name }) => name === "part");
    expect(parts.map(({ value }) => value)).toEqual(["chat_home/channels/headings", "chat_work/messages/text"]);
  });

  it("[PAG-8] starts at the later of two times, across time zones", async () => {
    const since = "2026-05-01T00:30:00+14:00";
    const { streams } = await allowRequest([{ name: "messages", time_range: { since } }], { since: "2026-05-01" });
    expect(streams).toMatchObject([{ time_constraint: { since: "2026-05-01" } }]);
  });

  it("[PAG-8] grants nothing when it ends before the start that the owner chose", async () => {
    const asked = [{ name: "messages", time_range: { until: "2026-03-01" } }];
    expect((await allowRequest(asked, { since: "2026-04-01" })).status).toBe(422);
  });
});
