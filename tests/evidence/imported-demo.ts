import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { serve } from "@pdpp/server/main";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import { type RunResult, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { issueGrant } from "#server/auth/issue";
import { buildArchives, exportedOn } from "../../programs/demo-archives/archives.ts";
import type { World } from "../mcp/hosts/world.ts";
import { listLeaves, type Texts } from "./demo-set.ts";

/** The demo household's archives, imported into an empty vault with the real command, and served. */
export async function openImportedDemo(): Promise<
  World & { readonly ran: RunResult; readonly texts: Map<string, Texts> }
> {
  const directory = mkdtempSync(join(tmpdir(), "pdpp-archives-"));
  const [folder, dataDir] = [join(directory, "archives"), join(directory, "vault")];
  mkdirSync(folder);
  for (const [name, content] of await buildArchives()) {
    writeFileSync(join(folder, name), content);
    utimesSync(join(folder, name), exportedOn, exportedOn);
  }
  const given = ["--time-zone", "Europe/Berlin", "--me", "Ada Brambleby", "--yes", "--json"];
  const ran = await runPdpp(["import", folder, "--data-dir", dataDir, ...given]);
  const { token, texts } = await granted(dataDir);
  const running = await serve({ dataDir, port: 0, host: "127.0.0.1" });
  return {
    url: running.url,
    token,
    ran,
    texts,
    async close() {
      await running.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A token with full access, and the texts of every record. */
async function granted(dataDir: string): Promise<{ token: string; texts: Map<string, Texts> }> {
  const store = await openStore({ dataDir });
  try {
    const now = exportedOn.getTime();
    const { connectors } = await store.catalog();
    const sources = [...connectors.keys()].map((key) => ({ connector_key: key, streams: [{ name: "*" }] }));
    const { token } = await issueGrant(store, 1, { client: { name: "agent" }, sources }, now);
    const texts = new Map<string, Texts>();
    const reader = await createOwner({ store, ownerNo: 1, now: () => now }).reader();
    for await (const { connection_id, connector_key, stream, id, data } of reader.export({})) {
      const fields = connectors.get(connector_key)?.streams.get(stream)?.declaration.fields ?? [];
      texts.set(formatHandle({ connectionId: connection_id, stream, recordId: id }), {
        searchable: fields
          .filter(({ lexical }) => lexical)
          .map(({ name }) => data[name])
          .filter((value) => typeof value === "string"),
        whole: listLeaves(data).join(" | "),
      });
    }
    return { token, texts };
  } finally {
    await store.close();
  }
}
