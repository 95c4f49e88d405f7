import { PdppError } from "@pdpp/contract/errors";
import { isoOf } from "@pdpp/contract/instant";
import type { CatalogConnector } from "@pdpp/server/store/catalog/catalog";
import type { Store } from "@pdpp/server/store/store";
import type { Command } from "commander";
import { command, does } from "../command.ts";
import { type ManifestFile, readManifests } from "../manifest-files.ts";
import { connectorText } from "../render/connector.ts";
import { type Progress, showProgress } from "../render/progress.ts";
import { table } from "../render/table.ts";
import { withVault } from "../vault.ts";

export function addConnector(program: Command): void {
  const group = command(program, "connector", "Kinds of sources: what their data looks like", [
    "pdpp connector add notes.json",
  ]);
  const add = command(group, "add <file...>", "Register manifests, or newer versions of them", [
    "pdpp connector add notes.json mail.json",
  ]);
  does(add, async ({ out, location }, files: string[]) => {
    const manifests = await readManifests(files);
    const data = await withVault(location, async (store) => {
      const added = [];
      for (const manifest of manifests) added.push(await register(store, manifest));
      await reindex(store);
      return added;
    });
    out.result({ object: "list", data }, () =>
      data
        .map(
          ({ status, connector_key, version, streams }) =>
            `${status} ${connector_key} ${version} (${streams.join(", ")})`,
        )
        .join("\n"),
    );
    if (data.some(({ status }) => status === "registered"))
      out.remark(`next: pdpp connection add ${data[0]!.connector_key}`);
  });

  const list = command(group, "list", "The registered connectors", ["pdpp connector list"]);
  does(list, async ({ out, location }) => {
    const { connectors } = await withVault(location, (store) => store.catalog());
    const data = [...connectors.values()].map(summaryOf);
    out.result({ object: "list", data }, (style) =>
      data.length === 0
        ? "no connectors yet; add one with pdpp connector add FILE"
        : table(
            style,
            ["CONNECTOR", "VERSION", "NAME", "STREAMS"],
            data.map((c) => [c.connector_key, c.version, c.display_name, c.streams.join(", ")]),
          ),
    );
  });

  const show = command(group, "show <key>", "One connector with its streams and fields", ["pdpp connector show notes"]);
  does(show, async ({ out, location }, key: string) => {
    const { connectors } = await withVault(location, (store) => store.catalog());
    const connector = connectors.get(key);
    if (connector === undefined) {
      const known = [...connectors.keys()].join(", ") || "none yet; add one with pdpp connector add";
      throw new PdppError("not_found", `there is no connector ${JSON.stringify(key)}; registered: ${known}`, {
        param: "connector_key",
      });
    }
    out.result({ ...summaryOf(connector), manifest: connector.declaration.manifest }, (style) =>
      connectorText(style, connector),
    );
  });
}

function summaryOf({ declaration, registeredAt, reindexing }: CatalogConnector) {
  return {
    object: "connector" as const,
    connector_key: declaration.connectorKey,
    connector_id: declaration.connectorId,
    display_name: declaration.displayName,
    version: declaration.version,
    streams: declaration.streams.map(({ name }) => name),
    registered_at: isoOf(registeredAt),
    ...(reindexing === undefined ? {} : { reindexing }),
  };
}

async function register(store: Store, { file, declaration }: ManifestFile) {
  const before = (await store.catalog()).connectors.get(declaration.connectorKey)?.declaration.manifest;
  try {
    await store.register(declaration, Date.now());
  } catch (error) {
    if (error instanceof PdppError) throw new PdppError(error.code, `${file}: ${error.message}`, error.details);
    throw error;
  }
  const same = JSON.stringify(before) === JSON.stringify(declaration.manifest);
  return {
    object: "connector" as const,
    connector_key: declaration.connectorKey,
    connector_id: declaration.connectorId,
    version: declaration.version,
    streams: declaration.streams.map(({ name }) => name),
    status: before === undefined ? ("registered" as const) : same ? ("unchanged" as const) : ("updated" as const),
  };
}

async function reindex(store: Store): Promise<void> {
  let shown: { key: string; progress: Progress } | undefined;
  try {
    await store.reindex((key, done, total) => {
      if (shown?.key !== key) {
        shown?.progress.stop();
        shown = { key, progress: showProgress(`preparing ${key}`, total, "records") };
      }
      shown.progress.update(done);
    });
  } finally {
    shown?.progress.stop();
  }
}
