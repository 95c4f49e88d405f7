import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { addSourceConnection } from "@pdpp/collecting/add-source";
import { type ConnectorPackage, installPackage, withPackage } from "@pdpp/collecting/install/connector-package";
import { type ConnectorRequest, canPassVariable, readRequest } from "@pdpp/collecting/install/requirements";
import type { InstalledSettings } from "@pdpp/collecting/source-settings";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Command } from "commander";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addCommand, type Call, collectValues, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner } from "../../runtime/vault.ts";
import { addBuiltins } from "./add-builtin.ts";
import { addFolder } from "./add-folder.ts";
import { addPush } from "./add-push.ts";

interface AddOptions {
  readonly id?: string;
  readonly label?: string;
  readonly into?: string;
  readonly manifest?: string;
  readonly entry?: string;
  readonly path?: string[];
  readonly yes?: boolean;
}

export function addAdd(group: Command): void {
  const add = addCommand(group, "add", "Add a source", [
    "pdpp source add imap --host imap.example.com --user ada@example.com",
    "pdpp source add folder ~/Downloads",
    "pdpp source add connector github-pdpp-0.5.0.tgz",
  ]).helpCommand(false);
  addBuiltins(add);
  addFolder(add);
  addPush(add);
  const connector = addCommand(
    add,
    "connector <path>",
    "Install a connector from a file or folder and add its source",
    [
      "pdpp source add connector github-pdpp-0.5.0.tgz",
      "pdpp source add connector ./my-connector --path NOTES_DIR=~/Notes --yes",
    ],
  )
    .option("--id <id>", "id of the source and its connection (default: the connector's key)")
    .option("--label <text>", "display name")
    .option("--into <connection-id>", "collect into this connection of the same connector")
    .option("--manifest <path>", "path of the manifest within the connector")
    .option("--entry <path>", "path of the program within the connector")
    .option(
      "--path <name=path>",
      "let the connector read this path, named by this variable (repeatable)",
      collectValues,
    )
    .option("--yes", "approve the connector without asking");
  onRun(connector, ({ options, out, location }: Call<AddOptions>, path: string) =>
    withPackage(path, options, async (found, tree) => {
      const request = readRequest(found.declaration.manifest);
      const paths = readPaths(options.path ?? [], request);
      const description = describeConnector(found, request, paths);
      return withOwner(location, async (owner) => {
        out.remark(description);
        const { displayName, version } = found.declaration;
        if (!(await isApproved(owner, found)))
          await confirm(`this installs and runs ${displayName} ${version}`, options.yes);
        await installPackage(location.dataDir, found, tree);
        await owner.connectors.register(found.declaration);
        await owner.connectors.reindex();
        const id = options.into ?? (await addSourceConnection(owner, found.declaration.connectorKey, options));
        const { digest, manifest, entry } = found;
        const settings: InstalledSettings = { digest, manifest, entry, version, paths };
        const source = await owner.sources.add({ source_id: id, kind: "connector", connection_id: id, settings });
        out.result({ ...source, asks_for: request }, () => source.source_id);
        out.remark(`Next: ${commandName} source sync ${source.source_id}`);
      });
    }),
  );
}

/** The owner approves a version once; any change to its files is another version. */
const isApproved = async (owner: OwnerApi, { digest }: ConnectorPackage): Promise<boolean> =>
  (await owner.sources.list()).some(({ settings }) => settings.digest === digest);

function readPaths(given: readonly string[], { variables }: ConnectorRequest): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name = "", path = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      // Many public manifests name only some of the variables that their connector reads.
      if (!canPassVariable(name))
        throw new UsageError(
          `--path needs NAME=PATH with a variable of the connector, such as ${variables.at(0) ?? "NOTES_DIR"}`,
        );
      const file = resolve(path);
      if (!existsSync(file)) throw new UsageError(`${file} does not exist`);
      return [name, file];
    }),
  );
}

function describeConnector(
  { declaration, digest }: ConnectorPackage,
  { bindings, variables }: ConnectorRequest,
  paths: Readonly<Record<string, string>>,
): string {
  const { displayName, version, connectorKey, streams } = declaration;
  return [
    `${escapeUnprintable(displayName)} ${escapeUnprintable(version)} (${connectorKey}), sha256 ${digest}`,
    `  collects: ${streams.map(({ name }) => escapeUnprintable(name)).join(", ")}`,
    `  asks for: ${bindings.map(escapeUnprintable).join(", ") || "nothing"}`,
    ...(variables.length === 0 ? [] : [`  reads variables: ${variables.join(", ")}`]),
    ...Object.entries(paths).map(([name, path]) => {
      const hint = variables.includes(name) ? "" : ", which its manifest does not name";
      return `  may read: ${escapeUnprintable(path)} (${name}${hint})`;
    }),
  ].join("\n");
}
