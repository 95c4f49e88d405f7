import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, now, putRecords } from "@pdpp/test-support/vaults/sample";
import { afterEach, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { dumpEverything as contentsOf } from "../store/vault.ts";

/** Index pages split and merge at these sizes, and a moved entry may leave a copy. */
const amounts = [380, 400, 401, 420];

describe("deleted data among other records, on sqlite", () => {
  let vault: TestVault;
  afterEach(() => vault.drop());

  it.each(amounts)("[KEEP-1] is in none of the files, with %i other records", async (many) => {
    vault = await createVault("sqlite");
    await createSample(vault);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now + 7_200_000 });
    await owner.connections.add({ connector_key: "chat", connection_id: "chat_gone" });
    const others = Array.from({ length: many }, (_, i) => buildMessage(`x${String(i).padStart(3, "0")}`, i));
    await putRecords(vault, "chat_home", "messages", others);
    await putRecords(vault, "chat_home", "messages", [buildMessage("later", 1)]);
    const buildMarked = (id: string) => buildMessage(id, 1, { text: `zqxtext of ${id}`, secret: "zqxsecret" });
    await putRecords(vault, "chat_home", "messages", [buildMarked("zqxkey-1"), buildMarked("zqxkey-2")]);
    await putRecords(vault, "chat_gone", "messages", [buildMarked("zqxkey-3")]);
    for (const record_id of ["zqxkey-1", "zqxkey-2"])
      await owner.records.delete({ stream: "messages", connection_id: "chat_home", record_id });
    await owner.records.prune(now + 9_000_000);
    await owner.connections.remove("chat_gone");
    await vault.reopen();
    expect(/zqx(text|key|secret)[ -~]*/.exec(await contentsOf(vault))?.[0]).toBeUndefined();
  });
});
