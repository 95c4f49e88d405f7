import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import PostalMime, { type Address, type Attachment, decodeWords, type Email } from "postal-mime";
import { cleanText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { guessMimeType } from "../../core/text/paths.ts";
import { detectDocumentKind } from "../../documents/document-kinds.ts";
import { createFileText, type FileText, noText } from "../../documents/file-text.ts";
import { extractFileText } from "./attachment-text.ts";
import { correctDeclaredCharset, declareGuessedCharset } from "./charsets.ts";
import { parseHeaderFlags, parseLabels } from "./flags.ts";
import {
  countLeadingBlanks,
  deriveMailId,
  findMailTime,
  getHeader,
  type Headers,
  parseHeaders,
  parseIds,
} from "./headers.ts";
import type { MailFile, MailParts, ParsedMail } from "./parsed-mail.ts";

/** Parses a mail into records; runs in a process with limits. */

export interface MailTask {
  readonly bytes: Uint8Array;
  readonly envelope: string;
  /** Flags that are kept outside the mail; undefined if they are in its headers, or nowhere. */
  readonly flags?: readonly string[] | undefined;
}

export interface MailBatch {
  readonly mails: readonly MailTask[];
  /** Whether attachment bytes are wanted, not only their text. */
  readonly keepsBytes: boolean;
}

const mailHeaderNames = ["from", "date", "message-id", "subject", "received", "to", "cc", "content-type"];

export async function parseMail({ bytes, envelope, flags }: MailTask, keepsBytes: boolean): Promise<ParsedMail> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers = parseHeaders(raw);
  if (!mailHeaderNames.some((name) => headers.has(name))) return { code: "not_a_mail", reason: "no mail headers" };
  let email: Email;
  try {
    email = await readMail(raw.subarray(countLeadingBlanks(raw)));
  } catch (error) {
    return { code: "malformed", reason: `cannot be parsed: ${describeError(error)}` };
  }
  const parts = await toMailParts(
    headers,
    deriveMailId(headers, raw),
    findMailTime(headers, envelope),
    email,
    keepsBytes,
  );
  return flags === undefined ? parts : { ...parts, message: { ...parts.message, flags: [...flags] } };
}

/** Retries with a guessed charset if characters were lost, and keeps the better result. */
async function readMail(raw: Buffer): Promise<Email> {
  const options = { rfc822Attachments: true };
  const email = await PostalMime.parse(correctDeclaredCharset(raw), options);
  if (countLostCharacters(email) === 0) return email;
  const again = await PostalMime.parse(declareGuessedCharset(raw), options);
  return countLostCharacters(again) < countLostCharacters(email) ? again : email;
}

function countLostCharacters({ subject, text, html, from, to, cc }: Email): number {
  const named = [from, ...(to ?? []), ...(cc ?? [])].map((each) => each?.name);
  return [subject, text, html, ...named].reduce((sum, each = "") => sum + each.split("\ufffd").length - 1, 0);
}

async function toMailParts(
  headers: Headers,
  id: string,
  { at, source }: ReturnType<typeof findMailTime>,
  email: Email,
  keepsBytes: boolean,
): Promise<MailParts> {
  const [replied] = parseIds(getHeader(headers, "in-reply-to"));
  const [root] = parseIds(getHeader(headers, "references"));
  const thread = getHeader(headers, "x-gm-thrid");
  const list = getHeader(headers, "list-id");
  const labels = parseLabels(headers);
  const content = await extractBody(email);
  const sender = listMailboxes(email.from === undefined ? [] : [email.from])[0];
  const files: MailFile[] = [];
  for (const [n, file] of email.attachments.entries()) files.push(await createMailFile(id, at, file, n, keepsBytes));
  const message = {
    id,
    thread_id: thread === undefined ? (root ?? replied ?? id) : `gmail:${cleanText(thread)}`,
    in_reply_to_id: replied ?? null,
    from_name: sender === undefined ? null : sender.name || sender.address,
    from_address: sender?.address || null,
    to: formatAddresses(email.to),
    cc: formatAddresses(email.cc),
    bcc: formatAddresses(email.bcc),
    reply_to: formatAddresses(email.replyTo),
    subject: cleanText(email.subject ?? ""),
    body_text: content.text,
    html: null,
    body_from: content.from,
    sent_at: at,
    time_source: source,
    labels,
    flags: parseHeaderFlags(headers, labels) ?? null,
    list_id: list === undefined ? null : cleanText(decodeWords(list)),
    has_attachments: files.length > 0,
    attachments: files.flatMap(({ data: { name } }) => (typeof name === "string" ? [name] : [])),
    extra: {},
  };
  return { message, files, html: keepsBytes ? encodeHtml(email.html) : new Uint8Array() };
}

/** Longer HTML, almost always with pictures embedded as text, is not kept; its text is. */
const maxHtmlBytes = 1_000_000;

function encodeHtml(html = ""): Uint8Array<ArrayBuffer> {
  const bytes = html.trim() === "" ? new Uint8Array() : new TextEncoder().encode(html);
  return bytes.length > maxHtmlBytes ? new Uint8Array() : bytes;
}

async function extractBody({ text, html }: Email): Promise<{ text: string; from: string | null }> {
  const plain = tidy(text ?? "");
  if (plain !== "") return { text: plain, from: "text" };
  if (html === undefined || html === "") return { text: "", from: null };
  return { text: tidy(await extractHtmlText(html, false)), from: "html" };
}

/** Normalizes line endings, which depend on the file. */
const tidy = (text: string): string => cleanText(text.replaceAll("\r\n", "\n")).trimEnd();

function listMailboxes(addresses: readonly Address[]): { name: string; address: string }[] {
  return addresses.flatMap((each) =>
    each.group === undefined
      ? [{ name: cleanText(each.name), address: cleanText(each.address).toLowerCase() }]
      : listMailboxes(each.group),
  );
}

const formatAddresses = (addresses: readonly Address[] = []): string[] =>
  listMailboxes(addresses).map(({ name, address }) =>
    name === "" || name === address ? address : `${name} <${address}>`,
  );

function chooseFileName({ filename, mimeType }: Attachment, n: number): string {
  if (filename !== null && filename.trim() !== "") return cleanText(filename);
  return mimeType === "message/rfc822" ? `mail-${n + 1}.eml` : `part-${n + 1}`;
}

async function createMailFile(
  messageId: string,
  sentAt: string | null,
  file: Attachment,
  n: number,
  keepsBytes: boolean,
): Promise<MailFile> {
  const bytes = copyBytes(file);
  const name = chooseFileName(file, n);
  const mimeType = cleanText(file.mimeType === "application/octet-stream" ? guessMimeType(name) : file.mimeType);
  const document = detectDocumentKind(mimeType, name);
  const found =
    mimeType === "message/rfc822" ? await extractForwardedText(bytes) : await extractFileText(bytes, mimeType);
  const data = {
    id: `${messageId}/${n + 1}`,
    message_id: messageId,
    name,
    mime_type: mimeType,
    size_bytes: bytes.length,
    sent_at: sentAt,
    text: found.text,
    text_from: found.from,
    text_truncated: found.isTruncated,
    note: found.note,
    content_id: parseContentId(file.contentId),
    blob_ref: null,
  };
  if (document !== undefined) return { data, mimeType, document, bytes };
  return { data, mimeType, bytes: keepsBytes ? bytes : new Uint8Array() };
}

/** Without the brackets around it, as `cid:` addresses write it. */
function parseContentId(header = ""): string | null {
  const id = cleanText(header).trim().replace(/^<|>$/g, "");
  return id === "" ? null : id;
}

/** In their own memory, because they are transferred to another thread. */
function copyBytes({ content }: Attachment): Uint8Array<ArrayBuffer> {
  if (typeof content === "string") return new TextEncoder().encode(content);
  return content instanceof ArrayBuffer ? new Uint8Array(content) : new Uint8Array(content);
}

/** The text of an attached mail. */
async function extractForwardedText(bytes: Uint8Array): Promise<FileText> {
  try {
    const email = await readMail(Buffer.from(bytes));
    const { text } = await extractBody(email);
    const [sender = ""] = formatAddresses(email.from === undefined ? [] : [email.from]);
    const content = `${sender}\n${cleanText(email.subject ?? "")}\n\n${text}`.trim();
    return createFileText(content, "mail");
  } catch {
    return { ...noText, note: "the attached mail could not be read" };
  }
}
