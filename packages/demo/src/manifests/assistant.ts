import type { JsonObject } from "@pdpp/contract/declaration";

/** Conversations with an AI assistant. Answers may be long: clients read `content` in windows. */
export const assistantManifest: JsonObject = {
  connector_id: "https://example.org/connectors/assistant",
  connector_key: "assistant",
  version: "0.9.0",
  display_name: "AI conversations",
  streams: [
    {
      name: "conversations",
      description: "Conversations with the assistant, without their text.",
      display: { label: "AI conversations", detail: "Titles, topics and times." },
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "updated_at",
      consent_time_field: "created_at",
      selection: { fields: true, resources: true },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          id: { type: "string" },
          title: { type: "string", x_pdpp_type: "text", x_pdpp_role: "primary-title" },
          model: { type: "string", x_pdpp_role: "secondary" },
          topics: { type: "array", items: { type: "string" } },
          created_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp", x_pdpp_role: "event-time" },
          updated_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp" },
          message_count: { type: "integer", minimum: 1 },
          settings: { type: "object", description: "As the assistant's export gives them." },
        },
        required: ["id", "title", "model", "created_at", "updated_at", "message_count"],
        additionalProperties: false,
      },
      relationships: [
        { name: "messages", stream: "messages", foreign_key: "conversation_id", cardinality: "has_many" },
      ],
      query: {
        search: { lexical_fields: ["title"] },
        range_filters: {
          created_at: ["gte", "gt", "lte", "lt"],
          updated_at: ["gte", "gt", "lte", "lt"],
          message_count: ["gte", "lte"],
        },
        aggregations: {
          count: true,
          sum: ["message_count"],
          max: ["message_count"],
          group_by: ["model"],
          group_by_time: ["created_at"],
        },
        expand: [{ name: "messages", default_limit: 10, max_limit: 50 }],
      },
    },
    {
      name: "messages",
      description: "What the owner asked and the assistant answered.",
      display: { label: "AI messages", detail: "The full text of questions and answers." },
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "created_at",
      consent_time_field: "created_at",
      selection: { fields: true, resources: true },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          id: { type: "string" },
          conversation_id: { type: "string" },
          position: { type: "integer", minimum: 1 },
          author: { type: "string", enum: ["owner", "assistant"], x_pdpp_role: "actor" },
          content: { type: "string", x_pdpp_type: "markdown", x_pdpp_role: "body" },
          created_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp", x_pdpp_role: "event-time" },
          content_chars: { type: "integer", minimum: 0 },
          usage: {
            type: ["object", "null"],
            properties: { input_tokens: { type: "integer" }, output_tokens: { type: "integer" } },
            required: ["input_tokens", "output_tokens"],
            additionalProperties: false,
          },
        },
        required: ["id", "conversation_id", "position", "author", "content", "created_at"],
        additionalProperties: false,
      },
      views: [
        {
          id: "dialogue",
          label: "Who said what",
          fields: ["id", "conversation_id", "position", "author", "content", "created_at"],
        },
      ],
      relationships: [
        { name: "conversation", stream: "conversations", foreign_key: "conversation_id", cardinality: "has_one" },
      ],
      query: {
        search: {
          lexical_fields: ["content"],
          context: { within: "conversation_id", by: "position" },
          generated: { field: "author", values: ["assistant"] },
        },
        range_filters: {
          created_at: ["gte", "gt", "lte", "lt"],
          content_chars: ["gte", "lte"],
          position: ["gte", "lte"],
        },
        aggregations: {
          count: true,
          sum: ["content_chars"],
          max: ["content_chars"],
          group_by: ["author", "conversation_id"],
          group_by_time: ["created_at"],
          count_distinct: ["conversation_id"],
        },
        expand: [{ name: "conversation" }],
      },
    },
  ],
};
