import { hash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { MailParts } from "@pdpp/importers/mail/parsed-mail";
import type { BlobReference } from "../kit/blobs.ts";
import type { ConnectorRun } from "../kit/run-connector.ts";
import type { Mail } from "./mails.ts";

/** Digest of what distinguishes mails with the same Message-ID: the fields that imports compare. */
export function digestIdentity({ from_address = null, subject = null }: JsonObject): number {
  return Number.parseInt(hash("sha256", JSON.stringify([from_address, subject]), "hex").slice(0, 12), 16);
}

/** References to a mail's stored HTML and attachments, if the host accepts files. */
export interface StoredFiles {
  readonly page: BlobReference | undefined;
  readonly files: readonly (BlobReference | undefined)[];
}

export async function storeFiles(run: ConnectorRun, { message, files, html }: MailParts): Promise<StoredFiles> {
  const id = String(message.id);
  const store = (stream: string, key: string, mimeType: string, bytes: Uint8Array) =>
    bytes.length > 0 && run.wants(stream) ? run.putBlob(stream, key, mimeType, bytes) : undefined;
  const page = store("messages", id, "text/html", html);
  const stored = await Promise.all([
    page,
    ...files.map(({ mimeType, bytes }, n) => store("attachments", nameFile(id, n), mimeType, bytes)),
  ]);
  return { page: stored[0], files: stored.slice(1) };
}

/** Sends a mail and its attachments in the shapes of mail imports. False if the mail is too long for a message of the protocol. */
export async function sendMail(
  run: ConnectorRun,
  { id }: Mail,
  { message, files }: MailParts,
  stored: StoredFiles,
  more: { readonly labels: readonly string[]; readonly flags: readonly string[]; readonly thread_id?: string },
): Promise<boolean> {
  if (run.wants("messages")) {
    const data = {
      ...message,
      id,
      html: stored.page ?? null,
      ...more,
      labels: [...more.labels],
      flags: [...more.flags],
    };
    if (!(await run.putRecord("messages", id, data))) return false;
  }
  if (!run.wants("attachments")) return true;
  for (const [n, { data }] of files.entries())
    await sendFile(run, { ...data, id: nameFile(id, n), message_id: id, blob_ref: stored.files[n] ?? null });
  return true;
}

async function sendFile(run: ConnectorRun, data: JsonObject & { readonly id: string }): Promise<void> {
  if (await run.putRecord("attachments", data.id, data)) return;
  const note = "its text is too long to be sent";
  await run.putRecord("attachments", data.id, { ...data, text: null, text_from: null, text_truncated: false, note });
}

export async function deleteMail(run: ConnectorRun, mail: Mail): Promise<void> {
  if (run.wants("messages")) await run.deleteRecord("messages", mail.id, { id: mail.id });
  if (!run.wants("attachments")) return;
  for (let n = 0; n < mail.files; n += 1) {
    const id = nameFile(mail.id, n);
    await run.deleteRecord("attachments", id, { id });
  }
}

const nameFile = (id: string, n: number): string => `${id}/${n + 1}`;
