import { realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { SourceDocument } from "@pdpp/contract/sources";
import type { FolderSettings } from "../source-settings.ts";
import { isMountPoint } from "./settled-files.ts";

interface NewFolder extends Pick<FolderSettings, "path" | "absent"> {
  /** Of the source; by default the folder's name. */
  readonly id?: string | undefined;
  readonly into?: string | undefined;
  readonly label?: string | undefined;
}

/** Its real path: an import does not follow links. */
export function findFolder(given: string): string {
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new PdppError("invalid_argument", `${given} is not a folder; check the path`, { param: "path" });
  return realpathSync(given);
}

/** Adds a watched folder, whose path `findFolder` returned. */
export async function addFolderSource(
  owner: OwnerApi,
  { path, absent, id, into, label }: NewFolder,
): Promise<SourceDocument> {
  // Other imports into the same connection would look deleted.
  const name = label ?? (absent === "delete" && into === undefined ? basename(path) : undefined);
  const settings = {
    path,
    absent,
    ...(into !== undefined && { into }),
    ...(name !== undefined && { label: name }),
    is_mount_point: isMountPoint(path),
  } satisfies FolderSettings;
  return owner.sources.add({ source_id: id ?? (await pickId(owner, path)), kind: "folder", settings });
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
