import * as field from "../../core/records/field.ts";
import { defineAttachmentStream, defineManifest, defineStream } from "../../core/records/schema.ts";

export const mailManifest = defineManifest("mail-files", "Mail", "1.2.0", [
  defineStream({
    name: "messages",
    label: "Mails",
    description: "Mails received and sent, as plain text.",
    time: "sent_at",
    fields: {
      id: field.text({ description: "The Message-ID, or a digest if there is none." }),
      thread_id: field.text({ description: "Id of the first mail in the conversation." }),
      in_reply_to_id: field.maybeText({ description: "The mail it replies to." }),
      from_name: field.actor(),
      from_address: field.maybeText({ x_pdpp_type: "email" }),
      to: field.texts({ x_pdpp_type: "person", description: "Name <address>." }),
      cc: field.texts({ x_pdpp_type: "person" }),
      bcc: field.texts({ x_pdpp_type: "person" }),
      reply_to: field.texts({ x_pdpp_type: "person" }),
      subject: field.title(),
      body_text: field.body(),
      html: { ...field.blobReference(), description: "The formatted text, if the mail has one." },
      body_from: field.maybeText({ description: "text, or html if the mail has no plain text." }),
      sent_at: field.eventTime(),
      time_source: field.maybeText({ description: "Source of sent_at: date, received or envelope." }),
      labels: field.texts({ description: "Labels and folders, as in the export." }),
      flags: field.maybeTexts({
        description: "seen, answered, forwarded, flagged, draft, deleted; null if unknown. No `seen` means unread.",
      }),
      list_id: field.maybeText({ x_pdpp_role: "secondary", description: "The mailing list it came through." }),
      has_attachments: field.flag("Whether it has attachments."),
      attachments: field.texts({ description: "Names of the attachments." }),
      extra: field.extra(),
    },
    presentation: {
      kind: "mail",
      fields: {
        thread: "thread_id",
        address: "from_address",
        recipients: "to",
        copies: "cc",
        html: "html",
        labels: "labels",
        attachments: "attachments",
      },
    },
    search: ["subject", "body_text", "from_name", "from_address"],
    groups: ["from_name", "from_address", "list_id", "has_attachments"],
    distinct: ["thread_id", "from_address"],
    views: [
      {
        id: "envelope",
        label: "Sender, subject and date only",
        fields: ["id", "thread_id", "from_name", "to", "subject", "sent_at", "labels"],
      },
      { id: "reading", label: "Mails to read", fields: ["id", "from_name", "subject", "body_text", "sent_at"] },
    ],
    relationships: [
      { name: "replies", stream: "messages", foreign_key: "in_reply_to_id", cardinality: "has_many" },
      { name: "files", stream: "attachments", foreign_key: "message_id", cardinality: "has_many" },
    ],
  }),
  defineAttachmentStream("messages", "message_id", "sent_at", "content_id"),
]);
