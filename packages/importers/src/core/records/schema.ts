import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { MergeRules } from "@pdpp/contract/imports";
import * as field from "./field.ts";

/** Building blocks for manifests, shared by all formats. */

const range = ["gte", "gt", "lte", "lt"];

interface StreamDefinition {
  readonly name: string;
  readonly description: string;
  readonly label: string;
  readonly key?: readonly string[];
  /** The time field that sorts lists and that grants limit. */
  readonly time: string;
  readonly fields: JsonObject;
  /** The kind of records, which decides how they are shown: see `Presentation`. */
  readonly presentation?: JsonObject;
  readonly search: readonly string[];
  readonly context?: JsonObject;
  readonly generated?: JsonObject;
  readonly ranges?: readonly string[];
  readonly groups?: readonly string[];
  readonly distinct?: readonly string[];
  readonly sums?: readonly string[];
  readonly views?: readonly { readonly id: string; readonly label: string; readonly fields: readonly string[] }[];
  readonly relationships?: readonly {
    readonly name: string;
    readonly stream: string;
    readonly foreign_key: string;
    readonly cardinality: "has_many" | "has_one";
  }[];
}

/** Defines a stream whose records may change when an export is imported again. */
export function defineStream(shape: StreamDefinition): JsonObject {
  const key = [...(shape.key ?? ["id"])];
  const ranges: JsonObject = {};
  for (const field of [shape.time, ...(shape.ranges ?? [])]) ranges[field] = [...range];
  const related = shape.relationships ?? [];
  return {
    name: shape.name,
    description: shape.description,
    display: { label: shape.label },
    semantics: "mutable_state",
    primary_key: key,
    cursor_field: shape.time,
    consent_time_field: shape.time,
    selection: { fields: true, resources: true },
    ...(shape.presentation === undefined ? {} : { presentation: shape.presentation }),
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: shape.fields,
      required: [...key],
    },
    ...(shape.views === undefined
      ? {}
      : { views: shape.views.map(({ id, label, fields }) => ({ id, label, fields: [...fields] })) }),
    ...(related.length === 0 ? {} : { relationships: related.map((each) => ({ ...each })) }),
    query: {
      search: {
        lexical_fields: [...shape.search],
        ...(shape.context === undefined ? {} : { context: shape.context }),
        ...(shape.generated === undefined ? {} : { generated: shape.generated }),
      },
      range_filters: ranges,
      aggregations: {
        count: true,
        min: [shape.time],
        max: [shape.time],
        ...listCapability("sum", shape.sums),
        ...listCapability("group_by", shape.groups),
        group_by_time: [shape.time],
        ...listCapability("count_distinct", shape.distinct),
      },
      ...(related.length === 0
        ? {}
        : {
            expand: related.map(({ name, cardinality }) =>
              cardinality === "has_one" ? { name } : { name, default_limit: 10, max_limit: 50 },
            ),
          }),
    },
  };
}

/** Omits the capability if no fields have it. */
export const listCapability = (name: string, fields: readonly string[] | undefined): { [name: string]: Json } =>
  fields === undefined || fields.length === 0 ? {} : { [name]: [...fields] };

export const defineManifest = (
  key: string,
  displayName: string,
  version: string,
  streams: readonly JsonObject[],
): JsonObject => ({
  connector_id: `urn:pdpp:importer:${key}`,
  connector_key: key,
  version,
  display_name: displayName,
  streams: [...streams],
});

/** Attachments of the records in the stream `parent`. Those of mails have a content id. */
export const defineAttachmentStream = (
  parent: string,
  foreignKey: string,
  timeField: string,
  contentId?: "content_id",
): JsonObject =>
  defineStream({
    name: "attachments",
    label: "Attachments",
    description: "Attached files and their extracted text.",
    time: timeField,
    fields: {
      id: field.text(),
      [foreignKey]: field.text({ description: "The record it belongs to." }),
      name: field.title(),
      mime_type: field.maybeText({ x_pdpp_role: "secondary" }),
      size_bytes: field.count("File size in bytes."),
      [timeField]: field.eventTime(),
      text: field.body(),
      text_from: field.maybeText({
        description: "Where the text came from: text, html, docx; null if there is no text.",
      }),
      text_truncated: field.flag("Whether the text was truncated."),
      note: field.maybeText({ description: "Why the file or its text is missing." }),
      ...(contentId === undefined
        ? {}
        : { [contentId]: field.maybeText({ description: "What the HTML of the mail calls it." }) }),
      blob_ref: field.blobReference(),
    },
    presentation: {
      kind: "document",
      fields: {
        media_type: "mime_type",
        size: "size_bytes",
        ...(contentId === undefined ? {} : { content_id: contentId }),
      },
    },
    search: ["name", "text"],
    ranges: ["size_bytes"],
    groups: ["mime_type"],
    sums: ["size_bytes"],
    relationships: [
      {
        name: parent === "messages" ? "message" : "note",
        stream: parent,
        foreign_key: foreignKey,
        cardinality: "has_one",
      },
    ],
  });

/** Conversations with an assistant. Replaced answers are kept; `is_shown` marks what the app shows. */
const defineAssistantStreams = (): JsonObject[] => [
  defineStream({
    name: "conversations",
    label: "Conversations",
    description: "Conversations with the assistant.",
    time: "created_at",
    fields: {
      id: field.text(),
      title: field.title(),
      created_at: field.eventTime(),
      updated_at: field.time("Time of the last message."),
      model: field.maybeText({ x_pdpp_role: "secondary" }),
      summary: field.body(),
      project: field.maybeText(),
      is_archived: field.flag("Archived by the owner."),
      message_count: field.count("Number of messages, including replaced ones."),
      extra: field.extra(),
    },
    search: ["title", "summary"],
    ranges: ["updated_at", "message_count"],
    groups: ["model", "is_archived", "project"],
    relationships: [{ name: "messages", stream: "messages", foreign_key: "conversation_id", cardinality: "has_many" }],
  }),
  defineStream({
    name: "messages",
    label: "Messages",
    description: "Questions, answers and tool output. Replaced answers have is_shown false.",
    time: "created_at",
    fields: {
      id: field.text(),
      conversation_id: field.text(),
      conversation_title: field.title(),
      parent_id: field.maybeText({ description: "The previous message; a message can have several replies." }),
      author: field.actor(),
      author_name: field.maybeText({ description: "Name of the tool." }),
      content_type: field.maybeText({ x_pdpp_role: "secondary" }),
      content: field.body(),
      thinking: field.maybeText({ x_pdpp_type: "text", description: "The assistant's reasoning before it answered." }),
      created_at: field.eventTime(),
      time_source: field.text({ description: "message, or conversation if the message itself has no time." }),
      model: field.maybeText(),
      is_shown: field.flag("Shown by the app."),
      is_hidden: field.flag("Never shown by the app."),
      position: field.count("Its position, counted from the first message."),
      attachments: { type: "array", items: { type: "object" }, description: "Names of attached files." },
      extra: field.extra(),
    },
    presentation: {
      kind: "conversation",
      fields: { attachments: "attachments" },
      own: { field: "author", values: ["user", "human"] },
    },
    search: ["content", "thinking"],
    context: { within: "conversation_id", by: "created_at" },
    generated: { field: "author", values: ["assistant"] },
    ranges: ["position"],
    groups: ["author", "author_name", "content_type", "model", "is_shown"],
    distinct: ["conversation_id"],
    views: [
      {
        id: "reading",
        label: "Conversation text",
        fields: ["id", "conversation_id", "conversation_title", "author", "content", "created_at"],
      },
    ],
    relationships: [
      { name: "conversation", stream: "conversations", foreign_key: "conversation_id", cardinality: "has_one" },
      { name: "replies", stream: "messages", foreign_key: "parent_id", cardinality: "has_many" },
    ],
  }),
];

/** Returns a function that gives importers of the same kind of record what they have in common. */
export const createFormatDefiner =
  (streams: readonly JsonObject[], mainStream: string, mergeRules: Readonly<Record<string, MergeRules>> = {}) =>
  (key: string, title: string, displayName = title) => ({
    key,
    title,
    manifest: defineManifest(key, displayName, "1.0.0", streams),
    mainStream,
    mergeRules,
  });

export const defineAssistantFormat = createFormatDefiner(
  [...defineAssistantStreams(), defineAttachmentStream("messages", "message_id", "created_at")],
  "conversations",
  {
    conversations: { is_shared: true },
    messages: { owns: { stream: "attachments", field: "message_id" } },
    attachments: { fill: ["blob_ref"] },
  },
);

export const defineChatStreams = (): JsonObject[] => [
  defineStream({
    name: "conversations",
    label: "Chats",
    description: "Chats with one person or a group.",
    time: "last_message_at",
    fields: {
      id: field.text(),
      title: field.title(),
      kind: field.maybeText({
        x_pdpp_role: "secondary",
        description: "direct, group or channel, if the export says so.",
      }),
      participants: field.texts({ x_pdpp_type: "person", x_pdpp_role: "actor" }),
      first_message_at: field.time("Oldest message in any export."),
      last_message_at: field.eventTime(),
      extra: field.extra(),
    },
    search: ["title"],
    ranges: ["first_message_at"],
    groups: ["kind"],
    relationships: [{ name: "messages", stream: "messages", foreign_key: "conversation_id", cardinality: "has_many" }],
  }),
  defineStream({
    name: "messages",
    label: "Messages",
    description: "Messages, and notices of the app in the chat.",
    time: "sent_at",
    fields: {
      id: field.text(),
      conversation_id: field.text(),
      conversation_title: field.title(),
      sender_name: field.actor(),
      is_from_me: {
        type: ["boolean", "null"],
        description: "Whether the owner wrote it; null if the owner's name is not known.",
      },
      kind: field.text({ description: "message, system, deleted or call." }),
      text: field.body(),
      sent_at: field.eventTime(),
      local_time: field.maybeText({ description: "Local time as the app wrote it." }),
      time_zone_assumed: field.timeZone("Time zone assumed for local_time."),
      reply_to_id: field.maybeText({ description: "The message it replies to." }),
      is_edited: field.flag("Edited after it was sent."),
      reactions: { type: "array", items: { type: "object" } },
      attachments: field.texts({ x_pdpp_type: "filename", description: "Names of attached files." }),
      extra: field.extra(),
    },
    presentation: {
      kind: "conversation",
      fields: { reactions: "reactions", attachments: "attachments" },
      own: { field: "is_from_me", values: [true] },
    },
    search: ["text", "sender_name"],
    context: { within: "conversation_id", by: "sent_at" },
    groups: ["sender_name", "conversation_title", "kind", "is_from_me"],
    distinct: ["conversation_id", "sender_name"],
    views: [
      {
        id: "reading",
        label: "Message text",
        fields: ["id", "conversation_id", "conversation_title", "sender_name", "text", "sent_at"],
      },
    ],
    relationships: [
      { name: "conversation", stream: "conversations", foreign_key: "conversation_id", cardinality: "has_one" },
      { name: "replies", stream: "messages", foreign_key: "reply_to_id", cardinality: "has_many" },
      { name: "files", stream: "attachments", foreign_key: "message_id", cardinality: "has_many" },
    ],
  }),
  defineAttachmentStream("messages", "message_id", "sent_at"),
];
