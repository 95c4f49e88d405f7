import type { JsonObject } from "@pdpp/contract/declaration";
import type { DemoRecord } from "../demo-types.ts";
import type { MailDraft } from "../drafts.ts";
import { collectedAt, utc } from "../local-time.ts";
import { ada, type Person, person } from "../people.ts";

export function* mailRecords(mails: readonly MailDraft[]): Iterable<DemoRecord> {
  for (const mail of mails) {
    const sentAt = utc(mail.at);
    yield { key: mail.id, emitted_at: collectedAt(sentAt), data: mailData(mail, sentAt) };
  }
}

function mailData(mail: MailDraft, sentAt: string): JsonObject {
  const someone = (who: string): Person => (who === "ada" ? ada(mail.box, mail.at) : person(who));
  const written = (who: string) => `${someone(who).name} <${someone(who).address}>`;
  const sender = someone(mail.from);
  const messageId = (draft: MailDraft) => `<${draft.id}@mail.example.net>`;
  const references: string[] = [];
  for (let parent = mail.replyTo; parent; parent = parent.replyTo) references.unshift(messageId(parent));
  return {
    id: mail.id,
    thread_id: mail.thread,
    in_reply_to_id: mail.replyTo?.id ?? null,
    account: ada(mail.box, mail.at).address,
    folder: mail.from === "ada" ? "sent" : mail.list ? "newsletters" : "inbox",
    from_name: sender.name,
    from_address: sender.address,
    to: mail.to.map(written),
    cc: mail.cc.map(written),
    subject: mail.subject,
    body_text: mail.body,
    sent_at: sentAt,
    labels: mail.labels,
    has_attachments: mail.files.length > 0,
    attachments: mail.files.map(({ filename, mime_type, size_bytes }) => ({ filename, mime_type, size_bytes })),
    size_bytes: Buffer.byteLength(mail.body) + mail.files.reduce((sum, file) => sum + file.size_bytes, 900),
    headers: {
      "Message-ID": messageId(mail),
      "Content-Type": "text/plain; charset=utf-8",
      ...(references.length > 0 ? { "In-Reply-To": references.at(-1)!, References: references } : {}),
      ...(mail.list ? { "List-Id": mail.list, "List-Unsubscribe": `<https://${mail.list}/unsubscribe>` } : {}),
    },
  };
}
