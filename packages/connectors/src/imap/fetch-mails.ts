import { maxMailBytes } from "@pdpp/importers/mail/mail-reader";
import type { FetchMessageObject, FetchQueryObject } from "imapflow";
import type { Account } from "./account.ts";
import { createLostConnection } from "./failures.ts";
import { formatMarks, type Marks } from "./flags.ts";
import type { FolderMemory } from "./folder-memory.ts";
import { formatUids } from "./uid-ranges.ts";

export interface FetchedMail {
  readonly uid: number;
  readonly bytes: Uint8Array;
  readonly envelope: "";
  /** Too long to be read. */
  readonly isCut: boolean;
  /** Labels that the server keeps with the mail. */
  readonly labels: ReadonlySet<string> | undefined;
  readonly threadId: string | undefined;
  readonly marks: Marks;
}

/** Some servers limit the UIDs of one command. */
const partMails = 250;
const partBytes = 4 * 1024 * 1024;

/**
 * Yields the mails with these ascending UIDs, in parts that the server sends at once. A mail that was deleted since is omitted. Nothing is
 * marked as read.
 */
export async function* fetchMails(
  account: Account,
  memory: FolderMemory,
  uids: readonly number[],
  hasLabels: boolean,
): AsyncGenerator<FetchedMail[]> {
  for (let at = 0; at < uids.length; at += partMails) {
    const sizes = await fetchSizes(account, memory, uids.slice(at, at + partMails));
    for (const part of splitParts(sizes)) {
      const [first] = part;
      if (first !== undefined && first.size > partBytes) yield await fetchLong(account, memory, first, hasLabels);
      else yield await fetchPart(account, memory, part, hasLabels);
    }
  }
}

interface Sized {
  readonly uid: number;
  readonly size: number;
}

function* splitParts(mails: readonly Sized[]): Generator<Sized[]> {
  let part: Sized[] = [];
  let bytes = 0;
  for (const mail of mails) {
    if (part.length > 0 && bytes + mail.size > partBytes) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(mail);
    bytes += mail.size;
  }
  if (part.length > 0) yield part;
}

async function fetchSizes(account: Account, memory: FolderMemory, uids: readonly number[]): Promise<Sized[]> {
  const rows = await fetchRows(account, memory, uids, { uid: true, size: true }, ({ size }) => size !== undefined);
  return rows.map(({ uid, size = 0 }) => ({ uid, size }));
}

async function fetchPart(
  account: Account,
  memory: FolderMemory,
  part: readonly Sized[],
  hasLabels: boolean,
): Promise<FetchedMail[]> {
  const uids = part.map(({ uid }) => uid);
  const query = { uid: true, source: true, flags: true, labels: hasLabels, threadId: hasLabels };
  const rows = await fetchRows(account, memory, uids, query, ({ source }) => source !== undefined);
  return rows.map((row) => createFetched(row, new Uint8Array(row.source ?? [])));
}

/** In pieces: nothing of a long mail is lost if the connection is, and it is held once only. */
async function fetchLong(
  account: Account,
  memory: FolderMemory,
  { uid, size }: Sized,
  hasLabels: boolean,
): Promise<FetchedMail[]> {
  const [row] = await fetchRows(
    account,
    memory,
    [uid],
    { uid: true, flags: true, labels: hasLabels, threadId: hasLabels },
    () => true,
  );
  if (row === undefined) return [];
  if (size > maxMailBytes) return [{ ...createFetched(row, new Uint8Array()), isCut: true }];
  const pieces: Buffer[] = [];
  for (let start = 0; ; start += partBytes) {
    const query = { uid: true, source: { start, maxLength: partBytes } };
    const [piece] = await fetchRows(account, memory, [uid], query, ({ source }) => source !== undefined);
    if (piece === undefined) return [];
    if (piece.source !== undefined) pieces.push(piece.source);
    // The announced size of a mail is not always right.
    if ((piece.source?.length ?? 0) < partBytes) break;
  }
  return [createFetched(row, new Uint8Array(Buffer.concat(pieces)))];
}

const createFetched = ({ uid, flags, labels, threadId }: FetchMessageObject, bytes: Uint8Array): FetchedMail => ({
  uid,
  bytes,
  envelope: "",
  isCut: false,
  labels,
  threadId,
  marks: formatMarks(flags ?? []),
});

/** One row for each UID that still exists, in their order. */
function fetchRows(
  account: Account,
  memory: FolderMemory,
  uids: readonly number[],
  query: FetchQueryObject,
  isComplete: (row: FetchMessageObject) => boolean,
): Promise<FetchMessageObject[]> {
  return account.inFolder(
    memory.path,
    async ({ client }) => {
      const rows = new Map<number, FetchMessageObject>();
      for (const row of await client.fetchAll(formatUids(uids), query, { uid: true }))
        if (isComplete(row)) rows.set(row.uid, row);
      const missing = uids.filter((uid) => !rows.has(uid));
      if (missing.length > 0) {
        const present = await client.search({ uid: formatUids(missing) }, { uid: true });
        if (!present || present.length > 0) throw createLostConnection();
      }
      return uids.flatMap((uid) => rows.get(uid) ?? []);
    },
    memory,
  );
}
