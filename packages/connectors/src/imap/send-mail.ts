import { hash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { MailFile, MailParts } from "@pdpp/importers/mail/parsed-mail";
import type { ConnectorRun } from "../kit/run-connector.ts";
import type { Mail } from "./mails.ts";

/** Digest of what distinguishes mails with the same Message-ID: the fields that imports compare. */
export function digestIdentity({ from_address = null, subject = null }: JsonObject): number {
  return Number.parseInt(hash("sha256", JSON.stringify([from_address, subject]), "hex").slice(0, 12), 16);
}

/** Sends a mail and its attachments in the shapes of mail imports. False if the mail is too long for a message of the protocol. */
export async function sendMail(
  run: ConnectorRun,
  mail: Mail,
  { message, files, html }: MailParts,
  more: { readonly labels: readonly string[]; readonly thread_id?: string },
): Promise<boolean> {
  if (run.wants("messages")) {
    const page = html.length === 0 ? undefined : await run.putBlob("messages", mail.id, "text/html", html);
    const data = { ...message, id: mail.id, html: page ?? null, ...more, labels: [...more.labels] };
    if (!(await run.putRecord("messages", mail.id, data))) return false;
  }
  if (run.wants("attachments")) for (const [n, file] of files.entries()) await sendFile(run, mail, file, n);
  return true;
}

async function sendFile(run: ConnectorRun, mail: Mail, { data, mimeType, bytes }: MailFile, n: number): Promise<void> {
  const id = nameFile(mail, n);
  const blob = bytes.length === 0 ? undefined : await run.putBlob("attachments", id, mimeType, bytes);
  const record = { ...data, id, message_id: mail.id, blob_ref: blob ?? null };
  if (await run.putRecord("attachments", id, record)) return;
  const note = "its text is too long to be sent";
  await run.putRecord("attachments", id, { ...record, text: null, text_from: null, text_truncated: false, note });
}

export async function deleteMail(run: ConnectorRun, mail: Mail): Promise<void> {
  if (run.wants("messages")) await run.deleteRecord("messages", mail.id, { id: mail.id });
  if (!run.wants("attachments")) return;
  for (let n = 0; n < mail.files; n += 1) {
    const id = nameFile(mail, n);
    await run.deleteRecord("attachments", id, { id });
  }
}

const nameFile = ({ id }: Mail, n: number): string => `${id}/${n + 1}`;
