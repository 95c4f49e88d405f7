import type { MailDraft } from "#demo/drafts";
import { utc } from "#demo/local-time";
import { pdf } from "#demo/pdf";
import { ada, type Person, person } from "#demo/people";
import { idNumber } from "./ids.ts";

/** Mailboxes as mbox files: Gmail's of Takeout, with its labels and threads, and a plain one as mail programs export it. */

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const days = "Sun Mon Tue Wed Thu Fri Sat".split(" ");
const two = (n: number): string => String(n).padStart(2, "0");

/** `Mon Jan 12 05:48:00 +0000 2026`, as Gmail has it; other programs leave the zone out. */
function envelopeTime(at: Date, zone: string): string {
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(":");
  return `${days[at.getUTCDay()]} ${months[at.getUTCMonth()]} ${two(at.getUTCDate())} ${clock}${zone} ${at.getUTCFullYear()}`;
}

/** `Mon, 12 Jan 2026 06:48:00 +0100`: by the clock of the household. */
function headerDate(local: string): string {
  const hours = (Date.parse(`${local.replace(" ", "T")}:00Z`) - Date.parse(utc(local))) / 3_600_000;
  const on = new Date(`${local.replace(" ", "T")}:00Z`);
  return `${days[on.getUTCDay()]}, ${on.getUTCDate()} ${months[on.getUTCMonth()]} ${local.slice(0, 4)} ${local.slice(11)}:00 +${two(hours)}00`;
}

/** A text as headers may have it: in words of at most 75 characters where it is not ASCII. */
function word(text: string): string {
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

const named = ({ name, address }: Person): string =>
  `${/^[\w .-]+$/.test(name) ? name : /^[\x20-\x7e]+$/.test(name) ? `"${name}"` : word(name)} <${address}>`;

function quotedPrintable(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const parts: string[] = [];
      let part = "";
      for (const byte of Buffer.from(line)) {
        const isPlain = byte >= 32 && byte <= 126 && byte !== 61;
        const written = isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
        if (part.length + written.length > 75) {
          parts.push(`${part}=`);
          part = "";
        }
        part += written;
      }
      // A space at the end of a line would be lost on the way.
      return [...parts, part.replace(/ $/, "=20")].join("\r\n");
    })
    .join("\r\n");
}

const base64 = (bytes: Uint8Array): string =>
  (
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,76}/g) ?? []
  ).join("\r\n");

/** The demo knows names and sizes of most files; the page and the picture stand for what was in them. */
const smallestJpeg =
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=";

const fileBytes = ({ filename, mime_type, bytes }: MailDraft["files"][number]): Uint8Array =>
  bytes?.() ??
  (mime_type === "image/jpeg" ? Buffer.from(smallestJpeg, "base64") : pdf(filename, [[72, 760, 12, filename]]));

function content(mail: MailDraft): string[] {
  const text = [
    'Content-Type: text/plain; charset="UTF-8"',
    "Content-Transfer-Encoding: quoted-printable",
    "",
    quotedPrintable(mail.body),
  ];
  if (mail.files.length === 0) return text;
  const boundary = `000000000000${idNumber(mail.id).toString(16)}`;
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    ...text,
    ...mail.files.flatMap((file) => [
      `--${boundary}`,
      `Content-Type: ${file.mime_type}; name="${file.filename}"`,
      `Content-Disposition: attachment; filename="${file.filename}"`,
      "Content-Transfer-Encoding: base64",
      "",
      base64(fileBytes(file)),
    ]),
    `--${boundary}--`,
  ];
}

const messageId = ({ id }: MailDraft): string => `<${id}@mail.example.net>`;

function written(mail: MailDraft, own: readonly string[]): string {
  const someone = (who: string): Person => (who === "ada" ? ada(mail.box, mail.at) : person(who));
  const references: string[] = [];
  for (let parent = mail.replyTo; parent; parent = parent.replyTo) references.unshift(messageId(parent));
  return [
    ...own,
    ...(mail.from === "ada" ? [] : [`Delivered-To: ${ada(mail.box, mail.at).address}`]),
    "MIME-Version: 1.0",
    ...(mail.list ? [`List-Id: <${mail.list}>`, `List-Unsubscribe: <https://${mail.list}/unsubscribe>`] : []),
    ...(references.length === 0
      ? []
      : [`References: ${references.join("\r\n ")}`, `In-Reply-To: ${references.at(-1)}`]),
    `From: ${named(someone(mail.from))}`,
    `Date: ${headerDate(mail.at)}`,
    `Message-ID: ${messageId(mail)}`,
    `Subject: ${word(mail.subject)}`,
    `To: ${mail.to.map((who) => named(someone(who))).join(",\r\n ")}`,
    ...(mail.cc.length === 0 ? [] : [`Cc: ${mail.cc.map((who) => named(someone(who))).join(",\r\n ")}`]),
    ...content(mail),
    "",
    "",
  ].join("\r\n");
}

/** A line that looks like the beginning of the next mail gets a mark before it. */
const boxed = (envelope: string, mail: string): string => `${envelope}\r\n${mail.replace(/^(>*From )/gm, ">$1")}`;

/** `Takeout/Mail/All mail Including Spam and Trash.mbox`. */
export const gmailBox = (mails: readonly MailDraft[]): string =>
  mails
    .map((mail) => {
      const place = mail.from === "ada" ? "Sent" : mail.list ? "Newsletters" : "Inbox";
      const own = [
        `X-GM-THRID: ${idNumber(mail.thread)}`,
        `X-Gmail-Labels: ${word(["Archived", place, ...mail.labels].join(","))}`,
      ];
      return boxed(
        `From ${idNumber(mail.id)}@xxx ${envelopeTime(new Date(utc(mail.at)), " +0000")}`,
        written(mail, own),
      );
    })
    .join("");

/** What a mail program writes: who sent it in the envelope, no labels. */
export const plainBox = (mails: readonly MailDraft[]): string =>
  mails
    .map((mail) => {
      const sender = mail.from === "ada" ? ada(mail.box, mail.at) : person(mail.from);
      return boxed(`From ${sender.address} ${envelopeTime(new Date(utc(mail.at)), "")}`, written(mail, []));
    })
    .join("");
