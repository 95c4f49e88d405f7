import type { FieldWindow, SearchResult } from "@pdpp/contract/wire";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { connect, listen } from "@pdpp/test-support/mcp/clients";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadDemo } from "#server/demo/load-demo";
import { type Stage, stage } from "../oauth/agent.ts";

/**
 * The demo has an invoice whose total appears only in its PDF. Searching for it must find it and lead to the text, on
 * every surface.
 */
describe("[SRCH-40] [BIG-7] the demo's PDF invoice", () => {
  let vault: TestVault;
  let on: Stage;
  let token: string;
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    token = await loadDemo(vault.store, Date.now());
    on = stage(vault);
    server = await listen(on.fetch);
  });
  afterAll(async () => {
    await server.close();
    await vault.drop();
  });

  const q = "Gesamtbetrag Sicherheitsventil";
  const total = "486,71";
  const attachment = /^cin_notes_ada\/attachments:/;

  const json = async <T>(path: string): Promise<T> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await on.fetch(new Request(new URL(path, site), { headers }));
    return (await response.json()) as T;
  };

  it("is found and read over REST", async () => {
    const { data } = await json<{ data: SearchResult[] }>(`/v1/search?q=${encodeURIComponent(q)}`);
    const [first] = data;
    expect(first).toMatchObject({ id: expect.stringMatching(attachment), matched_fields: ["blob_ref{text}"] });
    const [evidence] = first?.evidence ?? [];
    expect(evidence?.preview).toContain(total);
    const window = await json<FieldWindow>(evidence?.read?.url ?? "");
    expect(window).toMatchObject({ field: { path: "blob_ref{text}", media_type: "application/pdf", reduced: true } });
    expect(window.window.text).toContain("Kessel & Sohn Heizungsbau");
  });

  it("is found and read over MCP", async () => {
    const client = await connect({ transport: "http", era: "modern" }, server.url, token);
    try {
      const found = await client.call("search", { query: q });
      expect(found.text).toContain(total);
      expect(found.text).toContain('"field_path":"blob_ref{text}"');
      const id = /"id":"(cin_notes_ada\/attachments:[^"]+)"/.exec(found.text)?.[1];
      const read = await client.call("read_record_field", { id, field_path: "blob_ref{text}" });
      expect(read.text).toContain("Kessel & Sohn Heizungsbau");
    } finally {
      await client.close();
    }
  });

  it("is found and read on the command line", async () => {
    const options = { env: { PDPP_ACCESS_TOKEN: token, PDPP_PROVIDER_URL: server.url } };
    const found = await runPdpp(["read", "search", q], options);
    expect(found.stdout).toContain(total);
    const { data } = await json<{ data: SearchResult[] }>(`/v1/search?q=${encodeURIComponent(q)}`);
    const read = await runPdpp(["read", "field-window", data[0]?.id ?? "", "--field", "blob_ref{text}"], options);
    expect(read.stdout).toContain("Kessel & Sohn Heizungsbau");
  });

  it("is found and shown in the console", async () => {
    const owner = await signInOwner(on);
    const found = await owner.open(`${site}/explore?q=${encodeURIComponent(q)}`);
    expect(found.html).toContain(total);
    expect(found.html).toContain("<mark>Gesamtbetrag</mark>");
  });
});
