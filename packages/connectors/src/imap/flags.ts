import type { OpenFolder } from "./account.ts";
import { createLostConnection } from "./failures.ts";
import type { FolderMemory } from "./folder-memory.ts";

/**
 * The marks of a mail in a folder, as one text: the flags that every mail program knows, after a backslash, and keywords, which people
 * choose as labels. Texts are shared, because most mails of an account have the same.
 */
export type Marks = string;

const flags: Readonly<Record<string, string>> = {
  "\\answered": "\\answered",
  "\\deleted": "\\deleted",
  "\\draft": "\\draft",
  "\\flagged": "\\flagged",
  "\\seen": "\\seen",
  $forwarded: "\\forwarded",
};
/** Keywords of programs, not of people. */
const technicalKeyword = /^[$\\]|^(?:non|not)?junk$|^junkrecorded$/i;

const shared = new Map<string, Marks>();

/** The same text object each time. */
export function shareMarks(text: string): Marks {
  const known = shared.get(text);
  if (known !== undefined) return known;
  shared.set(text, text);
  return text;
}

export function formatMarks(names: Iterable<string>): Marks {
  const marks = new Set<string>();
  for (const name of names) {
    const mark = readMark(name);
    if (mark !== undefined) marks.add(mark);
  }
  return shareMarks([...marks].sort().join(","));
}

/** Undefined for what is not kept. */
function readMark(name: string): string | undefined {
  const flag = flags[name.toLowerCase()];
  if (flag !== undefined) return flag;
  return technicalKeyword.test(name) ? undefined : name.replaceAll(",", "%2C");
}

const parseMarks = (all: readonly Marks[]): string[] => [
  ...new Set(all.flatMap((marks) => (marks === "" ? [] : marks.split(",")))),
];

/** The flags that any copy of a mail has. */
export const listFlags = (all: readonly Marks[]): string[] =>
  parseMarks(all)
    .filter((mark) => mark.startsWith("\\"))
    .map((mark) => mark.slice(1))
    .sort();

export const listKeywords = (all: readonly Marks[]): string[] =>
  parseMarks(all)
    .filter((mark) => !mark.startsWith("\\"))
    .map((mark) => mark.replaceAll("%2C", ","));

/** Servers have a limit, too; each keyword costs a search. */
const maxKeywords = 50;

/**
 * UIDs of known mails whose marks are not the known ones, for servers that do not number changes: a search for each flag costs much less than
 * the flags of all mails.
 */
export async function searchChangedMarks({ client, count }: OpenFolder, memory: FolderMemory): Promise<number[]> {
  if (count() === 0 || !client.mailbox) return [];
  const names = new Map<string, string>();
  for (const name of client.mailbox.flags ?? []) {
    const mark = readMark(name);
    if (mark !== undefined && names.size < maxKeywords) names.set(name, mark);
  }
  const found: { readonly name: string; has(uid: number): boolean }[] = [];
  for (const name of names.keys()) {
    // Fewer mails are unread than read.
    const isSeen = name.toLowerCase() === "\\seen";
    const uids = await client.search(isSeen ? { seen: false } : describeSearch(name), { uid: true });
    if (!uids) throw createLostConnection();
    const set = new Set(uids);
    found.push({ name, has: (uid) => set.has(uid) !== isSeen });
  }
  const isChanged = (uid: number): boolean =>
    memory.get(uid) !== undefined &&
    memory.getMarks(uid) !== formatMarks(found.filter(({ has }) => has(uid)).map(({ name }) => name));
  return [...memory.uids()].filter(isChanged);
}

function describeSearch(name: string) {
  switch (name.toLowerCase()) {
    case "\\answered":
      return { answered: true };
    case "\\deleted":
      return { deleted: true };
    case "\\draft":
      return { draft: true };
    case "\\flagged":
      return { flagged: true };
    default:
      return { keyword: name };
  }
}
