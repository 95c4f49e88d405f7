import { type Comparison, compareFolder, findRemarked, identifyMails, listChangedUids } from "./compare-folder.ts";
import type { Context, Folders, Work } from "./context.ts";
import type { FolderCursor } from "./cursor.ts";
import { deleteUnusedFiles, FolderMemory, type MarkedMails, readFormerMails } from "./folder-memory.ts";
import type { ListedFolder } from "./folders.ts";
import { type Mail, Mails } from "./mails.ts";

/** Compares all folders before anything is collected, because a moved mail is gone from one folder and new in another. */
export interface Plan {
  readonly mails: Mails;
  /** Folders that changed, with what is left to collect. */
  readonly works: readonly Work[];
  /** Folders that do not exist any more. */
  readonly goneFolders: readonly FolderMemory[];
  /** Mails that are gone from a place. */
  readonly affected: Set<Mail>;
}

export async function prepareFolders(context: Context, folders: Folders): Promise<Plan> {
  const { run } = context;
  const { cursors, chosen, existing } = folders;
  const mails = new Mails();
  const affected = new Set<Mail>();
  if (!run.isFullRefresh) deleteUnusedFiles(run.stateFolder, cursors);
  const { known, lost } = restoreMemories(context, folders, mails);
  const former = run.isFullRefresh
    ? readFormerMails(
        mails,
        run.stateFolder,
        chosen.map(({ path }) => path),
      )
    : new Map();
  const works: Work[] = [];
  for (const folder of chosen) {
    const memory = known.get(folder.path);
    const cursor = cursors.get(folder.path);
    if (memory !== undefined && memory.validity === folder.uidValidity) {
      if (folders.changed.includes(folder)) works.push(await compareKnown(context, memory, cursor, affected));
      continue;
    }
    const earlier = memory?.takeMails() ?? former.get(folder.path) ?? new Map();
    works.push(await compareNew(context, folder, mails, earlier, lost.has(folder.path) ? cursor : undefined));
  }
  const goneFolders = [...known.values()].filter(({ path }) => !existing.has(path));
  for (const memory of goneFolders) noteGone(memory, [...memory.uids()], affected);
  return { mails, works, goneFolders, affected };
}

/** The saved cursors. Mails in folders that are no longer chosen stay unchanged. */
function restoreMemories({ run }: Context, { cursors, chosen, existing }: Folders, mails: Mails) {
  const known = new Map<string, FolderMemory>();
  const lost = new Set<string>();
  for (const [path, { validity, generation, facts }] of cursors) {
    const isChosen = chosen.some((folder) => folder.path === path);
    if (!isChosen && existing.has(path)) continue;
    const memory = new FolderMemory(mails, run.stateFolder, { path, validity, generation });
    if (memory.restore(facts)) known.set(path, memory);
    else lost.add(path);
  }
  return { known, lost };
}

async function compareKnown(
  context: Context,
  memory: FolderMemory,
  cursor: FolderCursor | undefined,
  affected: Set<Mail>,
): Promise<Work> {
  const { account } = context;
  const compared = await compareFolder(account, memory, cursor);
  noteGone(memory, compared.gone, affected);
  const since = cursor?.modseq;
  const remarked = new Set(await findRemarked(account, memory, since, compared));
  if (compared.unknownDeletions > 0) await reportUnknownDeletions(context, memory, compared.unknownDeletions);
  const base = memory.isDurable ? 0 : (cursor?.count ?? 0) - compared.unknownDeletions;
  const pending = [...new Set([...compared.pending, ...remarked])].sort((a, b) => a - b);
  return { ...createWork(memory, compared, pending), base, remarked, since };
}

/** A folder that was not collected yet, or whose UIDs changed: mails that were in it are recognized by their headers. */
async function compareNew(
  { account, run }: Context,
  { path, uidValidity: validity }: ListedFolder,
  mails: Mails,
  earlier: MarkedMails,
  lost: FolderCursor | undefined,
): Promise<Work> {
  const memory = new FolderMemory(mails, run.stateFolder, { path, validity });
  for (const [mail, marks] of earlier) memory.addFormer(mail, marks);
  const compared = await compareFolder(account, memory, undefined);
  let pending = compared.pending;
  if (lost?.validity === validity) {
    const message = `What was known of ${path} is lost. Mails that were deleted from it since stay in the vault.`;
    await run.skip("messages", "deletions_unknown", message);
    const collected = pending.filter((uid) => uid < lost.next);
    const others = await identifyMails(account, memory, mails, collected, true);
    // Flags that changed since the vault was told.
    const { modseq } = lost;
    const changed = modseq === undefined ? [] : await listChangedUids(account, memory, modseq);
    pending = [...new Set([...others, ...changed, ...pending.filter((uid) => uid >= lost.next)])]
      .filter((uid) => uid < compared.next)
      .sort((a, b) => a - b);
  } else if (earlier.size > 0 && !run.isFullRefresh) {
    pending = await identifyMails(account, memory, mails, pending, false);
  }
  return createWork(memory, compared, pending);
}

const createWork = (memory: FolderMemory, { next, modseq }: Comparison, pending: readonly number[]): Work => ({
  memory,
  pending,
  next,
  modseq,
  base: 0,
  remarked: new Set(),
  since: undefined,
});

function noteGone(memory: FolderMemory, uids: readonly number[], affected: Set<Mail>): void {
  for (const uid of uids) {
    const mail = memory.noteGone(uid);
    if (mail !== undefined) affected.add(mail);
  }
}

const reportUnknownDeletions = ({ run }: Context, { path }: FolderMemory, count: number): Promise<void> =>
  run.skip(
    "messages",
    "deletions_unknown",
    `${count} mails are gone from ${path}. Which ones is not known, because the host keeps no folder for the connector.`,
  );
