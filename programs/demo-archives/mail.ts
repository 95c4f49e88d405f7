import type { Mail, Person } from "./household.ts";
import { createIdNumber } from "./ids.ts";
import { toLocalTime } from "./local-time.ts";
import { buildPdf } from "./pdf.ts";

/** Mailboxes as mbox files: Gmail's from Takeout, with labels and threads, and a plain one as mail programs export it. */

/** Attachments that the demo stores; of the others it has only names and sizes. */
type FileBytes = ReadonlyMap<string, Uint8Array>;

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const days = "Sun Mon Tue Wed Thu Fri Sat".split(" ");
const padTwo = (n: number): string => String(n).padStart(2, "0");

/** `Mon Jan 12 05:48:00 +0000 2026` as Gmail writes it; other programs omit the zone. */
function formatEnvelopeTime(instant: string, zone: string): string {
  const at = new Date(instant);
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(padTwo).join(":");
  return `${days[at.getUTCDay()]} ${months[at.getUTCMonth()]} ${padTwo(at.getUTCDate())} ${clock}${zone} ${at.getUTCFullYear()}`;
}

/** `Mon, 12 Jan 2026 06:48:00 +0100`, by the household's clock. */
function formatHeaderDate(instant: string): string {
  const local = toLocalTime(instant);
  const on = new Date(`${local}Z`);
  const hours = (on.getTime() - Date.parse(instant)) / 3_600_000;
  return `${days[on.getUTCDay()]}, ${on.getUTCDate()} ${months[on.getUTCMonth()]} ${local.slice(0, 4)} ${local.slice(11)} +${padTwo(hours)}00`;
}

/** Encodes text for a header: unless it is ASCII, as encoded words of at most 75 characters (RFC 2047). */
function encodeWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !/=\?/.test(text)) return text;
  const chunks: string[] = [];
  let chunk = "";
  for (const char of text) {
    if (Buffer.byteLength(chunk + char) > 45) {
      chunks.push(chunk);
      chunk = "";
    }
    chunk += char;
  }
  return [...chunks, chunk].map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join("\r\n ");
}

const formatAddress = ({ name, address }: Person): string =>
  `${/^[\w .-]+$/.test(name) ? name : /^[\x20-\x7e]+$/.test(name) ? `"${name}"` : encodeWords(name)} <${address}>`;

function encodeQuotedPrintable(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const parts: string[] = [];
      let part = "";
      for (const byte of Buffer.from(line)) {
        const isLiteral = byte >= 32 && byte <= 126 && byte !== 61;
        const encoded = isLiteral ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
        if (part.length + encoded.length > 75) {
          parts.push(`${part}=`);
          part = "";
        }
        part += encoded;
      }
      // Mail servers may strip trailing spaces.
      return [...parts, part.replace(/ $/, "=20")].join("\r\n");
    })
    .join("\r\n");
}

const encodeBase64 = (bytes: Uint8Array): string =>
  (
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,76}/g) ?? []
  ).join("\r\n");

/** Stands in for a picture that the demo does not store. */
const smallestJpeg =
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=";

const readAttachment = ({ filename, mime_type }: Mail["attachments"][number], fileBytes: FileBytes): Uint8Array =>
  fileBytes.get(filename) ??
  (mime_type === "image/jpeg" ? Buffer.from(smallestJpeg, "base64") : buildPdf(filename, [[72, 760, 12, filename]]));

function formatContent(mail: Mail, fileBytes: FileBytes): string[] {
  const text = [
    'Content-Type: text/plain; charset="UTF-8"',
    "Content-Transfer-Encoding: quoted-printable",
    "",
    encodeQuotedPrintable(mail.body_text),
  ];
  if (mail.attachments.length === 0) return text;
  const boundary = `000000000000${createIdNumber(mail.id).toString(16)}`;
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    ...text,
    ...mail.attachments.flatMap((file) => [
      `--${boundary}`,
      `Content-Type: ${file.mime_type}; name="${file.filename}"`,
      `Content-Disposition: attachment; filename="${file.filename}"`,
      "Content-Transfer-Encoding: base64",
      "",
      encodeBase64(readAttachment(file, fileBytes)),
    ]),
    `--${boundary}--`,
  ];
}

/** Splits `Name <address>`. */
function parsePerson(text: string): Person {
  const [, name, address] = /^(.+) <(.+)>$/.exec(text) ?? [];
  if (name === undefined || address === undefined) throw new Error(`not a name and address: ${text}`);
  return { name, address };
}

const formatAddressList = (list: readonly string[]): string =>
  list.map((text) => formatAddress(parsePerson(text))).join(",\r\n ");

function formatMail(mail: Mail, firstHeaders: readonly string[], fileBytes: FileBytes): string {
  const { "Message-ID": messageId, References: references, "List-Id": list } = mail.headers;
  return [
    ...firstHeaders,
    ...(mail.folder === "sent" ? [] : [`Delivered-To: ${mail.account}`]),
    "MIME-Version: 1.0",
    ...(list === undefined ? [] : [`List-Id: <${list}>`, `List-Unsubscribe: <https://${list}/unsubscribe>`]),
    ...(references === undefined
      ? []
      : [`References: ${references.join("\r\n ")}`, `In-Reply-To: ${references.at(-1)}`]),
    `From: ${formatAddress({ name: mail.from_name, address: mail.from_address })}`,
    `Date: ${formatHeaderDate(mail.sent_at)}`,
    `Message-ID: ${messageId}`,
    `Subject: ${encodeWords(mail.subject)}`,
    `To: ${formatAddressList(mail.to)}`,
    ...(mail.cc.length === 0 ? [] : [`Cc: ${formatAddressList(mail.cc)}`]),
    ...formatContent(mail, fileBytes),
    "",
    "",
  ].join("\r\n");
}

/** Escapes lines that look like the start of the next mail. */
const formatEntry = (envelope: string, mail: string): string => `${envelope}\r\n${mail.replace(/^(>*From )/gm, ">$1")}`;

const gmailFolders = { sent: "Sent", newsletters: "Newsletters", inbox: "Inbox" };

/** `Takeout/Mail/All mail Including Spam and Trash.mbox` */
export const writeGmailBox = (mails: readonly Mail[], fileBytes: FileBytes): string =>
  mails
    .map((mail) => {
      const gmailHeaders = [
        `X-GM-THRID: ${createIdNumber(mail.thread_id)}`,
        `X-Gmail-Labels: ${encodeWords(["Archived", gmailFolders[mail.folder], ...mail.labels].join(","))}`,
      ];
      return formatEntry(
        `From ${createIdNumber(mail.id)}@xxx ${formatEnvelopeTime(mail.sent_at, " +0000")}`,
        formatMail(mail, gmailHeaders, fileBytes),
      );
    })
    .join("");

/** A mail program's export: the sender in the envelope line, no labels. */
export const writePlainBox = (mails: readonly Mail[], fileBytes: FileBytes): string =>
  mails
    .map((mail) =>
      formatEntry(`From ${mail.from_address} ${formatEnvelopeTime(mail.sent_at, "")}`, formatMail(mail, [], fileBytes)),
    )
    .join("");
