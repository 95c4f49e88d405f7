import type { Day } from "@pdpp/language/dates/time-span";
import { getSearchUrl } from "../explore/search/search-question.ts";
import { getTableUrl } from "../explore/stream/table-question.ts";
import { buildUrl } from "../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { formatCount, formatNumber, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { formatClock, formatDate, formatLongDay } from "./calendar.ts";
import type { DayItem, DayRecords } from "./day-records.ts";
import { getActors } from "./describe-entry.ts";
import type { Entry } from "./entries.ts";
import { type EntryContext, renderEntryMark, renderEntryText } from "./entry.tsx";
import { findNearer, type Neighbours } from "./neighbours.ts";
import { renderStrip, type Strip } from "./strip.tsx";
import { filterByDays } from "./timed-streams.ts";

/** Everything of one day, in order of time. */

export interface DayView {
  readonly day: Day;
  readonly zone: string;
  readonly today: Day;
  readonly names: Names;
  readonly kind: string | undefined;
  readonly kinds: readonly KindChip[];
  readonly records: DayRecords;
  readonly entries: readonly Entry<DayItem>[];
  readonly threadTitles: EntryContext["threadTitles"];
  readonly strip: Pick<Strip, "days" | "counts" | "isCounting">;
  readonly neighbours: Neighbours;
  /** The same date in other months and years. */
  readonly around: readonly { readonly day: Day; readonly count: number }[];
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export interface KindChip {
  readonly key: string;
  readonly label: string;
  readonly count: number;
}

/** Days are siblings, so their URLs are relative to each other. */
const getDayUrl = (day: Day | string, kind?: string): string => buildUrl(String(day), { kind });

export function renderDayPage(view: DayView): Html {
  const { day, kind, strip, viewer, impersonatedGrant, entries } = view;
  const context = { names: view.names, up: "../", threadTitles: view.threadTitles } as const;
  const count = countRecords(view.records);
  return renderPage(
    formatLongDay(day),
    <>
      {renderHead(view)}
      <p class="soft day-summary">{summarize(view, count)}</p>
      {renderStrip({
        ...strip,
        current: day.toString(),
        getUrl: (other) => getDayUrl(other, kind),
      })}
      {renderKinds(view)}
      <div class="with-rail day">
        <div>
          {entries.length === 0 ? (
            renderNothing(view)
          ) : (
            <ol class="spine">{entries.map((entry) => renderRow(entry, view, context))}</ol>
          )}
          {renderCut(view)}
        </div>
        {renderRail(view)}
      </div>
    </>,
    {
      owner: { room: "/day", viewer, impersonatedGrant },
      isWide: true,
      timeZone: view.zone,
      scripts: strip.isCounting ? ["/assets/strip.js", "/assets/reload.js"] : ["/assets/strip.js"],
      ...(strip.isCounting ? { refreshSeconds: 2 } : {}),
    },
  );
}

function renderHead({ day, today, kind, neighbours: { previous, next } }: DayView): Html {
  const renderStep = (to: Day | undefined, label: string, rel: "prev" | "next", sign: string) =>
    to === undefined ? (
      <span class="button step" aria-hidden="true">
        {sign}
      </span>
    ) : (
      <a class="button step" rel={rel} href={getDayUrl(to, kind)} title={`${label}: ${formatLongDay(to)}`}>
        <span aria-hidden="true">{sign}</span>
        <span class="hidden">
          {label}: {formatLongDay(to)}
        </span>
      </a>
    );
  return (
    <div class="day-head">
      {renderStep(previous, "Previous day", "prev", "‹")}
      <h1>{formatLongDay(day)}</h1>
      {renderStep(next, "Next day", "next", "›")}
      <form class="go-to" action="../day">
        {kind !== undefined && <input type="hidden" name="kind" value={kind} />}
        <label>
          <span class="hidden">Go to a date</span>
          <input type="date" name="date" value={day.toString()} required />
        </label>
        <button>Go</button>
        {!day.equals(today) && (
          <a class="button" href={getDayUrl(today, kind)}>
            Today
          </a>
        )}
      </form>
    </div>
  );
}

const countRecords = ({ items, cut }: DayRecords): number =>
  items.length + cut.reduce((sum, { more }) => sum + more, 0);

function summarize({ records: { items, cut }, entries, zone }: DayView, count: number): string {
  if (count === 0) return "";
  const sources = new Set([...items, ...cut].map(({ stream }) => stream.connection)).size;
  const timed = entries.flatMap((entry) => entry.items).filter(({ isAllDay }) => !isAllDay);
  const [first, last] = [timed[0], timed.toSorted((a, b) => a.at - b.at).at(-1)];
  const span =
    first === undefined || last === undefined || first === last
      ? ""
      : `, ${formatClock(first.at, zone)} to ${formatClock(last.at, zone)}`;
  return `${formatCount(count, "record")} from ${formatCount(sources, "source")}${span}`;
}

function renderKinds({ day, kind, kinds }: DayView): Html {
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  if (kinds.length === 0 || (kinds.length === 1 && kind === undefined)) return <></>;
  const chips = [
    { href: getDayUrl(day), label: "All", count: total, isHere: kind === undefined },
    ...kinds.map(({ key, label, count }) => ({ href: getDayUrl(day, key), label, count, isHere: kind === key })),
  ];
  return (
    <nav class="chips" aria-label="Kinds">
      {chips.map(({ href, label, count, isHere }) => (
        <a href={href} aria-current={isHere ? "true" : undefined}>
          {renderText(label)} <span class="count">{formatNumber(count)}</span>
        </a>
      ))}
    </nav>
  );
}

function renderRow(entry: Entry<DayItem>, { zone, names }: DayView, context: EntryContext): Html {
  const { at, end, isAllDay } = entry.first;
  return (
    <li class={end === undefined ? undefined : "long"}>
      <span class="at">
        {isAllDay ? (
          "All day"
        ) : (
          <>
            <time datetime={new Date(at).toISOString()}>{formatClock(at, zone)}</time>
            {end !== undefined && (
              <>
                <span class="hidden"> to </span>
                <time datetime={new Date(end).toISOString()}>{formatClock(end, zone)}</time>
              </>
            )}
          </>
        )}
      </span>
      {renderEntryMark(entry, names)}
      {renderEntryText(entry, context, "h2")}
    </li>
  );
}

function renderNothing({ day, kind, neighbours }: DayView): Html {
  const nearest = findNearer(day, neighbours);
  return (
    <p class="nothing">
      Nothing on this day.{" "}
      {nearest !== undefined && (
        <>
          The nearest is <a href={getDayUrl(nearest, kind)}>{formatDate(nearest)}</a>.
        </>
      )}
    </p>
  );
}

function renderCut({ records: { cut }, names, day, zone }: DayView): Html {
  if (cut.length === 0) return <></>;
  return (
    <ul class="day-cut">
      {cut.map(({ stream, more }) => {
        const { connection: source, declaration, field } = stream;
        const limits = filterByDays(stream, day, day.add({ days: 1 }), zone)[field.name];
        const filters = (["gte", "lt"] as const).flatMap((operator) => {
          const value = typeof limits === "object" ? limits[operator] : undefined;
          return value === undefined ? [] : [{ field: field.name, operator, value: String(value) }];
        });
        const table = {
          source,
          stream: declaration.name,
          filters,
          columns: [],
          isDefault: true,
          order: "asc" as const,
        };
        return (
          <li>
            <a href={`../${getTableUrl({ ...table, total: undefined, by: undefined })}`}>
              and {formatNumber(more)} more {renderText(names.stream(source, declaration.name))}
            </a>{" "}
            <span class="soft">from {renderText(names.source(source))}</span>
          </li>
        );
      })}
    </ul>
  );
}

const maxPeople = 8;

function renderRail({ records: { items }, around, day, strip }: DayView): Html {
  const people = new Map<string, number>();
  for (const { card, isOwn } of items)
    if (!isOwn) for (const name of new Set(getActors(card))) people.set(name, (people.get(name) ?? 0) + 1);
  const listed = [...people].sort((a, b) => b[1] - a[1]).slice(0, maxPeople);
  const [since, until] = [day.toString(), day.add({ days: 1 }).toString()];
  return (
    <aside class="rail" aria-label="About this day">
      {listed.length > 0 && (
        <>
          <h2>With</h2>
          <ul class="tally">
            {listed.map(([name, count]) => (
              <li>
                {renderLetterMark(name, "small")}
                <a href={`../${getSearchUrl({ q: `"${name.replaceAll('"', " ")}"`, since, until, time: "words" })}`}>
                  {renderText(name)}
                </a>
                <span class="count">{formatNumber(count)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div id="around" data-counting={strip.isCounting ? "" : undefined}>
        {around.length > 0 && (
          <>
            <h2>Around this date</h2>
            <ul class="tally">
              {around.map(({ day: other, count }) => (
                <li>
                  <a href={getDayUrl(other)}>{formatDate(other)}</a>
                  <span class="count">{formatNumber(count)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </aside>
  );
}
