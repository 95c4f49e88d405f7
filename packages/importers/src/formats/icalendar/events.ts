import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId } from "../../core/identity.ts";
import type { Item } from "../../core/importer.ts";
import { type ContentLine, splitValue, unescapeText } from "../../core/parsing/content-lines.ts";
import { cleanText } from "../../core/text/clean.ts";
import { formatInstant, formatWithOffset } from "../../core/time/times.ts";
import { listOccurrences } from "./occurrences.ts";
import { type Moment, type Outline, parseMoment } from "./outline.ts";
import { parseIcsDuration } from "./zones.ts";

/** Up to this many endless rules are expanded in full. */
const maxEndlessRules = 8;

/** How far rules are expanded after the time of an export. */
export const expansionMs = 2 * 366 * 86_400_000;

export function* readEvent(
  all: readonly ContentLine[],
  outline: Outline,
  until: number,
  refuse: (code: string, reason: string) => Item,
): Generator<Item> {
  const one = (name: string): ContentLine | undefined =>
    all.find((line) => line.name === name && line.value.trim() !== "");
  const readText = (name: string): string | null =>
    one(name) === undefined ? null : cleanText(unescapeText(one(name)?.value ?? "")).trim();
  const startLine = one("DTSTART");
  const start = startLine === undefined ? undefined : parseMoment(startLine, outline);
  if (start === undefined) {
    yield refuse(
      "no_start",
      startLine === undefined
        ? "the event has no beginning (DTSTART)"
        : `there is no such time: ${startLine.value.slice(0, 60)}`,
    );
    return;
  }
  const uid = readText("UID") ?? deriveId("icalendar", readText("SUMMARY"), startLine?.value);
  const length = computeDuration(start, one("DTEND"), one("DURATION"), outline);
  const rule = readText("RRULE");
  const updated =
    one("LAST-MODIFIED") === undefined ? undefined : parseMoment(one("LAST-MODIFIED") ?? missing, outline);
  const sequence = Math.min(10_000, Number(/^\d+$/.exec(readText("SEQUENCE") ?? "")?.[0] ?? 0));
  const common: JsonObject = {
    calendar: outline.name,
    title: readText("SUMMARY"),
    description: readText("DESCRIPTION"),
    location: readText("LOCATION"),
    organizer: one("ORGANIZER") === undefined ? null : formatPerson(one("ORGANIZER") ?? missing),
    attendees: all.filter(({ name }) => name === "ATTENDEE").map(formatPerson),
  };
  const rest: JsonObject = {
    categories: all
      .filter(({ name }) => name === "CATEGORIES")
      .flatMap(({ value }) => splitValue(value, ","))
      .map((each) => cleanText(each.trim()))
      .filter((each) => each !== "")
      .sort(),
    url: readText("URL"),
    recurrence: rule,
  };
  const buildRecord = (instant: number, occurrence: string, status: string | null, isMoved: boolean): Item => ({
    kind: "record",
    stream: "events",
    data: {
      event_id: uid,
      occurrence_start: occurrence,
      ...common,
      starts_at: formatWithOffset(instant, start.zone),
      ends_at: length === null ? null : formatWithOffset(instant + length, start.zone),
      is_all_day: start.isDay,
      time_zone: start.isDay ? null : start.zone,
      time_zone_assumed: start.isAssumed,
      status,
      ...rest,
      is_moved: isMoved,
      updated_at: updated === undefined ? null : formatInstant(updated.instant),
    },
    // SEQUENCE orders two versions with the same modification time.
    changedAt: (updated?.instant ?? 0) + sequence,
  });
  const status = readText("STATUS")?.toLowerCase() ?? null;
  const replaced =
    one("RECURRENCE-ID") === undefined ? undefined : parseMoment(one("RECURRENCE-ID") ?? missing, outline);
  if (replaced !== undefined) {
    yield buildRecord(start.instant, formatOccurrence(replaced.instant, replaced.isDay), status, true);
    return;
  }
  const added = parseMoments(all, "RDATE", outline);
  if (rule === null && added.length === 0) {
    yield buildRecord(start.instant, "single", status, false);
    return;
  }
  let instants = [start.instant];
  if (rule !== null) {
    try {
      const isPatient = outline.endlessRules < maxEndlessRules;
      instants = listOccurrences({ rule, start: start.local, zone: start.zone, until, isPatient });
    } catch (error) {
      outline.endlessRules += 1;
      yield refuse(
        "bad_rule",
        `its rule cannot be read, so only its first occurrence was imported: ${error instanceof Error ? error.message.slice(0, 200) : ""}`,
      );
    }
  }
  const left = new Set(parseMoments(all, "EXDATE", outline));
  for (const instant of [...new Set([...instants, ...added])].sort((a, b) => a - b)) {
    if (outline.moved.has(`${uid}\n${instant}`)) continue;
    // An excluded occurrence may have been imported from an older export.
    yield buildRecord(instant, formatOccurrence(instant, start.isDay), left.has(instant) ? "cancelled" : status, false);
  }
}

const missing: ContentLine = { name: "", params: new Map(), value: "" };

const formatOccurrence = (instant: number, isDay: boolean): string => {
  const text = new Date(instant).toISOString();
  return isDay ? text.slice(0, 10) : text;
};

function parseMoments(all: readonly ContentLine[], name: string, outline: Outline): number[] {
  const found = all.filter((line) => line.name === name);
  return found.flatMap((line) =>
    line.value
      .split(",")
      .flatMap((value) => parseMoment({ ...line, value: value.replace(/\/.*$/, "") }, outline)?.instant ?? []),
  );
}

/** The duration. All-day events end at the start of the next day. */
function computeDuration(
  start: Moment,
  end: ContentLine | undefined,
  duration: ContentLine | undefined,
  outline: Outline,
): number | null {
  const until = end === undefined ? undefined : parseMoment(end, outline);
  const length =
    until !== undefined
      ? until.instant - start.instant
      : duration === undefined
        ? undefined
        : parseIcsDuration(duration.value);
  // Some programs end an all-day event on its own day.
  if (length !== undefined && (start.isDay ? length > 0 : length >= 0)) return length;
  return start.isDay ? 86_400_000 : null;
}

function formatPerson({ value, params }: ContentLine): string {
  const address = cleanText(value.replace(/^mailto:/i, "").trim());
  const name = cleanText(params.get("CN")?.[0] ?? "").trim();
  return name === "" || name === address ? address : `${name} <${address}>`;
}
