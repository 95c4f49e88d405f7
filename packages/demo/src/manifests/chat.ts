import type { JsonObject } from "@pdpp/contract/declaration";

/** A messenger. Conversations gain members and messages, so they are mutable_state; messages are append_only. */
export const chatManifest: JsonObject = {
  connector_id: "https://example.org/connectors/chat",
  connector_key: "chat",
  version: "2.0.1",
  display_name: "Chat",
  streams: [
    {
      name: "conversations",
      description: "Direct and group conversations.",
      display: { label: "Conversations", detail: "Names, members and how busy they are; no message text." },
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "last_message_at",
      consent_time_field: "last_message_at",
      selection: { fields: true, resources: true },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          id: { type: "string" },
          title: { type: "string", x_pdpp_type: "text", x_pdpp_role: "primary-title" },
          kind: { type: "string", enum: ["direct", "group"], x_pdpp_role: "secondary" },
          participants: { type: "array", items: { type: "string" }, x_pdpp_type: "person", x_pdpp_role: "actor" },
          message_count: { type: "integer", minimum: 0 },
          first_message_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp" },
          last_message_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp", x_pdpp_role: "event-time" },
        },
        required: ["id", "title", "kind", "participants", "message_count", "first_message_at", "last_message_at"],
        additionalProperties: false,
      },
      relationships: [
        { name: "messages", stream: "messages", foreign_key: "conversation_id", cardinality: "has_many" },
      ],
      query: {
        search: { lexical_fields: ["title"] },
        range_filters: { last_message_at: ["gte", "gt", "lte", "lt"], message_count: ["gte", "lte"] },
        aggregations: { count: true, sum: ["message_count"], max: ["last_message_at"], group_by: ["kind"] },
        expand: [{ name: "messages", default_limit: 20, max_limit: 100 }],
      },
    },
    {
      name: "messages",
      description: "Single messages.",
      display: { label: "Messages", detail: "Who said what in which conversation, with reactions." },
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
          conversation_id: { type: "string" },
          reply_to_id: { type: ["string", "null"], description: "The message this one answers directly." },
          sender_name: { type: "string", x_pdpp_type: "person", x_pdpp_role: "actor" },
          from_owner: { type: "boolean" },
          text: { type: "string", x_pdpp_type: "text", x_pdpp_role: "body" },
          sent_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp", x_pdpp_role: "event-time" },
          reactions: {
            type: "array",
            items: {
              type: "object",
              properties: { emoji: { type: "string" }, by: { type: "string" } },
              required: ["emoji", "by"],
              additionalProperties: false,
            },
          },
        },
        required: ["id", "conversation_id", "sender_name", "from_owner", "text", "sent_at"],
        additionalProperties: false,
      },
      views: [
        {
          id: "transcript",
          label: "Who said what when",
          fields: ["id", "conversation_id", "sender_name", "text", "sent_at"],
        },
      ],
      relationships: [
        { name: "conversation", stream: "conversations", foreign_key: "conversation_id", cardinality: "has_one" },
        { name: "answers", stream: "messages", foreign_key: "reply_to_id", cardinality: "has_many" },
      ],
      query: {
        search: {
          lexical_fields: ["text", "sender_name"],
          context: { within: "conversation_id", by: "sent_at" },
        },
        range_filters: { sent_at: ["gte", "gt", "lte", "lt"] },
        aggregations: {
          count: true,
          min: ["sent_at"],
          max: ["sent_at"],
          group_by: ["conversation_id", "sender_name", "from_owner"],
          group_by_time: ["sent_at"],
          count_distinct: ["conversation_id", "sender_name"],
        },
        expand: [{ name: "conversation" }, { name: "answers", default_limit: 5, max_limit: 20 }],
      },
    },
  ],
};
