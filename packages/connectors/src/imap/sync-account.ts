import type { ConnectorRun } from "../kit/run-connector.ts";
import type { Account } from "./account.ts";
import { parseCursor } from "./cursor.ts";
import { findChangedFolders } from "./folders.ts";
import type { AccountSettings } from "./settings.ts";

/** Collects what changed in an account. If nothing did, one command tells, and little else is loaded. */
export async function syncAccount(run: ConnectorRun, account: Account, settings: AccountSettings): Promise<void> {
  const cursors = parseCursor(run.cursors.messages);
  const { folders, chosen, changed, missing, isSame } = await findChangedFolders(account, settings.folders, cursors);
  for (const name of missing) await run.skip("messages", "folder_missing", `There is no folder ${name}.`);
  if (isSame) return;
  const hasLabels = await account.attempt(async (client) => client.capabilities.has("X-GM-EXT-1"));
  const { collectChanges } = await import("./collect-changes.ts");
  const existing = new Set(folders.map(({ path }) => path));
  await collectChanges({ run, account, settings, hasLabels }, { cursors, chosen, changed, existing });
}
