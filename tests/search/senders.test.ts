import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { openReader } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whatsapp } from "#importers/formats/whatsapp/whatsapp";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";

/** Who wrote a chat message is searched like its text, as far as the grant shows it. */

const messages = [
  ["m1", "Oona", "the tent is packed"],
  ["m2", "Piet", "the tent leaks"],
  ["m3", "Piet", "Oona, bring rope"],
].map(([id, sender_name, text], n) => ({
  data: {
    ...{ id, sender_name, text, conversation_id: `chat-${n}`, kind: "message" },
    sent_at: `2026-03-0${n + 1}T10:00:00Z`,
  },
}));

describe.each(engineNames)("senders of chats on %s", (engine) => {
  let vault: TestVault;
  let whole: ReadApi;
  let nameless: ReadApi;

  beforeAll(async () => {
    vault = await createVault(engine);
    const manifest = parseManifest(whatsapp.manifest);
    await vault.store.register(manifest, 0);
    await addConnection(vault.store, 1, { connectorKey: manifest.connectorKey, id: "phone" }, 0);
    await putRecords(vault, "phone", "messages", messages);
    const grant = async (fields?: string[]) => {
      const streams = [{ name: "messages", ...(fields && { fields }) }];
      const request = { client: { name: "t" }, sources: [{ connector_key: manifest.connectorKey, streams }] };
      return openReader(vault.store, (await issueGrant(vault.store, 1, request, 0)).token);
    };
    whole = await grant();
    nameless = await grant(["id", "text", "conversation_id", "sent_at"]);
  });
  afterAll(() => vault.drop());

  const search = async (reader: ReadApi, q: string) =>
    (await reader.search({ q })).data.map(({ record_key, score }) => ({ id: record_key, score: score?.value }));

  it("[SRCH-45] finds messages by their sender", async () => {
    expect((await search(whole, "what did Oona say about the tent"))[0]?.id).toBe("m1");
    expect((await search(whole, "Oona")).map(({ id }) => id).sort()).toEqual(["m1", "m3"]);
  });

  it("[SRCH-45] [AUT-4] neither matches nor scores a sender outside the grant", async () => {
    expect((await search(nameless, "Oona")).map(({ id }) => id)).toEqual(["m3"]);
    expect(await search(nameless, "Piet")).toEqual([]);
    expect(await search(nameless, "Piet tent")).toEqual(await search(nameless, "tent"));
    expect(await search(whole, "Piet tent")).not.toEqual(await search(whole, "tent"));
  });
});
