import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import type { WireRecord } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { getZoneOffset } from "@pdpp/evidence/text/local-time";
import { capitalize } from "@pdpp/evidence/text/text";
import { type AttachedFile, listAttachedFiles } from "../attached-files.ts";
import { isOneOf, readString } from "../field-values.ts";
import type { ConversationShape } from "./shape.ts";

/** Turns of a conversation, made from records. */

export interface Turn {
  readonly id: string;
  readonly recordId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The day and time in the owner's time zone: 2026-10-28 and 22:11. */
  readonly day: string;
  readonly clock: string;
  /** Undefined for notices of the app. */
  readonly sender: string | undefined;
  readonly isOwn: boolean;
  readonly isGenerated: boolean;
  readonly text: string;
  readonly files: readonly AttachedFile[];
  readonly reactions: readonly Reaction[];
  readonly replyTo: string | undefined;
}

export interface Reaction {
  readonly emoji: string;
  readonly from: string;
}

export function createTurn(shape: ConversationShape, record: WireRecord, zone: string): Turn {
  const { data } = record;
  const at = parseInstant(readString(data, shape.time) ?? "") ?? 0;
  const local = new Date(at + getZoneOffset(zone, at)).toISOString();
  return {
    id: formatHandle({ connectionId: record.connection_id, stream: record.stream, recordId: record.id }),
    recordId: record.id,
    at,
    day: local.slice(0, 10),
    clock: local.slice(11, 16),
    sender: writeSender(shape, readString(data, shape.actor?.name)),
    isOwn: isOneOf(data, shape.own),
    isGenerated: isOneOf(data, shape.generated),
    text: readString(data, shape.body?.name) ?? "",
    files: listAttachedFiles(record, shape.files, shape.attachments),
    reactions: listReactions(shape.reactions === undefined ? null : (data[shape.reactions] ?? null)),
    replyTo: readString(data, shape.replyTo),
  };
}

/** An AI conversation has parts such as `assistant`, not names. */
export const writeSender = <Sender extends string | undefined>(shape: ConversationShape, sender: Sender) =>
  sender !== undefined && hasParts(shape) ? capitalize(sender) : sender;

export const hasParts = ({ actor, generated }: ConversationShape): boolean =>
  generated !== undefined && generated.field === actor?.name;

const maxReactions = 20;
const picture = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

/** Exports name the parts of a reaction differently, so it is what looks like an emoji, or the first text. */
function listReactions(value: Json): Reaction[] {
  const all = Array.isArray(value) ? value.slice(0, maxReactions) : [];
  return all.flatMap((each): Reaction[] => {
    if (typeof each === "string") return [{ emoji: each, from: "" }];
    if (each === null || typeof each !== "object" || Array.isArray(each)) return [];
    const texts = listTexts(each);
    const emoji = texts.find((text) => picture.test(text)) ?? texts[0];
    if (emoji === undefined) return [];
    return [{ emoji, from: texts.filter((text) => text !== emoji).join(", ") }];
  });
}

const listTexts = (value: JsonObject): string[] =>
  Object.values(value)
    .flatMap((each) => (Array.isArray(each) ? each : [each]))
    .filter((each): each is string => typeof each === "string" && each !== "")
    .map((text) => text.slice(0, 80).toWellFormed());
