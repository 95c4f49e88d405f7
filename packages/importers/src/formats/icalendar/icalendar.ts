import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { getLatestModification, mark, reject } from "../../core/items.ts";
import { type ContentLine, splitValue, unescapeText } from "../../core/parsing/content-lines.ts";
import * as field from "../../core/records/field.ts";
import { defineManifest, defineStream } from "../../core/records/schema.ts";
import { cleanText } from "../../core/text/clean.ts";
import { formatInstant, formatWithOffset, isValidTime, toInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { listOwnLines, readComponents } from "./components.ts";
import { addDescribedZone } from "./described-zones.ts";
import { listOccurrences } from "./occurrences.ts";
import { findZone, parseIcsDuration, parseIcsTime } from "./zones.ts";

/** Calendars. A recurring event becomes one record per occurrence, within limits. */
export const icalendar: Importer = {
  key: "icalendar",
  title: "Calendar",
  version: "2",
  testedWith: "real files",
  manifest: defineManifest("icalendar", "Calendar", "1.0.0", [
    defineStream({
      name: "events",
      label: "Events",
      description:
        "What takes place when. A recurring event has a record for each time, up to two years after the export.",
      key: ["event_id", "occurrence_start"],
      time: "starts_at",
      fields: {
        event_id: field.text({
          description: "The calendar's own id; the same for every time a recurring event takes place.",
        }),
        occurrence_start: field.text({
          description: "Which of them: when it was first meant to begin; single for an event that does not recur.",
        }),
        calendar: field.maybeText({ x_pdpp_role: "secondary" }),
        title: field.title(),
        description: field.body(),
        location: field.maybeText({ x_pdpp_type: "place", x_pdpp_role: "secondary" }),
        organizer: field.actor(),
        attendees: field.texts({ x_pdpp_type: "person" }),
        starts_at: field.eventTime(),
        ends_at: field.time("When it ends; null where the calendar does not say."),
        is_all_day: { ...field.flag("Whole days: starts_at is midnight UTC of the first."), x_pdpp_type: "all-day" },
        time_zone: field.timeZone("The zone it was planned in."),
        time_zone_assumed: field.flag("The calendar does not say the zone."),
        status: field.maybeText({ description: "confirmed, tentative or cancelled." }),
        categories: field.texts(),
        url: field.maybeText(),
        recurrence: field.maybeText({ description: "The rule of a recurring event." }),
        is_moved: field.flag("This time differs from the rule."),
        updated_at: field.time("When it was last changed."),
      },
      presentation: {
        kind: "event",
        fields: {
          end: "ends_at",
          all_day: "is_all_day",
          place: "location",
          people: "attendees",
          recurrence: "recurrence",
          series: "event_id",
          status: "status",
        },
      },
      search: ["title", "description", "location", "organizer"],
      ranges: ["ends_at"],
      groups: ["calendar", "status", "organizer", "is_all_day"],
      distinct: ["event_id"],
    }),
  ]),
  mainStream: "events",
  sniff: (_path, { text }) => /^\s*BEGIN:VCALENDAR\s/i.test(text),
  async createClaims(found) {
    // Only floating times in a calendar without a time zone need an answer.
    const floating = new Set<Entry>();
    for (const entry of found) if ((await readOutline(entry, "UTC")).hasFloating) floating.add(entry);
    const [findLine] = floating;
    return [
      {
        format: "icalendar",
        label: "Calendar",
        entries: found,
        companions: [],
        exportedAt: getLatestModification(found),
        questions:
          findLine === undefined
            ? []
            : [{ key: "time_zone", text: `In which time zone is "${findLine.path}"? Some of its times do not say.` }],
      },
    ];
  },
  read,
};

/** Up to this many endless rules are expanded in full. */
const maxEndlessRules = 8;

interface Outline {
  readonly name: string | null;
  /** Zones defined in the file. */
  readonly zones: ReadonlyMap<string, string>;
  readonly usualZone: string;
  readonly isAssumed: boolean;
  readonly hasFloating: boolean;
  /** Occurrences that are replaced by their own event. */
  readonly moved: ReadonlySet<string>;
  /** Number of endless rules in the file; if there are many, none is expanded far. */
  endlessRules: number;
}

async function readOutline(entry: Entry, zone: string): Promise<Outline> {
  let name: string | null = null;
  let own: string | undefined;
  /** Zone names used by event times; empty for floating times. */
  const named = new Set<string>();
  const zones = new Map<string, string>();
  const moves: { uid: string; line: ContentLine }[] = [];
  for await (const component of readComponents(entry, 0)) {
    if (component.name === "" || component.name === "VTIMEZONE") {
      const found = component.name === "" ? readCalendarLine(component.bytes) : undefined;
      if (found?.key === "X-WR-CALNAME") name ??= found.value;
      if (found?.key === "X-WR-TIMEZONE") own ??= findZone(found.value);
      if (component.name === "VTIMEZONE") addDescribedZone(component.bytes, zones);
    } else if (component.name === "VEVENT") {
      const all = listOwnLines(component.bytes);
      const start = all.find((line) => line.name === "DTSTART");
      const read = start === undefined ? undefined : parseIcsTime(start.value);
      if (read !== undefined && !read.isDay && !read.isUtc) named.add(start?.params.get("TZID")?.[0] ?? "");
      const replaced = all.find((line) => line.name === "RECURRENCE-ID");
      const uid = all.find((line) => line.name === "UID");
      if (replaced !== undefined && uid !== undefined) moves.push({ uid: cleanText(uid.value), line: replaced });
    }
  }
  const hasFloating = [...named].some((id) => findZone(id) === undefined && !zones.has(id));
  const outline = {
    name,
    zones,
    usualZone: own ?? zone,
    isAssumed: own === undefined,
    hasFloating: hasFloating && own === undefined,
  };
  const moved = moves.flatMap(({ uid, line }) => {
    const at = parseMoment(line, { ...outline, moved: new Set(), endlessRules: 0 });
    return at === undefined ? [] : [`${uid}\n${at.instant}`];
  });
  return { ...outline, moved: new Set(moved), endlessRules: 0 };
}

function readCalendarLine(bytes: Buffer): { key: string; value: string } | undefined {
  const found = /^(X-WR-CALNAME|X-WR-TIMEZONE)[^:]*:(.*)$/i.exec(bytes.toString("utf8").trim());
  return found === null
    ? undefined
    : { key: (found[1] ?? "").toUpperCase(), value: cleanText(unescapeText(found[2] ?? "")) };
}

interface Moment {
  readonly instant: number;
  readonly local: Parameters<typeof toInstant>[0];
  readonly zone: string;
  readonly isDay: boolean;
  readonly isAssumed: boolean;
}

function parseMoment({ value, params }: ContentLine, { zones, usualZone, isAssumed }: Outline): Moment | undefined {
  const read = parseIcsTime(value);
  if (read === undefined || !isValidTime(read.local)) return undefined;
  const id = params.get("TZID")?.[0];
  const named = id === undefined ? undefined : (findZone(id) ?? zones.get(id));
  const zone = read.isDay || read.isUtc ? "UTC" : (named ?? usualZone);
  const isGuess = !read.isDay && !read.isUtc && named === undefined && (isAssumed || id !== undefined);
  return { instant: toInstant(read.local, zone), local: read.local, zone, isDay: read.isDay, isAssumed: isGuess };
}

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    const start = from !== undefined && index === from.entry ? from.offset : 0;
    const outline = await readOutline(entry, answers.time_zone ?? "UTC");
    for await (const component of readComponents(entry, start)) {
      const { name, offset, bytes, isCut } = component;
      if (name === "" || (name === "VTIMEZONE" && !isCut)) continue;
      if (isCut) yield reject(entry.path, offset, "truncated", "it does not end, or is longer than 16 MiB", bytes);
      else if (name !== "VEVENT") yield { kind: "skipped", path: entry.path, reason: `${name} is no event` };
      else
        yield* readEvent(listOwnLines(bytes), outline, claim.exportedAt + ahead, (code, reason) =>
          reject(entry.path, offset, code, reason, bytes),
        );
      yield mark(index, component.end);
    }
  }
}

const ahead = 2 * 366 * 86_400_000;

function* readEvent(
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
        `its rule cannot be read, so only its first time came in: ${error instanceof Error ? error.message.slice(0, 200) : ""}`,
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
