import { PSTFile, PSTFolder, PSTMessage } from "pst-extractor";
import { cleanText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { answerTasks } from "../../core/workers/answer-tasks.ts";
import { sortFlags } from "../mail/flags.ts";
import { parseMail } from "../mail/parse-mail.ts";
import { usePlainBlob } from "../mail/plain-blob.ts";
import { buildEnvelope, buildMail, MailTooLong } from "./build-mail.ts";
import type { PstAnswer, PstFolder, PstItem, PstTask } from "./pst-messages.ts";

/** Reads one PST file at a time. */

usePlainBlob();
// The library writes what it skips to the console.
for (const name of ["log", "error", "warn"] as const) console[name] = () => undefined;

interface OpenFile {
  readonly path: string;
  readonly file: PSTFile;
  readonly folders: readonly { readonly folder: PSTFolder; readonly path: string; readonly items: number }[];
  readonly problems: readonly string[];
}

let current: OpenFile | undefined;

answerTasks(async (task: PstTask): Promise<PstAnswer> => {
  if (task.kind === "open") {
    const { folders, problems } = openFile(task.file);
    const listed: PstFolder[] = folders.map(({ path, items }) => ({ path, items }));
    return { kind: "opened", folders: listed, problems: [...problems] };
  }
  return readItems(openFile(task.file), task);
});

function openFile(path: string): OpenFile {
  if (current?.path === path) return current;
  current?.file.close();
  current = undefined;
  const file = new PSTFile(path);
  const problems: string[] = [];
  current = { path, file, folders: listFolders(file, problems), problems };
  return current;
}

const searchFolder = 3;
const maxFolders = 100_000;
const maxDepth = 100;

function listFolders(file: PSTFile, problems: string[]): OpenFile["folders"] {
  const found: { folder: PSTFolder; path: string; items: number }[] = [];
  const seen = new Set<number>();
  const visit = (folder: PSTFolder, path: string, depth: number): void => {
    const id = folder.descriptorNodeId.toNumber();
    if (seen.has(id) || seen.size >= maxFolders || depth > maxDepth) return;
    seen.add(id);
    // The results of a saved search are items of other folders.
    if (folder.getNodeType() !== searchFolder) found.push({ folder, path, items: Math.max(0, folder.contentCount) });
    let inner: PSTFolder[] = [];
    try {
      inner = folder.hasSubfolders ? folder.getSubFolders() : [];
    } catch (error) {
      problems.push(`${path === "" ? "the first folder" : path}: ${describeError(error)}`);
    }
    for (const each of inner) {
      const name = cleanText(each.displayName).replaceAll("/", "_");
      if (each instanceof PSTFolder) visit(each, path === "" ? name : `${path}/${name}`, depth + 1);
    }
  };
  visit(file.getRootFolder(), "", 0);
  return found;
}

/** One answer has about this much. */
const maxAnswerBytes = 1024 * 1024;

async function readItems(
  { folders }: OpenFile,
  { folder: index, from, count, keepsBytes }: Extract<PstTask, { kind: "read" }>,
): Promise<PstAnswer> {
  const place = folders[index];
  if (place === undefined) return { kind: "read", items: [], next: from, isEnd: true };
  const items: PstItem[] = [];
  let bytes = 0;
  let last: number | undefined;
  // Without a table, the library looks for the items itself and says when there are no more.
  const rows = place.folder.emailCount;
  const end = rows < 0 ? place.items : Math.min(place.items, rows);
  for (let at = from; at < end; at += 1) {
    if (items.length >= count || bytes >= maxAnswerBytes) return { kind: "read", items, next: at, isEnd: false };
    try {
      place.folder.moveChildCursorTo(at);
      const child: unknown = place.folder.getNextChild();
      if (child === null) return { kind: "read", items, next: place.items, isEnd: true };
      if (!(child instanceof PSTMessage)) throw new Error("it is no message");
      const id = child.descriptorNodeId.toNumber();
      // The library skips what it cannot read, and gives the next one.
      if (id === last) throw new Error("it is damaged");
      last = id;
      const { messageClass } = child;
      if (!isMail(messageClass)) {
        items.push({ kind: "other", reason: `${cleanText(messageClass) || "unknown"} is not a mail` });
        continue;
      }
      const mail = buildMail(child);
      bytes += mail.length;
      const task = { bytes: mail, envelope: buildEnvelope(child), flags: listFlags(child) };
      items.push({ kind: "mail", mail: await parseMail(task, keepsBytes) });
    } catch (error) {
      if (error instanceof MailTooLong)
        items.push({ kind: "mail", mail: { code: "too_long", reason: "longer than 128 MiB" } });
      // Most of them are slips of the library on damaged data, which say nothing about the file.
      else items.push({ kind: "failed", reason: error instanceof TypeError ? "it is damaged" : describeError(error) });
    }
  }
  return { kind: "read", items, next: place.items, isEnd: true };
}

/** Mails, meeting requests, and reports about mails. */
const isMail = (messageClass: string): boolean => /^(REPORT\.)?IPM\.(Note|Schedule\.Meeting)\b/i.test(messageClass);

/** The last reply or forward, as Outlook numbers them (PidTagLastVerbExecuted). */
const verbs: ReadonlyMap<number, string> = new Map([
  [102, "answered"],
  [103, "answered"],
  [104, "forwarded"],
]);

const listFlags = (message: PSTMessage): string[] =>
  sortFlags([
    message.isRead ? "seen" : undefined,
    message.isUnsent ? "draft" : undefined,
    verbs.get(message.lastVerbExecuted),
  ]);
