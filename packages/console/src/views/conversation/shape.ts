import { type FieldDeclaration, type FieldValues, findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { Names } from "../../frame/names.ts";
import { type FilePlace, findFilePlace } from "../attached-files.ts";
import { findRoleField } from "../field-values.ts";

/** How the records of a stream are turns of conversations, as declared. */
export interface ConversationShape {
  readonly source: string;
  readonly declaration: StreamDeclaration;
  /** The field that identifies the conversation; undefined if the stream is a single one. */
  readonly within: string | undefined;
  /** Orders the turns that have the same time. */
  readonly by: string;
  /** The time that lists are sorted by. */
  readonly time: string;
  readonly body: FieldDeclaration | undefined;
  readonly actor: FieldDeclaration | undefined;
  readonly own: FieldValues | undefined;
  readonly generated: FieldValues | undefined;
  readonly reactions: string | undefined;
  readonly attachments: string | undefined;
  /** The field with the key of the turn that a turn replies to. */
  readonly replyTo: string | undefined;
  readonly files: FilePlace | undefined;
  /** The stream with a record of each conversation. */
  readonly conversations: string | undefined;
}

/** Undefined if turns can't be listed around a time. */
export function findConversationShape(names: Names, source: string, stream: string): ConversationShape | undefined {
  const declaration = names.declaration(source, stream);
  if (declaration?.conversation === undefined) return undefined;
  const { conversation, presentation, cursorField: time, relationships, generated } = declaration;
  const { within, by } = conversation;
  const sorted = time === undefined ? undefined : findField(declaration, time);
  if (time === undefined || sorted === undefined) return undefined;
  if (sorted.kind !== "date-time" || !sorted.rangeOperators.includes("gte") || !sorted.rangeOperators.includes("lt"))
    return undefined;
  // A grant may lack fields that the declaration of others names.
  const isVisible = (field: string): boolean => findField(declaration, field) !== undefined;
  const findByRole = (role: "body" | "actor") => findField(declaration, findRoleField(declaration, role) ?? "");
  const replies = relationships.find((each) => each.stream === stream && each.cardinality === "has_many");
  const conversations = relationships.find(
    (each) => each.cardinality === "has_one" && each.foreignKey === within && each.stream !== stream,
  );
  return {
    source,
    declaration,
    within,
    by,
    time,
    body: findByRole("body"),
    actor: findByRole("actor"),
    own: presentation?.own,
    generated: generated !== undefined && isVisible(generated.field) ? generated : undefined,
    reactions: presentation?.fields.reactions,
    attachments: presentation?.fields.attachments,
    replyTo: replies !== undefined && isVisible(replies.foreignKey) ? replies.foreignKey : undefined,
    files: findFilePlace(names, source, declaration),
    conversations: within === undefined ? undefined : conversations?.stream,
  };
}

/** The stream whose turns belong to the conversations of this stream. */
export function findTurnsOf(names: Names, source: string, conversations: string): ConversationShape | undefined {
  for (const { stream } of names.declaration(source, conversations)?.relationships ?? []) {
    const shape = findConversationShape(names, source, stream);
    if (shape?.conversations === conversations) return shape;
  }
  return undefined;
}
