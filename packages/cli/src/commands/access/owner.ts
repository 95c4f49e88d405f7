import { commandName } from "@pdpp/agent-setup/command-name";
import { createOwner } from "@pdpp/server/owner/owner";
import { addOwner, findOwner, listOwners, removeOwner, renameOwner } from "@pdpp/server/owner/owners";
import type { Command } from "commander";
import { addCommand, addTopCommand, type Call, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner, withVault } from "../../runtime/vault.ts";

export function addOwnerGroup(program: Command): void {
  const group = addTopCommand(program, "owner", [
    "pdpp owner add grace",
    "pdpp connection add notes --owner grace",
    "pdpp sign-in --owner grace",
  ]);
  addAdd(group);
  addList(group);
  addRename(group);
  addTimeZone(group);
  addRemove(group);
}

function addAdd(group: Command): void {
  const add = addCommand(group, "add <name>", "Add an owner with separate, private data", ["pdpp owner add grace"]);
  onRun(add, async ({ out, location }, name: string) => {
    const added = await withVault(location, (store) => addOwner(store, name, Date.now()));
    out.result(added, () => `added ${name}`);
    out.remark(`Use --owner ${name} to work with their data. Next: ${commandName} sign-in --owner ${name}`);
  });
}

function addList(group: Command): void {
  const list = addCommand(group, "list", "List the owners of this vault", ["pdpp owner list"]);
  onRun(list, async ({ out, location }) => {
    const data = await withVault(location, listOwners);
    out.result({ object: "list", data }, () => data.map(({ name }) => name).join("\n"));
  });
}

function addRename(group: Command): void {
  const rename = addCommand(group, "rename <name> <new-name>", "Rename an owner", ["pdpp owner rename owner ada"]);
  onRun(rename, async ({ out, location }, from: string, to: string) => {
    const renamed = await withVault(location, (store) => renameOwner(store, from, to, Date.now()));
    out.result(renamed, () => `renamed ${from} to ${to}`);
  });
}

function addTimeZone(group: Command): void {
  const timeZone = addCommand(group, "time-zone [zone]", "Show or set your time zone", [
    "pdpp owner time-zone",
    "pdpp owner time-zone Europe/Berlin",
    "pdpp owner time-zone --reset",
  ]).option("--reset", "use the server's time zone");
  onRun(timeZone, async ({ options, out, location }: Call<{ reset?: boolean }>, zone: string | undefined) => {
    if (options.reset && zone !== undefined) throw new UsageError("use either a time zone or --reset, not both");
    const self = await withOwner(location, (owner) =>
      zone === undefined && !options.reset ? owner.self() : owner.setTimeZone(zone ?? null),
    );
    out.result(self, () => (self.is_time_zone_set ? self.time_zone : `${self.time_zone} (the server's)`));
  });
}

function addRemove(group: Command): void {
  const remove = addCommand(
    group,
    "remove <name>",
    "Remove an owner and all their connections, records, grants and tokens",
    ["pdpp owner remove grace", "pdpp owner remove grace --yes"],
  ).option("--yes", "skip the confirmation");
  onRun(remove, ({ options, out, location }: Call<{ yes?: boolean }>, name: string) =>
    withVault(location, async (store) => {
      const { connections } = createOwner({ store, ownerNo: await findOwner(store, name), now: Date.now });
      const records = (await connections.list()).reduce((sum, { record_count }) => sum + record_count, 0);
      await confirm(`this permanently removes ${name} with ${records} records, all grants and all tokens`, options.yes);
      await removeOwner(store, name, Date.now());
      out.result({ object: "owner", name, deleted: true, records_deleted: records }, () => `removed ${name}`);
    }),
  );
}
