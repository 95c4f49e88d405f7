import { findMessageId, parseHeaders } from "@pdpp/importers/mail/headers";
import type { FetchMessageObject, FetchQueryObject, MessageStructureObject } from "imapflow";
import type { Account, OpenFolder } from "./account.ts";
import type { FolderCursor } from "./cursor.ts";
import { createLostConnection } from "./failures.ts";
import { formatMarks, type Marks, searchChangedMarks } from "./flags.ts";
import type { FolderMemory } from "./folder-memory.ts";
import { digestLabels } from "./labels.ts";
import type { Mail, Mails } from "./mails.ts";
import { formatUids } from "./uid-ranges.ts";

/** The differences between a folder and its saved state. */
export interface Comparison {
  readonly pending: readonly number[];
  readonly gone: readonly number[];
  /** The folder as it was then, for the cursor. */
  readonly next: number;
  readonly modseq: string | undefined;
  /** Mails are gone, and nothing tells which. */
  readonly unknownDeletions: number;
}

/** `cursor` is what was saved for this very folder, if anything was. */
export async function compareFolder(
  account: Account,
  memory: FolderMemory,
  cursor: FolderCursor | undefined,
): Promise<Comparison> {
  const isWhole = memory.isDurable ? cursor === undefined || cursor.partial === true : cursor === undefined;
  if (isWhole || cursor === undefined) return compareAll(account, memory);
  const seen = await account.inFolder(
    memory.path,
    async (folder) => ({ ...snapshot(folder), newer: await searchUids(folder, cursor.next), count: folder.count() }),
    memory,
  );
  const { newer, count, next, modseq } = seen;
  const pending = newer.filter((uid) => uid < next);
  const missing = (memory.isDurable ? memory.count : cursor.count) + newer.length - count;
  if (missing === 0) return { pending, gone: [], next, modseq, unknownDeletions: 0 };
  if (!memory.isDurable) return { pending, gone: [], next, modseq, unknownDeletions: Math.max(missing, 0) };
  const gone = await askVanished(account, memory, cursor);
  if (gone.length !== missing) return compareAll(account, memory);
  return { pending, gone, next, modseq, unknownDeletions: 0 };
}

async function compareAll(account: Account, memory: FolderMemory): Promise<Comparison> {
  const { uids, next, modseq } = await account.inFolder(
    memory.path,
    async (folder) => {
      const found = await searchUids(folder, 1);
      // A short answer would look like deletions.
      if (found.length !== folder.count()) throw createLostConnection();
      return { ...snapshot(folder), uids: found };
    },
    memory,
  );
  const present = new Set(uids);
  const pending = uids.filter((uid) => uid < next && !memory.has(uid));
  const gone = [...memory.uids()].filter((uid) => !present.has(uid));
  return { pending, gone, next, modseq, unknownDeletions: 0 };
}

const snapshot = ({ uidNext, modseq }: OpenFolder) => ({ next: uidNext, modseq });

/** Ascending. `N:*` is never empty: it has the last mail, even if its UID is lower. */
async function searchUids({ client, count }: OpenFolder, from: number): Promise<number[]> {
  if (count() === 0) return [];
  const found = await client.search(from === 1 ? { all: true } : { uid: `${from}:*` }, { uid: true });
  if (!found) throw createLostConnection();
  return found.filter((uid) => uid >= from).sort((a, b) => a - b);
}

/** Known UIDs that the server says vanished since the cursor. Empty if it does not keep them (QRESYNC). */
async function askVanished(account: Account, memory: FolderMemory, cursor: FolderCursor): Promise<number[]> {
  const { modseq } = cursor;
  if (modseq === undefined || !(await account.attempt(async (client) => client.enabled.has("QRESYNC")))) return [];
  const vanished = new Set<number>();
  const since = { modseq, uidValidity: memory.validity, onVanished: (uid: number) => void vanished.add(uid) };
  await account.inFolder(memory.path, async () => undefined, memory, since);
  return [...vanished].filter((uid) => memory.has(uid));
}

const identifiedAtOnce = 500;

/** Finds out by their headers which of these UIDs are mails that the vault has with these flags. Returns the others. */
export async function identifyMails(
  account: Account,
  memory: FolderMemory,
  mails: Mails,
  uids: readonly number[],
  isRebuilt: boolean,
): Promise<number[]> {
  const others: number[] = [];
  const query: FetchQueryObject = { uid: true, flags: true, headers: ["message-id"], bodyStructure: isRebuilt };
  for (let at = 0; at < uids.length; at += identifiedAtOnce) {
    const range = formatUids(uids.slice(at, at + identifiedAtOnce));
    const rows = await account.inFolder(
      memory.path,
      ({ client }) => client.fetchAll(range, query, { uid: true }),
      memory,
    );
    const found = new Map<number, { readonly mail: Mail; readonly marks: Marks }>();
    for (const { uid, headers = Buffer.alloc(0), flags = new Set<string>(), bodyStructure } of rows) {
      const id = findMessageId(parseHeaders(headers));
      if (id === undefined || mails.isAmbiguous(id)) continue;
      const mail = isRebuilt ? mails.add(id, 0, countParts(bodyStructure)) : mails.get(id);
      const marks = formatMarks(flags);
      if (mail !== undefined && (isRebuilt || memory.wasHere(mail, marks))) found.set(uid, { mail, marks });
    }
    for (const uid of uids.slice(at, at + identifiedAtOnce)) {
      const known = found.get(uid);
      if (known === undefined) others.push(uid);
      else memory.add(uid, known.mail, known.marks);
    }
  }
  return others;
}

/** No mail has more attachments than parts. */
function countParts(structure: MessageStructureObject | undefined): number {
  const children = structure?.childNodes ?? [];
  return children.length === 0 ? 1 : children.reduce((sum, child) => sum + countParts(child), 0);
}

/** UIDs of known mails whose flags or labels are not what the vault has. `since` is the last change that it knows. */
export async function findRemarked(
  account: Account,
  memory: FolderMemory,
  since: string | undefined,
  { modseq }: Comparison,
): Promise<number[]> {
  if (memory.count === 0 || (modseq !== undefined && modseq === since)) return [];
  if (since === undefined || modseq === undefined)
    return account.inFolder(memory.path, (folder) => searchChangedMarks(folder, memory), memory);
  const rows = await listChanged(account, memory, since);
  return rows.flatMap(({ uid, flags = new Set<string>(), labels }) => {
    const mail = memory.get(uid);
    if (mail === undefined) return [];
    const isSame = memory.getMarks(uid) === formatMarks(flags) && mail.labels === digestLabels(labels);
    return isSame ? [] : [uid];
  });
}

/** UIDs that changed since, new ones included. */
export const listChangedUids = async (account: Account, memory: FolderMemory, since: string): Promise<number[]> =>
  (await listChanged(account, memory, since)).map(({ uid }) => uid);

async function listChanged(account: Account, memory: FolderMemory, since: string): Promise<FetchMessageObject[]> {
  const hasLabels = await account.attempt(async (client) => client.capabilities.has("X-GM-EXT-1"));
  const query = { uid: true, flags: true, labels: hasLabels };
  const options = { uid: true, changedSince: BigInt(since) };
  return account.inFolder(
    memory.path,
    async ({ client, count }) => (count() === 0 ? [] : client.fetchAll("1:*", query, options)),
    memory,
  );
}
