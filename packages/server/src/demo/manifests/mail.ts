import type { JsonObject } from "@pdpp/contract/declaration";

/** A mailbox. Mails never change once sent, so the stream is append_only and its cursor is the time of sending. */
export const mailManifest: JsonObject = {
  connector_id: "https://example.org/connectors/mail",
  connector_key: "mail",
  version: "1.2.0",
  display_name: "Mail",
  streams: [
    {
      name: "messages",
      description: "Mails received and sent, as plain text.",
      display: { label: "Mails", detail: "Sender, recipients, subject, text and the names of attachments." },
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      selection: { fields: true, resources: true },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          id: { type: "string" },
          thread_id: { type: "string", description: "The first mail of the conversation." },
          in_reply_to_id: { type: ["string", "null"], description: "The mail this one answers." },
          account: { type: "string", format: "email", description: "The owner's address." },
          folder: { type: "string", enum: ["inbox", "sent", "newsletters"], x_pdpp_role: "secondary" },
          from_name: { type: "string", x_pdpp_type: "person", x_pdpp_role: "actor" },
          from_address: { type: "string", format: "email", x_pdpp_type: "email" },
          to: { type: "array", items: { type: "string" }, x_pdpp_type: "person", description: "Name <address>." },
          cc: { type: "array", items: { type: "string" }, x_pdpp_type: "person" },
          subject: { type: "string", x_pdpp_type: "text", x_pdpp_role: "primary-title" },
          body_text: { type: "string", x_pdpp_type: "text", x_pdpp_role: "body" },
          sent_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp", x_pdpp_role: "event-time" },
          labels: { type: "array", items: { type: "string" } },
          has_attachments: { type: "boolean" },
          attachments: {
            type: "array",
            items: {
              type: "object",
              properties: {
                filename: { type: "string" },
                mime_type: { type: "string" },
                size_bytes: { type: "integer", minimum: 0 },
              },
              required: ["filename", "mime_type", "size_bytes"],
              additionalProperties: false,
            },
          },
          size_bytes: { type: "integer", minimum: 0, x_pdpp_type: "bytes" },
          headers: { type: "object", additionalProperties: { type: ["string", "array"] } },
        },
        required: ["id", "thread_id", "account", "folder", "from_name", "from_address", "to", "subject", "body_text", "sent_at"],
        additionalProperties: false,
      },
      views: [
        { id: "envelope", label: "Who wrote what when, without the text", fields: ["id", "thread_id", "from_name", "to", "subject", "sent_at", "labels"] },
        { id: "reading", label: "Mails to read", fields: ["id", "from_name", "subject", "body_text", "sent_at"] },
      ],
      relationships: [{ name: "replies", stream: "messages", foreign_key: "in_reply_to_id", cardinality: "has_many" }],
      query: {
        search: { lexical_fields: ["subject", "body_text", "from_name"] },
        range_filters: { sent_at: ["gte", "gt", "lte", "lt"], size_bytes: ["gte", "lte"] },
        aggregations: {
          count: true,
          sum: ["size_bytes"],
          min: ["sent_at"],
          max: ["sent_at", "size_bytes"],
          group_by: ["from_name", "from_address", "folder", "account", "has_attachments"],
          group_by_time: ["sent_at"],
          count_distinct: ["thread_id", "from_address"],
        },
        expand: [{ name: "replies", default_limit: 5, max_limit: 20 }],
      },
    },
  ],
};
