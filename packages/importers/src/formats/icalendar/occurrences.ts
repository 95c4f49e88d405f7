import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";
import { formatLocalTime, isValidTime, type LocalTime, toInstant } from "../../core/time/times.ts";
import { parseIcsTime } from "./zones.ts";

/** Expands recurring events, within limits. */

/** How many of the latest occurrences are kept, and how far a rule is expanded. */
const maxOccurrences = 5000;
const mostSteps = 20_000;
const fewSteps = 400;

export interface Recurrence {
  readonly rule: string;
  readonly start: LocalTime;
  readonly zone: string;
  /** No occurrence after this instant is computed. */
  readonly until: number;
  /** Whether the expansion may take long. */
  readonly isPatient: boolean;
}

/** Returns the instants in order, including the start. Throws for an invalid rule. */
export function listOccurrences({ rule, start, zone, until, isPatient }: Recurrence): number[] {
  const steps = isPatient ? mostSteps : fewSteps;
  const first = toInstant(start, zone);
  const dtstart = Temporal.PlainDateTime.from(formatLocalTime(start)).toZonedDateTime(zone);
  const parts = rule.replace(/\s+/g, "").toUpperCase().split(";");
  const known = parts.filter((part) => /^(FREQ|COUNT|INTERVAL|BY[A-Z]+|WKST)=./.test(part));
  const end = parseUntil(parts.find((part) => part.startsWith("UNTIL="))?.slice(6), zone);
  const rrule = new RRuleTemporal({
    rruleString: `RRULE:${known.join(";")}`,
    dtstart,
    tzid: zone,
    maxIterations: steps,
    maxCandidateEvaluations: steps * 4,
    includeDtstart: true,
    cache: false,
  });
  const instants: number[] = [];
  rrule.all((date, i) => {
    const isWithin = date.epochMilliseconds <= Math.min(until, end) && i < steps;
    if (isWithin) instants.push(date.epochMilliseconds);
    return isWithin;
  });
  const latest = instants.slice(-maxOccurrences);
  return instants.includes(first) ? latest : [first, ...latest];
}

/** Many programs write UNTIL without a zone: it is in the event's zone, and a date includes that day. */
function parseUntil(value: string | undefined, zone: string): number {
  const read = value === undefined ? undefined : parseIcsTime(value);
  if (read === undefined || !isValidTime(read.local)) return Number.POSITIVE_INFINITY;
  if (read.isDay) return toInstant({ ...read.local, hour: 23, minute: 59, second: 59 }, zone);
  return toInstant(read.local, read.isUtc ? "UTC" : zone);
}
