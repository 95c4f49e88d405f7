import { detectEncoded } from "../fields/binary.ts";
import { budget } from "../sizes/budget.ts";
import { findEndWithin } from "../text/cut.ts";
import { formatEventTime } from "../text/local-time.ts";
import { type EvidenceRecord, getLocalTime, isShown, listEventTimes } from "./record.ts";

/** The declared title, else the stream with its time or id. A generated title never equals the `snippet` shown next to it. */
export const getTitle = (record: EvidenceRecord, snippet?: string): string => makeTitle(record, snippet).title;

export interface Title {
  readonly title: string;
  /** The declared field it was taken from. */
  readonly field?: string;
  readonly madeFrom?: "time" | "id";
}

export function makeTitle(record: EvidenceRecord, snippet?: string): Title {
  const declared = getDeclaredTitle(record);
  if (declared !== null) return declared;
  const label = limitTitle(record.stream.display?.label ?? "") || record.stream.name;
  const time = formatRecordTime(record);
  const title = `${label}, ${time ?? limitTitle(record.recordId)}`;
  return {
    title: title === snippet?.trim() ? `${title} (${limitTitle(record.recordId)})` : title,
    madeFrom: time === undefined ? "id" : "time",
  };
}

function getDeclaredTitle(record: EvidenceRecord): Title | null {
  const field = record.stream.fields.find(({ name, role }) => role === "primary-title" && isShown(record, name));
  const value = field && record.data[field.name];
  if (typeof value !== "string" || detectEncoded(value) !== null) return null;
  const title = limitTitle(value);
  return title === "" ? null : { title, field: field!.name };
}

/** One line, cut between words. */
function limitTitle(text: string): string {
  const line = text
    .slice(0, 8 * budget.card.titleChars)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line.length <= budget.card.titleChars) return line;
  return `${line.slice(0, findEndWithin(line, 0, budget.card.titleChars - 1))}…`;
}

function formatRecordTime(record: EvidenceRecord): string | undefined {
  const written = listEventTimes(record).find((time) => typeof time === "string");
  if (written === undefined) return undefined;
  return formatEventTime({ event_time: written, local_time: getLocalTime(record, written) }) ?? written;
}
