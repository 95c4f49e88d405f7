import type { PSTAttachment, PSTMessage } from "pst-extractor";
import { cleanText } from "../../core/text/clean.ts";
import { guessMimeType } from "../../core/text/paths.ts";
import { extractRtfText } from "./rtf-text.ts";

/** Puts a mail together again from what Outlook keeps of it: its headers and its parts. */

const maxDepth = 4;
/** As in mail files. */
const maxBytes = 128 * 1024 * 1024;

export class MailTooLong extends Error {}

export function buildMail(message: PSTMessage, depth = 0): Buffer {
  const parts: Buffer[] = [Buffer.from(buildHeaders(message))];
  const attachments = listAttachments(message);
  // The same in every run, because ids of mails without one are digests. It cannot be in a part: they are in base64.
  const boundary = `part-of-outlook-${depth}`;
  const write = (text: string): void => void parts.push(Buffer.from(text));
  write(`MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`);
  const html = message.bodyHTML;
  const text = chooseText(message, html);
  if (text !== "") write(`--${boundary}\r\n${buildText("text/plain", text)}`);
  if (html.trim() !== "") write(`--${boundary}\r\n${buildText("text/html", html)}`);
  let bytes = 0;
  for (const attachment of attachments) {
    const part = buildAttachment(message, attachment, depth);
    bytes += part.length;
    if (bytes > maxBytes) throw new MailTooLong();
    write(`--${boundary}\r\n`);
    parts.push(part);
  }
  write(`--${boundary}--\r\n`);
  return Buffer.concat(parts);
}

/** Outlook derives the plain text from the HTML, so the mail is read as if it had only that. Sent mails often have only RTF. */
function chooseText(message: PSTMessage, html: string): string {
  if (html.trim() !== "") return "";
  const text = message.body;
  return text.trim() === "" ? extractRtfText(message.bodyRTF) : text;
}

function listAttachments(message: PSTMessage): PSTAttachment[] {
  const count = message.numberOfAttachments;
  return Array.from({ length: count }, (_, n) => message.getAttachment(n));
}

const ownHeader = /^(content-type|content-transfer-encoding|content-disposition|mime-version):/i;

/** The headers as they were sent, without those about the parts; made from its fields if it has none, as in Sent Items and drafts. */
function buildHeaders(message: PSTMessage): string {
  const lines = message.transportMessageHeaders
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/)
    .filter((line) => /^[!-9;-~]+:/.test(line) && !ownHeader.test(line));
  const has = (name: string): boolean => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  const add = (name: string, value: string): void => {
    if (value.trim() !== "" && !has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  };
  if (!has("from")) {
    const { senderName, senderEmailAddress, senderAddrtype } = message;
    add("From", formatAddress(senderName, senderAddrtype === "SMTP" ? senderEmailAddress : ""));
    const recipients = listRecipients(message);
    for (const [name, type] of [
      ["To", 1],
      ["Cc", 2],
      ["Bcc", 3],
    ] as const)
      add(name, recipients.flatMap((each) => (each.type === type ? [each.text] : [])).join(", "));
  }
  add("Subject", encodeWords(cleanSubject(message.subject)));
  add("Date", getSentTime(message)?.toUTCString().replace("GMT", "+0000") ?? "");
  add("Message-ID", message.internetMessageId);
  add("In-Reply-To", message.inReplyToId);
  return lines.map((line) => `${line}\r\n`).join("");
}

/** The library gives 1970 for a time that is empty. */
const getSentTime = ({ clientSubmitTime, messageDeliveryTime }: PSTMessage): Date | undefined =>
  [clientSubmitTime, messageDeliveryTime].find((time) => time !== null && time.getTime() > 0) ?? undefined;

/** As in a mailbox: its time counts if that of the headers cannot be read. */
export const buildEnvelope = (message: PSTMessage): string => {
  const time = getSentTime(message);
  return time === undefined ? "" : `From - ${time.toUTCString()}`;
};

/** Outlook puts a control character and the length of "Re: " first. */
const cleanSubject = (subject: string): string =>
  cleanText(subject.startsWith("\u0001") ? subject.slice(2) : subject).trim();

function listRecipients(message: PSTMessage): { readonly type: number; readonly text: string }[] {
  return Array.from({ length: message.numberOfRecipients }, (_, n) => message.getRecipient(n)).flatMap((recipient) => {
    if (recipient === null) return [];
    const { displayName, smtpAddress, emailAddress, addrType, recipientType } = recipient;
    const address = smtpAddress || (addrType === "SMTP" ? emailAddress : "");
    return [{ type: recipientType, text: formatAddress(displayName, address) }];
  });
}

/** Addresses of an Exchange server are not those of mails, and left out. */
function formatAddress(name: string, address: string): string {
  const plain = cleanText(name)
    .replace(/[\r\n]+/g, " ")
    .trim();
  if (address.trim() === "") return plain === "" ? "" : `${encodeWords(plain)} <>`;
  return plain === "" || plain === address ? `<${address}>` : `${encodeWords(plain)} <${address}>`;
}

/** A header may have ASCII only, and an encoded word 75 characters. */
function encodeWords(text: string): string {
  if (/^[ -~]*$/.test(text) && !/[<>"=?@,;:]/.test(text)) return text;
  const words: string[] = [];
  for (let rest = [...text]; rest.length > 0; rest = rest.slice(12)) words.push(rest.slice(0, 12).join(""));
  return words.map((word) => `=?utf-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}

const wrap = (base64: string): string => base64.replace(/.{76}/g, "$&\r\n");

const buildText = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${wrap(Buffer.from(text.toWellFormed()).toString("base64"))}\r\n`;

const embeddedMethod = 5;

function buildAttachment(message: PSTMessage, attachment: PSTAttachment, depth: number): Buffer {
  const embedded = attachment.attachMethod === embeddedMethod ? openEmbedded(message, attachment) : null;
  if (embedded !== null && depth < maxDepth) {
    const head = `Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), buildMail(embedded, depth + 1), Buffer.from("\r\n")]);
  }
  const name = attachment.longFilename || attachment.filename || attachment.displayName;
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(attachment.mimeTag) ? attachment.mimeTag : guessMimeType(name);
  const id = attachment.contentId.replace(/[^!-~]/g, "");
  const disposition = name === "" ? "" : `; filename*=utf-8''${encodeURIComponent(name.toWellFormed())}`;
  const head = [
    `Content-Type: ${type.toLowerCase() === "message/rfc822" ? "application/octet-stream" : type}`,
    `Content-Disposition: attachment${disposition}`,
    "Content-Transfer-Encoding: base64",
    ...(id === "" ? [] : [`Content-ID: <${id}>`]),
  ];
  const content = wrap(readAttachment(attachment).toString("base64"));
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${content}\r\n`);
}

function readAttachment(attachment: PSTAttachment): Buffer {
  const stream = attachment.fileInputStream;
  if (stream === null) return Buffer.alloc(0);
  const size = stream.length.toNumber();
  if (size > maxBytes) throw new MailTooLong();
  const content = Buffer.alloc(size);
  if (size > 0) stream.readCompletely(content);
  return content;
}

/** The library opens an attached mail only if the attachment has a node, which it never has; the node of the mail around it does as well. */
function openEmbedded(message: PSTMessage, attachment: PSTAttachment): PSTMessage | null {
  Reflect.set(attachment, "descriptorIndexNode", Reflect.get(message, "descriptorIndexNode"));
  return attachment.embeddedPSTMessage;
}
