import { readdirSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@pdpp/test-support/repository/requirements";
import { expect, it } from "vitest";

const maxFiles = 20;

/** The demo's records and attachments are data; their folders mirror its connections. */
const skipped = ["node_modules", "packages/demo/data"];

function listCrowdedFolders(folder: string): string[] {
  const entries = readdirSync(join(repository, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).length;
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
  const crowded = files > maxFiles ? [`${folder}: ${files} files`] : [];
  return [
    ...crowded,
    ...folders.filter((path) => !skipped.some((end) => path.endsWith(end))).flatMap(listCrowdedFolders),
  ];
}

it.each(["packages", "tests", "programs", "scripts", "docs", "openspec"])(
  "%s has no folder with more than 20 files",
  (folder) => {
    expect(listCrowdedFolders(folder)).toEqual([]);
  },
);
