import { type ContentLine, unescapeText } from "../../core/parsing/content-lines.ts";
import { cleanText } from "../../core/text/clean.ts";
import { isValidTime, toInstant } from "../../core/time/times.ts";
import { type Component, listOwnLines } from "./components.ts";
import { addDescribedZone } from "./described-zones.ts";
import { findZone, parseIcsTime } from "./zones.ts";

/** Properties of a calendar that apply to all of its events. */
export interface Outline {
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

/** Facts about a calendar that are not in its lines. */
export interface CalendarDefaults {
  /** Overrides the name in the calendar. */
  readonly name?: string | undefined;
  /** The calendar's own zone, if its lines name none. */
  readonly ownZone?: string | undefined;
  /** For times without a zone in a calendar without one. */
  readonly zone: string;
}

export async function readOutline(
  components: AsyncIterable<Component> | Iterable<Component>,
  defaults: CalendarDefaults,
): Promise<Outline> {
  let name = defaults.name ?? null;
  let own: string | undefined;
  /** Zone names used by event times; empty for floating times. */
  const named = new Set<string>();
  const zones = new Map<string, string>();
  const moves: { uid: string; line: ContentLine }[] = [];
  for await (const component of components) {
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
  own ??= defaults.ownZone;
  const hasFloating = [...named].some((id) => findZone(id) === undefined && !zones.has(id));
  const outline = {
    name,
    zones,
    usualZone: own ?? defaults.zone,
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

export interface Moment {
  readonly instant: number;
  readonly local: Parameters<typeof toInstant>[0];
  readonly zone: string;
  readonly isDay: boolean;
  readonly isAssumed: boolean;
}

export function parseMoment(
  { value, params }: ContentLine,
  { zones, usualZone, isAssumed }: Outline,
): Moment | undefined {
  const read = parseIcsTime(value);
  if (read === undefined || !isValidTime(read.local)) return undefined;
  const id = params.get("TZID")?.[0];
  const named = id === undefined ? undefined : (findZone(id) ?? zones.get(id));
  const zone = read.isDay || read.isUtc ? "UTC" : (named ?? usualZone);
  const isGuess = !read.isDay && !read.isUtc && named === undefined && (isAssumed || id !== undefined);
  return { instant: toInstant(read.local, zone), local: read.local, zone, isDay: read.isDay, isAssumed: isGuess };
}
