import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { findLink, readElementText, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../oauth/agent.ts";

describe.each(surfaceEngines)("impersonating a grant, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  let token: string;
  let id: string;
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  const callTool = async (name: string, args: object): Promise<string> => {
    const answer = await on.fetch(
      new Request(`${site}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
      }),
    );
    const { result } = (await answer.json()) as { result: { content: { text: string }[] } };
    return result.content[0]?.text ?? "";
  };
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    on = stage(vault);
    owner = await signInOwner(on);
    const streams = [{ name: "messages", connection_ids: ["chat_home"], fields: ["id", "sent_at", "text"] }];
    const issued = await openOwner().grants.issue({
      client: { name: "Reader <b>one</b>" },
      sources: [{ connector_key: "chat", streams }],
    });
    token = issued.token;
    id = issued.grants[0]?.grant_id ?? "";
  });
  afterAll(() => vault.drop());

  it("[CSL-8] starts from the agent's page, and keeps every link below the grant", async () => {
    const worn = await owner.open(findLink(await owner.open(`${site}/agents/${id}`), "See what it sees"));
    expect(worn.url).toBe(`${site}/as/${id}/explore`);
    expect(worn.html).toContain("Viewing as <strong><bdi>Reader &lt;b&gt;one&lt;/b&gt;</bdi></strong>");
    const found = await owner.open(`${worn.url}?q=message`);
    expect(found.html).toContain("30 records");
    const record = await owner.open(findLink(found, "messages, 2026"));
    expect(record.url).toContain(`/as/${id}/record?`);
    const table = await owner.open(findLink(record, "Home · Messages"));
    expect(table.url).toContain(`/as/${id}/stream?`);
  });

  it("[CSL-8] shows no name and no value outside of the grant", async () => {
    const pages = [
      "explore",
      "explore?q=message",
      `record?id=${encodeURIComponent("chat_home/messages:h00")}`,
      "stream?source=chat_home&stream=messages",
    ];
    for (const page of pages) {
      const { html, status } = await owner.open(`${site}/as/${id}/${page}`);
      expect([page, status]).toEqual([page, 200]);
      expect(html).not.toMatch(/Work|Shop|Channels|[Ss]ecret|[Ll]ikes|[Pp]inned|chat_work|general/);
    }
    for (const hidden of ["record?id=chat_work%2Fmessages%3Aw00", "stream?source=chat_home&stream=channels"]) {
      const { html, status } = await owner.open(`${site}/as/${id}/${hidden}`);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(html).not.toMatch(/message w00|General/);
    }
  });

  it("[CSL-9] shows the exact output that a client with the grant gets", async () => {
    // Cursors differ each time.
    const removeCursors = (text: string) => text.replace(/"cursor":"[^"]+"/g, "");
    const found = await owner.open(`${site}/as/${id}/explore?q=message`);
    expect(removeCursors(readElementText(found, "pre"))).toBe(
      removeCursors(await callTool("search", { query: "message" })),
    );
    const record = await owner.open(`${site}/as/${id}/record?id=${encodeURIComponent("chat_home/messages:h00")}`);
    expect(readElementText(record, "pre")).toBe(await callTool("fetch", { id: "chat_home/messages:h00" }));
    const table = await owner.open(`${site}/as/${id}/stream?source=chat_home&stream=messages`);
    const asked = { stream: "messages", connection_id: "chat_home" };
    expect(removeCursors(readElementText(table, "pre"))).toBe(removeCursors(await callTool("query_records", asked)));
  });

  it("[CSL-8] is not logged as a read of the agent", async () => {
    const before = (await openOwner().log.page({ kind: "read", limit: 100 })).entries.length;
    await owner.open(`${site}/as/${id}/explore?q=message`);
    expect((await openOwner().log.page({ kind: "read", limit: 100 })).entries.length).toBe(before);
  });

  it("[CSL-8] shows nothing once the grant has ended, and nothing of another owner's grant", async () => {
    await openOwner().grants.revoke(id);
    const found = await owner.open(`${site}/as/${id}/explore?q=message`);
    expect(found.html).toContain("which no longer has access");
    expect(found.html).not.toContain("message h");
    expect((await owner.open(`${site}/as/grt_of_nobody/explore`)).status).toBe(404);
  });
});
