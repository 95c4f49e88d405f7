import { commandName } from "@pdpp/agent-setup/command-name";
import { addFolderSource, findFolder } from "@pdpp/collecting/folder/add-folder";
import { type Command, Option } from "commander";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { withOwner } from "../../runtime/vault.ts";

interface FolderOptions {
  readonly id?: string;
  readonly label?: string;
  readonly into?: string;
  readonly absent: "keep" | "delete";
  readonly yes?: boolean;
}

export function addFolder(add: Command): void {
  const folder = addCommand(add, "folder <path>", "Import what is new in a folder, whenever it changes", [
    "pdpp source add folder ~/Downloads",
    "pdpp source add folder ~/Notes --label Notes --absent delete --yes",
  ])
    .option("--id <id>", "id of the source (default: the folder's name)")
    .option("--label <text>", "import into connections with this name, creating them if needed")
    .option("--into <connection-id>", "import into this connection what fits it")
    .addOption(
      new Option("--absent <what>", "what to do with records that a complete export no longer has")
        .choices(["keep", "delete"])
        .default("keep"),
    )
    .option("--yes", "skip the confirmation");
  onRun(folder, ({ options, out, location }: Call<FolderOptions>, given: string) => {
    const path = findFolder(given);
    return withOwner(location, async (owner) => {
      const { id, into, label, absent } = options;
      if (into !== undefined) await owner.connections.get(into);
      const consequence =
        absent === "delete" ? ", and deletes records of notes and contacts that it no longer has" : "";
      await confirm(
        `this imports what pdpp understands in ${escapeUnprintable(path)}, now and whenever it changes${consequence}`,
        options.yes,
      );
      const source = await addFolderSource(owner, { path, absent, id, into, label });
      out.result(source, () => source.source_id);
      out.remark(`Next: ${commandName} source sync ${source.source_id}`);
    });
  });
}
