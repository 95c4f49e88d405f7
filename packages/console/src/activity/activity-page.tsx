import { parseInstant } from "@pdpp/contract/instant";
import { type AccessDocument, type LogOutcome, logOutcomes } from "@pdpp/contract/owner";
import { buildUrl } from "../frame/addresses.ts";
import { type Html, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { formatDayHeading, renderMinute } from "../frame/render/times.tsx";
import { formatNumber, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { formatClient, renderEvent } from "./event.tsx";

/** The access log, grouped by day. */

export const kinds = ["read", "refusal", "act"] as const;
type Kind = (typeof kinds)[number];
const kindLabels: Readonly<Record<Kind, string>> = { read: "Reads", refusal: "Refusals", act: "Your actions" };
const outcomeLabels: Readonly<Record<LogOutcome, string>> = {
  answered: "answered",
  refused: "refused",
  early: "cut short",
  running: "in progress",
};

/** The log's filters, kept in the URL. */
export interface ActivityFilter {
  readonly kind: Kind | undefined;
  readonly client: string | undefined;
  readonly source: string | undefined;
  readonly outcome: LogOutcome | undefined;
}

export interface ActivityView {
  readonly entries: readonly AccessDocument[];
  readonly next: number | null;
  readonly filter: ActivityFilter;
  readonly isFirst: boolean;
  /** The newest entry on this page. The script asks for later ones. */
  readonly newest: number;
  readonly clients: readonly string[];
  readonly names: Names;
  readonly viewer: Viewer;
}

export const getActivityUrl = (
  { kind, client, source, outcome }: Partial<ActivityFilter>,
  place: { readonly before?: number; readonly after?: number } = {},
): string => buildUrl("/activity", { kind, client, source, outcome, ...place });

export function renderActivityPage(view: ActivityView): Html {
  const { entries, next, filter, isFirst, newest } = view;
  const days = Map.groupBy(entries, ({ at }) => formatDayHeading(parseInstant(at) ?? 0));
  const renderTab = (label: string, kind: Kind | undefined) => (
    <a href={getActivityUrl({ ...filter, kind })} aria-current={kind === filter.kind ? "true" : undefined}>
      {label}
    </a>
  );
  return renderPage(
    "Activity",
    <>
      <h1>Activity</h1>
      <p class="tabs">
        {renderTab("All", undefined)}
        {kinds.map((each) => renderTab(kindLabels[each], each))}
      </p>
      {renderFilters(view)}
      <p class="soft live">
        <a href={getActivityUrl(filter)}>Newest</a>{" "}
        <span role="status" data-live={isFirst ? getActivityUrl(filter, { after: newest }) : ""}></span>
      </p>
      <div data-log="">
        {[...days].map(([day, lines]) => (
          <>
            <h2>{day}</h2>
            <ul class="log">{lines.map((entry) => renderEntry(entry, view))}</ul>
          </>
        ))}
      </div>
      {entries.length === 0 && (
        <p data-nothing="">{next === null ? "No activity yet." : "No matches in this part of the log."}</p>
      )}
      <p class="pages">
        {next !== null && (
          <a rel="next" href={getActivityUrl(filter, { before: next })}>
            Older
          </a>
        )}
      </p>
    </>,
    { owner: { room: "/activity", viewer: view.viewer }, scripts: ["/assets/live-log.js"] },
  );
}

function renderFilters({ filter, clients, names }: ActivityView): Html {
  const { kind, client, source, outcome } = filter;
  // Keep the requested agent selectable even if it no longer exists.
  const agents = client === undefined || clients.includes(client) ? clients : [client, ...clients];
  const renderOption = (value: string, label: string, chosen: string | undefined) => (
    <option value={value} selected={value === chosen}>
      {label}
    </option>
  );
  const isNarrowed = client !== undefined || source !== undefined || outcome !== undefined;
  return (
    <form class="line narrow" action="/activity">
      {kind !== undefined && <input type="hidden" name="kind" value={kind} />}{" "}
      <label>
        Agent
        <select name="client">
          <option value="">All agents</option>
          {agents.map((each) => renderOption(each, formatClient(each), client))}
        </select>
      </label>{" "}
      <label>
        Source
        <select name="source">
          <option value="">All sources</option>
          {names.sources.map(({ id, label }) => renderOption(id, label, source))}
        </select>
      </label>{" "}
      <label>
        Outcome
        <select name="outcome">
          <option value="">Any</option>
          {logOutcomes.map((each) => renderOption(each, outcomeLabels[each], outcome))}
        </select>
      </label>{" "}
      <button>Apply</button>
      {isNarrowed && <a href={getActivityUrl({ kind })}>Clear filters</a>}
    </form>
  );
}

function renderEntry(entry: AccessDocument, { names, filter }: ActivityView): Html {
  const { request_id: request, outcome } = entry;
  const who =
    entry.kind === "act" ? (
      <>{entry.operation === "log.gap" ? "The server" : "You"}</>
    ) : (
      <a href={getActivityUrl({ ...filter, client: entry.client })}>{renderText(formatClient(entry.client))}</a>
    );
  const times =
    entry.times === undefined ? (
      ""
    ) : (
      <>
        {" "}
        <span class="soft">{formatNumber(entry.times)} times</span>
      </>
    );
  return (
    <li
      class={entry.kind}
      data-entry={entry.entry}
      data-request={request === "-" ? undefined : request}
      data-running={outcome === "running" ? "" : undefined}
    >
      {renderMinute(parseInstant(entry.at) ?? 0)}
      <span>
        {who} {renderEvent(entry, names)}
        {times}
      </span>
    </li>
  );
}
