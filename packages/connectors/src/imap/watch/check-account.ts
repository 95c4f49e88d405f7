import type { Json } from "@pdpp/contract/declaration";
import { Account } from "../account.ts";
import { parseCursor } from "../cursor.ts";
import { findChangedFolders } from "../folders.ts";
import { readSettings } from "../settings.ts";

/**
 * Whether an account is as the last run left it. Takes the variables of the connector and its cursors. A process for this would cost ten times
 * as much as the question.
 */
export async function isAccountUnchanged(
  env: Readonly<Record<string, string | undefined>>,
  cursors: Readonly<Record<string, Json>>,
  signal: AbortSignal,
): Promise<boolean> {
  const saved = parseCursor(cursors.messages);
  if (saved.size === 0) return false;
  const settings = readSettings(env);
  const account = new Account(settings, signal);
  try {
    const { missing, isSame } = await findChangedFolders(account, settings.folders, saved);
    // The connector reports folders that are missing.
    return isSame && missing.length === 0;
  } finally {
    await account.logOut();
  }
}
