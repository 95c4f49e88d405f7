import type { ListResponse } from "imapflow";
import type { Account } from "./account.ts";
import type { FolderCursor, FolderCursors } from "./cursor.ts";

export interface ListedFolder {
  readonly path: string;
  readonly specialUse: string | undefined;
  readonly uidValidity: string;
  readonly uidNext: number;
  readonly count: number;
  readonly modseq: string | undefined;
}

/** All folders that can be opened, with their state, in one command where the server can. */
export async function listFolders(account: Account): Promise<ListedFolder[]> {
  const statusQuery = { messages: true, uidNext: true, uidValidity: true, highestModseq: true };
  const listed = await account.attempt((client) => client.list({ statusQuery }));
  return listed.filter(canBeOpened).map(({ path, specialUse, status }) => ({
    path,
    specialUse,
    uidValidity: String(status?.uidValidity ?? ""),
    uidNext: status?.uidNext ?? 0,
    count: status?.messages ?? 0,
    modseq: status?.highestModseq === undefined ? undefined : String(status.highestModseq),
  }));
}

const canBeOpened = ({ flags }: ListResponse): boolean =>
  ![...flags].some((flag) => /^\\(noselect|nonexistent)$/i.test(flag));

/** Chosen folders, or all but junk and trash. A folder with all mails has those of the others. */
export function chooseFolders(
  folders: readonly ListedFolder[],
  wanted: readonly string[] | undefined,
): { readonly chosen: readonly ListedFolder[]; readonly missing: readonly string[] } {
  if (wanted === undefined) {
    const whole = folders.filter(({ specialUse }) => specialUse === "\\All");
    const others = folders.filter(({ specialUse }) => specialUse !== "\\Junk" && specialUse !== "\\Trash");
    return { chosen: whole.length > 0 ? whole : others, missing: [] };
  }
  const chosen = folders.filter(({ path }) => wanted.some((name) => isSameFolder(name, path)));
  const missing = wanted.filter((name) => !folders.some(({ path }) => isSameFolder(name, path)));
  return { chosen, missing };
}

/** Only the inbox has a name in any case. */
const isSameFolder = (name: string, path: string): boolean =>
  name === path || (/^inbox$/i.test(name) && /^inbox$/i.test(path));

/**
 * Whether a folder may differ from when it was collected. Every change raises the number of the last change. Servers without such a number do
 * not say that flags changed, so they have to be asked.
 */
const hasChanged = (folder: ListedFolder, cursor: FolderCursor | undefined): boolean =>
  cursor === undefined ||
  cursor.partial === true ||
  cursor.validity !== folder.uidValidity ||
  cursor.next !== folder.uidNext ||
  cursor.count !== folder.count ||
  folder.modseq === undefined ||
  cursor.modseq !== folder.modseq;

/** Compares an account with what was collected, in one command where the server can. */
export async function findChangedFolders(
  account: Account,
  wanted: readonly string[] | undefined,
  cursors: FolderCursors,
) {
  const folders = await listFolders(account);
  const { chosen, missing } = chooseFolders(folders, wanted);
  const changed = chosen.filter((folder) => hasChanged(folder, cursors.get(folder.path)));
  const isSame =
    changed.length === 0 && cursors.size === chosen.length && chosen.every(({ path }) => cursors.has(path));
  return { folders, chosen, changed, missing, isSame };
}
