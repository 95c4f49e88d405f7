import { isEncoded } from "./binary.ts";
import { budget } from "./budget.ts";
import { endWithin } from "./cut.ts";
import { eventTimeText } from "./local-time.ts";
import { type EvidenceRecord, localTimeOf, shows, timesOf } from "./record.ts";

/**
 * What a person calls a record: its declared title, else its stream and when it happened, or which one it is. A made-up title is
 * never the same as the `snippet` shown beside it.
 */
export function titleOf(record: EvidenceRecord, snippet?: string): string {
  const declared = declaredTitle(record);
  if (declared !== null) return declared;
  const label = bounded(record.stream.display?.label ?? "") || record.stream.name;
  const title = `${label}, ${timeOf(record) ?? bounded(record.recordId)}`;
  return title === snippet?.trim() ? `${title} (${bounded(record.recordId)})` : title;
}

function declaredTitle(record: EvidenceRecord): string | null {
  const field = record.stream.fields.find(({ name, role }) => role === "primary-title" && shows(record, name));
  const value = field && record.data[field.name];
  if (typeof value !== "string" || isEncoded(value) !== null) return null;
  return bounded(value) || null;
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
