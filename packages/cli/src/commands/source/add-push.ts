import { commandName } from "@pdpp/agent-setup/command-name";
import { addSourceConnection } from "@pdpp/collecting/add-source";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import { locationManifest } from "@pdpp/importers/locations/manifest";
import { type Command, Option } from "commander";
import { defaultProviderUrl } from "../../credentials/provider-url.ts";
import { findVaultServer } from "../../doctor/running-server.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner } from "../../runtime/vault.ts";

interface PushOptions {
  readonly kind: "location" | "records";
  readonly connector?: string;
  readonly id?: string;
  readonly label?: string;
  readonly into?: string;
  readonly url?: string;
}

export function addPush(add: Command): void {
  const push = addCommand(add, "push", "Take what phones and programs send", [
    "pdpp source add push --kind location --id phone",
    "pdpp source add push --kind records --connector my-books",
  ])
    .addOption(
      new Option("--kind <kind>", "locations of a phone (OwnTracks, Overland, GPSLogger), or records of any connector")
        .choices(["location", "records"])
        .makeOptionMandatory(),
    )
    .option("--connector <key>", "with --kind records: the connector whose records are sent")
    .option("--id <id>", "id of the source and its connection (default: the connector's key)")
    .option("--label <text>", "display name")
    .option("--into <connection-id>", "store in this connection of the same connector")
    .option("--url <url>", "where the sender reaches this server (default: its address on this computer)");
  onRun(push, ({ options, out, location }: Call<PushOptions>) =>
    withOwner(location, async (owner) => {
      const connector = await findConnector(owner, options);
      const id = options.into ?? (await addSourceConnection(owner, connector, options));
      await requireConnection(owner, id, connector);
      const issued = await owner.tokens.create({ name: `push ${id}`, may: ["push"], connection_ids: [id] });
      const settings = { accepts: options.kind, token_id: issued.token_id };
      const source = await owner.sources.add({ source_id: id, kind: "push", connection_id: id, settings });
      const server = options.url ?? (await findVaultServer(location.dataDir)) ?? defaultProviderUrl;
      const url = `${server.replace(/\/+$/, "")}/v1/push/${encodeURIComponent(id)}`;
      const { token } = issued;
      out.result({ ...source, url, token }, () => `send to ${url}\ntoken   ${token}`);
      out.remark("The token is shown only now. It can send to this source, and do nothing else.");
    }),
  );
}

async function findConnector(owner: OwnerApi, { kind, connector }: PushOptions): Promise<string> {
  if (kind === "records") {
    if (connector === undefined)
      throw new UsageError(`--kind records needs --connector; list connectors with: ${commandName} connector list`);
    return (await owner.connectors.get(connector)).connector_key;
  }
  if (connector !== undefined) throw new UsageError("--connector is for --kind records");
  const declaration = parseManifest(locationManifest);
  await owner.connectors.register(declaration);
  await owner.connectors.reindex();
  return declaration.connectorKey;
}

async function requireConnection(owner: OwnerApi, id: string, connector: string): Promise<void> {
  const { connector_key } = await owner.connections.get(id);
  if (connector_key !== connector)
    throw new UsageError(`connection ${id} is for ${connector_key}, not ${connector}; drop --into`);
}
