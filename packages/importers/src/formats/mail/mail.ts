import { htmlText } from "@pdpp/evidence/html-text";
import PostalMime, { type Address, type Attachment, decodeWords, type Email } from "postal-mime";
import { asItIs } from "../../core/alone.ts";
import { cleanText } from "../../core/clean.ts";
import {
  type Answers,
  aside,
  type Claim,
  type Importer,
  type Item,
  type Mark,
  mark,
  newestOf,
  type Sighting,
} from "../../core/importer.ts";
import { mimeTypeOf } from "../../core/paths.ts";
import { textOfFile } from "./attachment-text.ts";
import { first, type Headers, headersOf, idsIn, mailId, mailTime } from "./headers.ts";
import { mailManifest } from "./manifest.ts";
import { mailsIn, type RawMail } from "./split.ts";

/** Mail as files: mbox, single mails, Maildir; Takeout's mbox with its labels. */
export const mail: Importer = {
  key: "mail-files",
  title: "Mail",
  version: "1",
  proof: "real files",
  manifest: mailManifest,
  about: "messages",
  alone: asItIs,
  merge: {
    messages: { union: ["labels"], distinct: ["from_address", "subject"] },
    attachments: { fill: ["blob_ref"] },
  },
  sniff: (path, { text }) => isMail(text, /\.eml$/i.test(path)),
  claims: async (found) => [
    { format: "mail-files", label: "Mail", entries: found, beside: [], exportedAt: newestOf(found), questions: [] },
  ],
  read,
  sightings,
};

const telling =
  /^(from|to|date|message-id|received|subject|return-path|delivered-to|mime-version|content-type|x-gm-thrid):/i;
const needed = ["from", "date", "message-id", "received"];

/** A file that begins with headers of which at least two belong to mail; before them may stand an envelope. A name may stand for one. */
function isMail(text: string, isNamed: boolean): boolean {
  const lines = text.replace(/^\s+/, "").split(/\r?\n/);
  const headers = lines[0]?.startsWith("From ") ? lines.slice(1) : lines;
  const names = new Set<string>();
  for (const line of headers) {
    if (line === "") break;
    if (/^[ \t]/.test(line) || line.startsWith(">From ")) continue;
    if (!/^[!-9;-~]+:/.test(line)) return false;
    const name = telling.exec(line)?.[1]?.toLowerCase();
    if (name !== undefined) names.add(name);
  }
  return isNamed ? names.size >= 1 : names.size >= 2 && needed.some((name) => names.has(name));
}

async function* mailsOf(claim: Claim, from?: Mark): AsyncGenerator<{ raw: RawMail; index: number; path: string }> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    const start = from !== undefined && index === from.entry ? from.offset : 0;
    for await (const raw of mailsIn(entry, start)) yield { raw, index, path: entry.path };
  }
}

async function* sightings(claim: Claim): AsyncGenerator<Sighting> {
  for await (const { raw } of mailsOf(claim)) {
    const headers = headersOf(raw.bytes);
    yield { stream: "messages", key: mailId(headers, raw.bytes), at: mailTime(headers, raw.envelope).at ?? undefined };
  }
}

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for await (const { raw, index, path } of mailsOf(claim, from)) {
    if (raw.isCut) yield aside(path, raw.offset, "too_long", "the mail is longer than 128 MiB", raw.bytes);
    else yield* parsed(raw, path, answers);
    yield mark(index, raw.end);
  }
}

async function* parsed(raw: RawMail, path: string, answers: Answers): AsyncGenerator<Item> {
  const headers = headersOf(raw.bytes);
  if (!["from", "date", "message-id", "subject", "received", "to", "content-type"].some((name) => headers.has(name))) {
    yield aside(path, raw.offset, "not_a_mail", "it has none of the headers of a mail", raw.bytes);
    return;
  }
  let email: Email;
  try {
    email = await PostalMime.parse(raw.bytes, { rfc822Attachments: true });
  } catch (error) {
    yield aside(
      path,
      raw.offset,
      "malformed",
      `it cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      raw.bytes,
    );
    return;
  }
  yield* records(raw, headers, email, answers);
}

async function* records(raw: RawMail, headers: Headers, email: Email, answers: Answers): AsyncGenerator<Item> {
  const id = mailId(headers, raw.bytes);
  const { at, source } = mailTime(headers, raw.envelope);
  const [replied] = idsIn(first(headers, "in-reply-to"));
  const [root] = idsIn(first(headers, "references"));
  const thread = first(headers, "x-gm-thrid");
  const said = await bodyOf(email);
  const sender = mailboxes(email.from === undefined ? [] : [email.from])[0];
  const files = email.attachments.map((file, n) => ({ file, name: nameOf(file, n) }));
  yield {
    kind: "record",
    stream: "messages",
    data: {
      id,
      thread_id: thread === undefined ? (root ?? replied ?? id) : `gmail:${cleanText(thread)}`,
      in_reply_to_id: replied ?? null,
      from_name: sender === undefined ? null : sender.name || sender.address,
      from_address: sender?.address || null,
      to: written(email.to),
      cc: written(email.cc),
      bcc: written(email.bcc),
      reply_to: written(email.replyTo),
      subject: cleanText(email.subject ?? ""),
      body_text: said.text,
      body_from: said.from,
      sent_at: at,
      time_source: source,
      labels: labelsOf(headers),
      list_id: first(headers, "list-id") === undefined ? null : cleanText(decodeWords(first(headers, "list-id") ?? "")),
      has_attachments: files.length > 0,
      attachments: files.map(({ name }) => name),
      extra: {},
    },
  };
  for (const [n, { file, name }] of files.entries()) yield await attachment(id, at, file, name, n, answers);
}

async function bodyOf({ text, html }: Email): Promise<{ text: string; from: string | null }> {
  const plain = tidy(text ?? "");
  if (plain !== "") return { text: plain, from: "text" };
  if (html === undefined || html === "") return { text: "", from: null };
  return { text: tidy(await htmlText(html, false)), from: "html" };
}

/** Line ends are the file's, not the mail's. */
const tidy = (text: string): string => cleanText(text.replaceAll("\r\n", "\n")).trimEnd();

function mailboxes(addresses: readonly Address[]): { name: string; address: string }[] {
  return addresses.flatMap((each) =>
    each.group === undefined
      ? [{ name: cleanText(each.name), address: cleanText(each.address).toLowerCase() }]
      : mailboxes(each.group),
  );
}

const written = (addresses: readonly Address[] = []): string[] =>
  mailboxes(addresses).map(({ name, address }) => (name === "" || name === address ? address : `${name} <${address}>`));

/** In the order of the alphabet: which came first says nothing. */
function labelsOf(headers: Headers): string[] {
  const said = [...(headers.get("x-gmail-labels") ?? []), ...(headers.get("x-keywords") ?? [])];
  const labels = said
    .flatMap((value) => decodeWords(value).split(","))
    .map((label) => cleanText(label).trim().replace(/^"|"$/g, ""));
  return [...new Set(labels.filter((label) => label !== ""))].sort();
}

function nameOf({ filename, mimeType }: Attachment, n: number): string {
  if (filename !== null && filename.trim() !== "") return cleanText(filename);
  return mimeType === "message/rfc822" ? `mail-${n + 1}.eml` : `part-${n + 1}`;
}

const bytesOf = ({ content }: Attachment): Buffer =>
  typeof content === "string"
    ? Buffer.from(content)
    : content instanceof Uint8Array
      ? Buffer.from(content)
      : Buffer.from(content);

async function attachment(
  messageId: string,
  sentAt: string | null,
  file: Attachment,
  name: string,
  n: number,
  answers: Answers,
): Promise<Item> {
  const bytes = bytesOf(file);
  const said = file.mimeType === "application/octet-stream" ? mimeTypeOf(name) : file.mimeType;
  const mimeType = cleanText(said);
  const found = mimeType === "message/rfc822" ? await forwarded(bytes) : await textOfFile(bytes, mimeType, name);
  return {
    kind: "record",
    stream: "attachments",
    data: {
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
      blob_ref: null,
    },
    ...(answers.attachments && bytes.length > 0
      ? {
          blob: {
            field: "blob_ref",
            mimeType,
            async *bytes() {
              yield bytes;
            },
          },
        }
      : {}),
  };
}

/** What a mail that was sent along says. */
async function forwarded(bytes: Buffer): ReturnType<typeof textOfFile> {
  try {
    const email = await PostalMime.parse(bytes, { rfc822Attachments: true });
    const { text } = await bodyOf(email);
    const [sender = ""] = written(email.from === undefined ? [] : [email.from]);
    return {
      text: `${sender}\n${cleanText(email.subject ?? "")}\n\n${text}`.trim().slice(0, 1_000_000),
      from: "mail",
      isTruncated: text.length > 1_000_000,
      note: null,
    };
  } catch {
    return { text: null, from: null, isTruncated: false, note: "the mail in it cannot be read" };
  }
}
