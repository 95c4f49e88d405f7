import { isEncoded } from "../fields/binary.ts";
import { budget } from "../sizes/budget.ts";
import { endWithin } from "../text/cut.ts";
import { eventTimeText } from "../text/local-time.ts";
import { type EvidenceRecord, localTimeOf, shows, timesOf } from "./record.ts";

/**
 * What a person calls a record: its declared title, else its stream and when it happened, or which one it is. A made-up title is
 * never the same as the `snippet` shown beside it.
 */
export const titleOf = (record: EvidenceRecord, snippet?: string): string => makeTitle(record, snippet).title;

export interface MadeTitle {
  readonly title: string;
  /** The declared field that it is, or what it was made from. */
  readonly field?: string;
  readonly madeFrom?: "time" | "id";
}

export function makeTitle(record: EvidenceRecord, snippet?: string): MadeTitle {
  const declared = declaredTitle(record);
  if (declared !== null) return declared;
  const label = bounded(record.stream.display?.label ?? "") || record.stream.name;
  const time = timeOf(record);
  const title = `${label}, ${time ?? bounded(record.recordId)}`;
  return {
    title: title === snippet?.trim() ? `${title} (${bounded(record.recordId)})` : title,
    madeFrom: time === undefined ? "id" : "time",
  };
}

function declaredTitle(record: EvidenceRecord): MadeTitle | null {
  const field = record.stream.fields.find(({ name, role }) => role === "primary-title" && shows(record, name));
  const value = field && record.data[field.name];
  if (typeof value !== "string" || isEncoded(value) !== null) return null;
  const title = bounded(value);
  return title === "" ? null : { title, field: field!.name };
}

/** One line, cut between words. */
function bounded(text: string): string {
  const line = text
    .slice(0, 8 * budget.card.titleChars)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line.length <= budget.card.titleChars) return line;
  return `${line.slice(0, endWithin(line, 0, budget.card.titleChars - 1))}…`;
}

function timeOf(record: EvidenceRecord): string | undefined {
  const written = timesOf(record).find((time) => typeof time === "string");
  if (written === undefined) return undefined;
  return eventTimeText({ event_time: written, local_time: localTimeOf(record, written) }) ?? written;
}
