import { commandName } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi, RegisteredConnector } from "@pdpp/contract/owner";
import type { Command } from "commander";
import { type ManifestFile, readManifests } from "../../input/manifest-files.ts";
import { formatConnector } from "../../render/connector.ts";
import { type Progress, showProgress } from "../../render/terminal/progress.ts";
import { showLabel } from "../../render/terminal/style.ts";
import { addCommand, addTopCommand, onRun } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addConnector(program: Command): void {
  const group = addTopCommand(program, "connector", ["pdpp connector add notes.json"]);
  const add = addCommand(group, "add <file...>", "Register or update manifests", [
    "pdpp connector add notes.json mail.json",
  ]);
  onRun(add, async ({ out, location }, files: string[]) => {
    const manifests = await readManifests(files);
    const data = await withOwner(location, async ({ connectors }) => {
      const added: RegisteredConnector[] = [];
      for (const manifest of manifests) added.push(await register(connectors, manifest));
      await reindex(connectors);
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
    const fresh = data.find(({ status }) => status === "registered");
    if (fresh !== undefined) out.remark(`Next: ${commandName} connection add ${fresh.connector_key}`);
  });

  const list = addCommand(group, "list", "List registered connectors", ["pdpp connector list"]);
  onRun(list, async ({ out, location }) => {
    const data = await withOwner(location, ({ connectors }) => connectors.list());
    out.list(data, `No connectors yet. Add one with: ${commandName} connector add FILE`, {
      CONNECTOR: ({ connector_key }) => connector_key,
      VERSION: ({ version }) => version,
      NAME: ({ display_name }) => showLabel(display_name),
      STREAMS: ({ streams }) => streams.join(", "),
    });
  });

  const show = addCommand(group, "show <key>", "Show a connector's streams and fields", ["pdpp connector show notes"]);
  onRun(show, async ({ out, location }, key: string) => {
    const connector = await withOwner(location, ({ connectors }) => connectors.get(key));
    out.result(connector, (style) => formatConnector(style, connector, parseManifest(connector.manifest)));
  });
}

async function register(
  connectors: OwnerApi["connectors"],
  { file, declaration }: ManifestFile,
): Promise<RegisteredConnector> {
  try {
    return await connectors.register(declaration);
  } catch (error) {
    if (error instanceof PdppError) throw new PdppError(error.code, `${file}: ${error.message}`, error.details);
    throw error;
  }
}

async function reindex(connectors: OwnerApi["connectors"]): Promise<void> {
  let shown: { key: string; progress: Progress } | undefined;
  try {
    await connectors.reindex((key, done, total) => {
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
