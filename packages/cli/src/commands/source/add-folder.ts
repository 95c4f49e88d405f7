import { realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import { isMountPoint } from "@pdpp/collecting/folder/settled-files";
import type { FolderSettings } from "@pdpp/collecting/source-settings";
import type { OwnerApi } from "@pdpp/contract/owner";
import { type Command, Option } from "commander";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { UsageError } from "../../runtime/failure.ts";
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
      const { into, absent } = options;
      if (into !== undefined) await owner.connections.get(into);
      // Other imports into the same connection would look deleted.
      const label = options.label ?? (absent === "delete" && into === undefined ? basename(path) : undefined);
      const consequence =
        absent === "delete" ? ", and deletes records of notes and contacts that it no longer has" : "";
      await confirm(
        `this imports what pdpp understands in ${escapeUnprintable(path)}, now and whenever it changes${consequence}`,
        options.yes,
      );
      const settings = {
        path,
        absent,
        ...(into !== undefined && { into }),
        ...(label !== undefined && { label }),
        is_mount_point: isMountPoint(path),
      } satisfies FolderSettings;
      const id = options.id ?? (await pickId(owner, path));
      const source = await owner.sources.add({ source_id: id, kind: "folder", settings });
      out.result(source, () => source.source_id);
      out.remark(`Next: pdpp source sync ${source.source_id}`);
    });
  });
}

/** Its real path: an import does not follow links. */
function findFolder(given: string): string {
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`${given} is not a folder; check the path`);
  return realpathSync(given);
}

async function pickId(owner: OwnerApi, path: string): Promise<string> {
  const taken = new Set((await owner.sources.list()).map(({ source_id }) => source_id));
  const name = basename(path)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? name || "folder" : `${name || "folder"}-${n}`;
    if (!taken.has(id)) return id;
  }
}
