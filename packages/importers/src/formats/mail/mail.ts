import type { Answers, Claim, Importer, Item, Mark, RecordItem, RecordPreview } from "../../core/importer.ts";
import { createClaim, createFileRecord, mark, reject, yieldBytes } from "../../core/items.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { keepAsIs } from "../../core/retry.ts";
import { parseMaildirFlags } from "./flags.ts";
import { deriveMailId, findMailTime, parseHeaders } from "./headers.ts";
import { createMailReader, type MailReaders } from "./mail-reader.ts";
import { mailManifest } from "./manifest.ts";
import type { MailTask } from "./parse-mail.ts";
import type { MailFile, ParsedMail } from "./parsed-mail.ts";
import { beginsMail, splitMails } from "./split.ts";

/** The same mail may be in several files, of one or several formats. */
export const mailMergeRules: NonNullable<Importer["mergeRules"]> = {
  messages: {
    union: ["labels"],
    fill: ["html", "flags"],
    distinct: ["from_address", "subject"],
    owns: { stream: "attachments", field: "message_id" },
  },
  attachments: { fill: ["blob_ref", "content_id"] },
};

/** Mail files: mbox (with Gmail labels from Takeout), single mails, Maildir. */
export const createMailImporter = (readers: Partial<MailReaders> = {}): Importer => ({
  key: "mail-files",
  title: "Mail",
  version: "8",
  testedWith: "real files",
  manifest: mailManifest,
  mainStream: "messages",
  toStandaloneFile: keepAsIs,
  mergeRules: mailMergeRules,
  sniff: (path, { text }) => isMail(text, path),
  createClaims: async (found) => [createClaim("mail-files", "Mail", found)],
  read: (claim, answers, from) => read(claim, answers, from, readers),
  previewRecords,
  readsFilesAlone: true,
  describeName: (path) => JSON.stringify(parseMaildirFlags(path) ?? null),
  canContinueAt: beginsMail,
});

export const mail: Importer = createMailImporter();

const mailHeaderName =
  /^(from|to|cc|date|message-id|received|subject|return-path|delivered-to|mime-version|content-type|x-gm-thrid)[ \t]*:/i;
const requiredHeaders = ["from", "date", "message-id", "received"];

/** `cur/1700000000.M1P2.host:2,S`, as every program names the mails of a Maildir. */
const maildirPath = /(?:^|\/)(?:cur|new)\/(?:\d+[._][^/]*|[^/.]+|[^/]*:2,[A-Za-z]*)$/;

/**
 * A mail begins with at least two mail headers, optionally after an envelope; a file name ending in .eml, or a place in a Maildir, counts as
 * one. If the envelope or the name identifies it, a broken header line is tolerated, so that it does not cost a mailbox.
 */
function isMail(text: string, path: string): boolean {
  const isNamed = /\.eml$/i.test(path) || maildirPath.test(path);
  const lines = text.replace(/^\s+/, "").split(/\r?\n/);
  const hasEnvelope = lines[0]?.startsWith("From ") === true;
  const headers = hasEnvelope ? lines.slice(1) : lines;
  const names = new Set<string>();
  let hasEnded = false;
  for (const line of headers) {
    if (line === "") {
      hasEnded = true;
      break;
    }
    if (/^[ \t]/.test(line) || line.startsWith(">From ")) continue;
    if (!/^[!-9;-~]+:/.test(line)) {
      if (!hasEnvelope && !isNamed) return false;
      continue;
    }
    const name = mailHeaderName.exec(line)?.[1]?.toLowerCase();
    if (name !== undefined) names.add(name);
  }
  // The known headers may follow more of others than are shown here.
  if (isNamed && !hasEnded && headers.length > 100) return true;
  return isNamed ? names.size >= 1 : names.size >= 2 && requiredHeaders.some((name) => names.has(name));
}

/** Uses the headers only. */
async function* previewRecords(claim: Claim, _: Answers, from?: Mark): AsyncGenerator<RecordPreview> {
  for (const { entry, start } of listRemainingEntries(claim, from)) {
    for await (const { bytes, envelope } of splitMails(entry, start)) {
      const headers = parseHeaders(bytes);
      yield {
        stream: "messages",
        key: deriveMailId(headers, bytes),
        at: findMailTime(headers, envelope).at ?? undefined,
      };
    }
  }
}

/** A mail and its place in the file. */
interface PlacedMail extends MailTask {
  readonly path: string;
  readonly offset: number;
  readonly mark: Mark;
  readonly isCut: boolean;
}

async function* listMails(claim: Claim, from: Mark | undefined): AsyncGenerator<PlacedMail> {
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    for await (const { bytes, envelope, offset, end, isCut } of splitMails(entry, start)) {
      const own = new Uint8Array(bytes);
      yield {
        bytes: own,
        envelope,
        flags: parseMaildirFlags(entry.path),
        path: entry.path,
        offset,
        mark: mark(index, end),
        isCut,
      };
    }
  }
}

async function* read(
  claim: Claim,
  { attachments: keepsBytes }: Answers,
  from: Mark | undefined,
  readers: Partial<MailReaders>,
): AsyncGenerator<Item> {
  const reader = createMailReader(readers);
  try {
    for await (const batch of reader.readAll(listMails(claim, from), keepsBytes)) {
      for (const { mail, found } of batch) {
        yield* createMailItems(mail, found, keepsBytes);
        yield mail.mark;
      }
    }
  } finally {
    await reader.close();
  }
}

export function createMailItems(
  { path, offset, bytes }: Pick<PlacedMail, "path" | "offset" | "bytes">,
  found: ParsedMail,
  keepsBytes: boolean,
): Item[] {
  if ("code" in found) return [reject(path, offset, found.code, found.reason, bytes)];
  const { html, message, files } = found;
  const blob = { field: "html", mimeType: "text/html", bytes: () => yieldBytes(html) };
  return [
    createFileRecord("messages", html.length > 0 ? blob : undefined, message),
    ...files.map((file) => createAttachment(file, keepsBytes)),
  ];
}

function createAttachment({ data, mimeType, bytes }: MailFile, keepsBytes: boolean): RecordItem {
  const blob = { field: "blob_ref", mimeType, bytes: () => yieldBytes(bytes) };
  return createFileRecord("attachments", keepsBytes && bytes.length > 0 ? blob : undefined, data);
}
