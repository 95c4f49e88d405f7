import type { JsonObject } from "@pdpp/contract/declaration";
import type { Answers } from "@pdpp/importers/importer";

/** Fixed key order, so that equal answers have equal JSON. */
export function toAnswersJson(answers: Answers): JsonObject {
  const { time_zone = null, date_order = null, me = null, attachments } = answers;
  return { time_zone, date_order, me, attachments };
}

export function parseAnswers({ time_zone, date_order, me, attachments }: JsonObject): Answers {
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    time_zone: text(time_zone),
    date_order: text(date_order),
    me: text(me),
    attachments: attachments !== false,
  };
}
