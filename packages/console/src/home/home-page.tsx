import { commandName } from "@pdpp/agent-setup/command-name";
import type { Day } from "@pdpp/language/dates/time-span";
import { formatClock, formatDate, formatLongDayWithoutYear, formatShortDate, toDay } from "../days/calendar.ts";
import type { DayItem } from "../days/day-records.ts";
import type { Entry } from "../days/entries.ts";
import { type EntryContext, renderEntryMark, renderEntryText } from "../days/entry.tsx";
import { renderStrip, type Strip } from "../days/strip.tsx";
import { type Html, renderLetterMark, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderAgo } from "../frame/render/times.tsx";
import { formatBytes, formatCount, formatNumber, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { LiveSource } from "../sources/load-sources.ts";
import { getSourceUrl, renderStatus } from "../sources/sources-page.tsx";
import { getRecordsUrl } from "../views/kind-views.ts";
import type { AgentReads } from "./agent-reads.ts";
import type { Attention } from "./attention.ts";
import { renderAgentReads, renderAttention } from "./home-parts.tsx";
import type { EarlierYear } from "./on-this-day.ts";

/** Today at a glance: the last year, what is new, how fresh the sources are, and what agents read. */

export interface HomeSource {
  readonly id: string;
  readonly label: string;
  /** Its largest stream. */
  readonly stream: string | undefined;
  readonly records: number;
  /** When a record was last stored. */
  readonly stored: number | undefined;
  /** The last import of an export, and how many items it could not read. */
  readonly imported?: number;
  readonly importId?: string;
  readonly rejected?: number;
  /** If it is collected. */
  readonly live?: LiveSource | undefined;
}

export interface HomeView {
  readonly now: number;
  readonly today: Day;
  readonly zone: string;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly isCounting: boolean;
  readonly lastYear: Pick<Strip, "days" | "counts" | "isCounting">;
  readonly recent: readonly Entry<DayItem>[];
  readonly onThisDay: readonly EarlierYear[];
  readonly threadTitles: EntryContext["threadTitles"];
  readonly sources: readonly HomeSource[];
  readonly bytes: number;
  readonly attention: readonly Attention[];
  readonly reads: readonly AgentReads[];
  readonly steps: { readonly hasAgent: boolean; readonly hasReads: boolean };
}

const getDayUrl = (day: Day | string): string => `/day/${day}`;

export function renderHomePage(view: HomeView): Html {
  const { today, sources, recent, lastYear, isCounting, viewer, attention, now, bytes } = view;
  const records = sources.reduce((sum, source) => sum + source.records, 0);
  return renderPage(
    "Home",
    <>
      <div class="home-head">
        <h1>{formatLongDayWithoutYear(today)}</h1>
        {sources.length > 0 && (
          <a class="button" href={getDayUrl(today)}>
            Open today
          </a>
        )}
      </div>
      <p class="soft day-summary">
        {sources.length === 0
          ? "Your vault is empty."
          : `${formatCount(records, "record")} from ${formatCount(sources.length, "source")} · ${formatBytes(bytes)}`}
      </p>
      {records > 0 && renderStrip({ ...lastYear, current: today.toString(), getUrl: getDayUrl })}
      {renderAttention(attention, now)}
      {renderSteps(view)}
      <div class="home-columns">
        <div>
          {recent.length > 0 && renderRecent(view)}
          {renderOnThisDay(view)}
        </div>
        <div>
          {renderAgentReads(view)}
          {sources.length > 0 && renderSources(view)}
        </div>
      </div>
    </>,
    {
      owner: { room: "/", viewer },
      isWide: true,
      scripts: isCounting ? ["/assets/strip.js", "/assets/reload.js"] : ["/assets/strip.js"],
      ...(isCounting ? { refreshSeconds: 2 } : {}),
    },
  );
}

/** Shown until each has been done once. */
function renderSteps({ sources, steps: { hasAgent, hasReads } }: HomeView): Html {
  const steps = [
    {
      isDone: sources.length > 0,
      title: "Import or add a source",
      text: (
        <>
          An export of your mail, calendar, chats, photos or notes. You review it before anything is saved. On the
          vault's computer you can also run <code>{commandName} import FILE</code>.
        </>
      ),
      href: "/import",
      action: "Import data",
    },
    {
      isDone: hasAgent,
      title: "Connect an agent",
      text: <>It asks, and you choose what it can read and for how long.</>,
      href: "/agents",
      action: "Connect an agent",
    },
    {
      isDone: hasReads,
      title: "See what it read",
      text: <>Every read is listed, with the records.</>,
      href: "/activity",
      action: "Open activity",
    },
  ];
  if (steps.every(({ isDone }) => isDone)) return <></>;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section aria-labelledby="steps-title">
      <h2 id="steps-title">Get started</h2>
      <ol class="first-steps">
        {steps.map(({ isDone, title, text, href, action }, i) => (
          <li class={isDone ? "done-step" : undefined}>
            <span class="step-mark" aria-hidden="true">
              {isDone ? "✓" : i + 1}
            </span>
            <div>
              <h3>
                {title}
                {isDone && <span class="soft"> Done</span>}
              </h3>
              {!isDone && <p class="soft">{text}</p>}
            </div>
            {!isDone && (
              <a class={`button${steps[i] === next ? " yes" : ""}`} href={href}>
                {action}
              </a>
            )}
          </li>
        ))}
      </ol>
      {sources.length === 0 && (
        <p class="soft">
          To look around first, run <code>{commandName} serve --demo</code>: a fictional household in a separate vault.
        </p>
      )}
    </section>
  );
}

function renderRecent({ recent, names, threadTitles, zone, today }: HomeView): Html {
  const context = { names, up: "", threadTitles } as const;
  return (
    <section aria-labelledby="recent-title">
      <div class="section-head">
        <h2 id="recent-title">Recent</h2>
        <a href="/explore">Explore all</a>
      </div>
      <ol class="recent">
        {recent.map((entry) => {
          const { at, isAllDay } = entry.first;
          const day = toDay(at, zone);
          return (
            <li>
              {renderEntryMark(entry, names)}
              {renderEntryText(entry, context, "h3")}
              <a class="when" href={getDayUrl(day)}>
                {day.equals(today) && !isAllDay ? formatClock(at, zone) : formatShortDate(day)}
              </a>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function renderOnThisDay({ onThisDay, names, threadTitles, isCounting }: HomeView): Html {
  const context = { names, up: "", threadTitles } as const;
  return (
    <div id="on-this-day" data-counting={isCounting ? "" : undefined}>
      {onThisDay.length > 0 && <h2>On this day</h2>}
      {onThisDay.map(({ day, years, entries, more }) => (
        <section>
          <div class="section-head year">
            <h3>
              {formatDate(day)}
              <span class="soft">, {years === 1 ? "a year ago" : `${years} years ago`}</span>
            </h3>
            <a href={getDayUrl(day)}>Open the day</a>
          </div>
          <ol class="recent">
            {entries.map((entry) => (
              <li>
                {renderEntryMark(entry, names)}
                {renderEntryText(entry, context, "p")}
              </li>
            ))}
          </ol>
          {more > 0 && <p class="soft">and {formatNumber(more)} more</p>}
        </section>
      ))}
    </div>
  );
}

const maxSources = 8;

function renderSources({ sources, names, now }: HomeView): Html {
  return (
    <section aria-labelledby="sources-title">
      <div class="section-head">
        <h2 id="sources-title">Sources</h2>
        <a href="/sources">Manage</a>
      </div>
      <ul class="home-sources">
        {sources.slice(0, maxSources).map((source) => (
          <li>
            {renderLetterMark(names.mark(source.id), "small")}
            <span class="label">
              {source.stream === undefined ? (
                renderText(source.label)
              ) : (
                <a href={`/${getRecordsUrl(names, source.id, source.stream)}`}>{renderText(source.label)}</a>
              )}
            </span>
            {renderFreshness(source, now)}
          </li>
        ))}
      </ul>
      {sources.length > maxSources && (
        <p>
          <a href="/explore">{formatNumber(sources.length - maxSources)} more</a>
        </p>
      )}
    </section>
  );
}

function renderFreshness({ live, rejected = 0, importId, imported, stored }: HomeSource, now: number): Html {
  if (live !== undefined)
    return (
      <a class="state-link" href={getSourceUrl(live.source.source_id)}>
        {renderStatus(live.status)}
      </a>
    );
  if (rejected > 0 && importId !== undefined && imported !== undefined)
    return (
      <a class="state failing" href={`/import/${importId}#aside`}>
        <span class="shape diamond" aria-hidden="true"></span>
        <span>
          {formatCount(rejected, "item")} not imported, {renderAgo(imported, now)}
        </span>
      </a>
    );
  if (imported !== undefined)
    return (
      <span class="state">
        <span class="shape ring" aria-hidden="true"></span>
        <span>Imported {renderAgo(imported, now)}</span>
      </span>
    );
  return (
    <span class="state">
      <span class={`shape ${stored === undefined ? "ring" : "dot"}`} aria-hidden="true"></span>
      <span>{stored === undefined ? "Nothing stored yet" : <>Updated {renderAgo(stored, now)}</>}</span>
    </span>
  );
}
