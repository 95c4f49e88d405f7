import type { ConnectorRun } from "../kit/run-connector.ts";
import type { Account } from "./account.ts";
import { parseCursor } from "./cursor.ts";
import { chooseFolders, hasChanged, listFolders } from "./folders.ts";
import type { AccountSettings } from "./settings.ts";

/** Collects what changed in an account. If nothing did, one command tells, and little else is loaded. */
export async function syncAccount(run: ConnectorRun, account: Account, settings: AccountSettings): Promise<void> {
  const cursors = parseCursor(run.cursors.messages);
  const folders = await listFolders(account);
  const hasLabels = await account.attempt(async (client) => client.capabilities.has("X-GM-EXT-1"));
  const { chosen, missing } = chooseFolders(folders, settings.folders);
  for (const name of missing) await run.skip("messages", "folder_missing", `There is no folder ${name}.`);
  const changed = chosen.filter((folder) => hasChanged(folder, cursors.get(folder.path)));
  const isSame = cursors.size === chosen.length && chosen.every(({ path }) => cursors.has(path));
  if (changed.length === 0 && isSame) return;
  const { collectChanges } = await import("./collect-changes.ts");
  const existing = new Set(folders.map(({ path }) => path));
  await collectChanges({ run, account, settings, hasLabels }, { cursors, chosen, changed, existing });
}
