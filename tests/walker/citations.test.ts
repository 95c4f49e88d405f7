import type { SearchList } from "@pdpp/contract/wire";
import { type Connected, connect } from "@pdpp/test-support/mcp/clients";
import { awkwardIds, createMcpWorld, type McpWorld, vaultSecret } from "@pdpp/test-support/mcp/world";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { readElementText, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { type Stage, stage } from "../oauth/agent.ts";

/** Follows citation URLs, as the owner and as a stranger. */
describe("citations", () => {
  let world: McpWorld;
  let on: Stage;
  let owner: Person;
  let client: Connected;
  beforeAll(async () => {
    world = await createMcpWorld(await createVault("sqlite", vaultSecret));
    client = await connect({ transport: "stdio", era: "modern" }, world.url, world.token);
    on = stage(world.vault);
    owner = await signInOwner(on);
  });
  afterAll(async () => {
    await client.close();
    await world.close();
  });

  const hits = async (q: string) =>
    (await world.json<SearchList>(world.token, `/v1/search?q=${encodeURIComponent(q)}&limit=20`)).data;

  it("[EVI-34] [CSL-80] opens the page of every record by its URL, whatever its id", async () => {
    const ids = ["chat_home/messages:h01", "attic/documents:saga", ...awkwardIds.map((id) => `attic/documents:${id}`)];
    for (const id of ids) {
      const { url, title } = (await client.call("fetch", { id })).structuredContent;
      expect(url.startsWith(`${site}/record/`)).toBe(true);
      const page = await owner.open(url);
      expect([id, page.status, readElementText(page, "h1")]).toEqual([id, 200, title]);
      expect(page.html).toContain(`<code>${id.replace(/["'&<>]/g, (c) => entities[c] ?? c)}</code>`);
    }
  });

  it("[EVI-34] [CSL-80] highlights the matched words at a hit's URL, anywhere in the text", async () => {
    for (const query of ["boiler", "bergamot", "marzipan"]) {
      const [hit] = await hits(query);
      const { url } = (await client.call("search", { query })).structuredContent.results[0];
      expect(url).toBe(hit!.citation_url);
      expect(url).not.toContain(world.token);
      const page = await owner.open(url);
      // A hit's title leaves out what its passage shows; the page has the record's own.
      const { title } = (await client.call("fetch", { id: hit!.id })).structuredContent;
      expect(readElementText(page, "h1")).toBe(title);
      expect(readElementText(page, "mark")).toBe(query);
      expect(page.html).toContain("Read in context");
    }
  });

  it("[CSL-80] shows the record without a highlight when the passage is wrong, and the cited version when it has changed", async () => {
    const url = `${site}/record/attic/documents:saga`;
    for (const at of ["", "?at=content:1-2@99", "?at=nothing:1-2@1", "?at=content:999999-9999999@1", "?at=<script>"]) {
      const page = await owner.open(`${url}${at}`);
      expect([at, page.status, readElementText(page, "h1")]).toEqual([at, 200, "Subject of saga"]);
      expect(page.html).not.toContain("<mark>");
    }
    await world.write("edited", { content: "The old text names a walnut." });
    const [hit] = await hits("walnut");
    await world.write("edited", { content: "Nothing of it is left." });
    const page = await owner.open(hit!.citation_url!);
    expect(readElementText(page, "mark")).toBe("walnut");
    expect(page.html).toContain("Nothing of it is left.");
    expect((await owner.open(`${site}/record/attic/documents:never`)).status).toBe(404);
    expect((await owner.open(`${site}/record/attic`)).status).toBe(404);
  });

  it("[CSL-80] shows the sign-in page without a session, whether or not the record exists", async () => {
    const [hit] = await hits("bergamot");
    const there = hit!.citation_url!;
    const bodies = new Set<string>();
    for (const url of [there, there.replace("documents:saga", "documents:none"), there.replace("attic", "cellar")]) {
      const stranger = on.owner();
      const page = await stranger.open(url);
      const path = new URL(url).pathname + new URL(url).search;
      expect(page.url).toBe(`${site}/sign-in?next=${encodeURIComponent(path)}`);
      expect(page.html).not.toContain("Subject of saga");
      // Passkey challenges are never equal.
      bodies.add(page.html.replaceAll(path, "PATH").replace(/data-options="[^"]*"/, ""));
      if (url !== there) continue;
      const signedIn = await stranger.send(page, { code: await on.code() });
      expect([readElementText(signedIn, "h1"), readElementText(signedIn, "mark")]).toEqual([
        "Subject of saga",
        "bergamot",
      ]);
    }
    expect(bodies.size).toBe(1);
  });

  it("[EVI-34] uses the public URL if there is one", async () => {
    const app = createApp({ store: world.vault.store, publicUrl: "https://vault.example.org/" });
    const request = new Request("https://vault.example.org/v1/streams/documents/records/saga?view=document", {
      headers: { authorization: `Bearer ${world.token}` },
    });
    const document = (await (await app.fetch(request)).json()) as { citation_url: string };
    expect(document.citation_url).toBe("https://vault.example.org/record/attic/documents:saga");
  });
});

const entities: Readonly<Record<string, string>> = {
  '"': "&quot;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};
