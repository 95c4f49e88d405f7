import { commandName } from "@pdpp/agent-setup/command-name";
import type { Command } from "commander";
import { showLabel } from "../../render/terminal/style.ts";
import { addCommand, addTopCommand, type Call, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addConnection(program: Command): void {
  const group = addTopCommand(program, "connection", ["pdpp connection add notes --label Work"]);
  addAdd(group);
  addList(group);
  addRemove(group);
}

function addAdd(group: Command): void {
  const add = addCommand(group, "add <connector-key>", "Add a source and print its connection_id", [
    "pdpp connection add notes --label Work --id notes-work",
  ])
    .option("--label <text>", "display name")
    .option("--id <id>", "connection_id (default: random)");
  onRun(add, async ({ options, out, location }: Call<{ label?: string; id?: string }>, connectorKey: string) => {
    const request = { connector_key: connectorKey, connection_id: options.id, display_name: options.label };
    const made = await withOwner(location, (owner) => owner.connections.add(request));
    out.result(made, () => made.connection_id);
    out.remark(`Next: ${commandName} ingest ${made.connection_id} STREAM FILE`);
  });
}

function addList(group: Command): void {
  const list = addCommand(group, "list", "List connections and their record counts", ["pdpp connection list"]);
  onRun(list, async ({ out, location }) => {
    const data = await withOwner(location, (owner) => owner.connections.list());
    out.list(data, `No connections yet. Add one with: ${commandName} connection add CONNECTOR_KEY`, {
      CONNECTION: ({ connection_id }) => connection_id,
      CONNECTOR: ({ connector_key }) => connector_key,
      LABEL: ({ display_name }) => showLabel(display_name ?? ""),
      RECORDS: ({ record_count }) => String(record_count),
      ADDED: ({ created_at }) => created_at,
    });
  });
}

function addRemove(group: Command): void {
  const remove = addCommand(group, "remove <connection-id>", "Remove a connection and all its records", [
    "pdpp connection remove notes-work",
    "pdpp connection remove notes-work --yes",
  ]).option("--yes", "skip the confirmation");
  onRun(remove, ({ options, out, location }: Call<{ yes?: boolean }>, id: string) =>
    withOwner(location, async ({ connections }) => {
      const { record_count: records } = await connections.get(id);
      await confirm(`this permanently removes connection ${id} and its ${records} records`, options.yes);
      const removed = await connections.remove(id);
      out.result(removed, () => `removed ${id} with ${removed.records_deleted} records`);
    }),
  );
}
