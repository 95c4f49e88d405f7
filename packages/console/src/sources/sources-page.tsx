import { parseInstant } from "@pdpp/contract/instant";
import type { SourceDocument } from "@pdpp/contract/sources";
import type { SourceStatus } from "@pdpp/evidence/text/source-status";
import { buildUrl } from "../frame/addresses.ts";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderDone, renderTable } from "../frame/render/parts.tsx";
import { renderDay, renderUpcoming } from "../frame/render/times.tsx";
import { formatCount, formatNumber, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { countSkipped, describeRun } from "./describe-run.ts";
import type { AllSources, LiveSource, StoredSource } from "./load-sources.ts";

/** All sources: how fresh each one is, and what it needs. */

export interface SourcesView extends AllSources {
  readonly names: Names;
  readonly viewer: Viewer;
  readonly now: number;
  /** False if the server does not collect sources; the page then has no buttons. */
  readonly canRun: boolean;
  readonly confirmation: string | undefined;
}

export const getSourceUrl = (id: string): string => `/source/${encodeURIComponent(id)}`;

export function renderSourcesPage(view: SourcesView): Html {
  const { live, stored, viewer, confirmation } = view;
  const records = [...live, ...stored].reduce((sum, each) => sum + each.records, 0);
  return renderPage(
    "Sources",
    <>
      <div class="section-head sources-head">
        <h1>Sources</h1>
        <span class="buttons">
          <a class="button" href="/import">
            Import a file
          </a>
          <a class="button yes" href="/sources/add">
            Add a source
          </a>
        </span>
      </div>
      {renderDone(confirmation)}
      <p class="soft">
        {live.length + stored.length === 0
          ? "No sources yet. Import an export, or add a source that keeps itself up to date."
          : `${formatCount(live.length + stored.length, "source")}, ${formatCount(records, "record")}. ${describeMix(live.length, stored.length)}`}
      </p>
      {live.length > 0 && renderLive(view)}
      {stored.length > 0 && renderStored(view)}
    </>,
    { owner: { room: "/sources", viewer }, isWide: true },
  );
}

const describeMix = (live: number, stored: number): string =>
  [
    ...(live === 0 ? [] : [`${formatNumber(live)} ${live === 1 ? "is" : "are"} collected.`]),
    ...(stored === 0 ? [] : [`${formatNumber(stored)} ${stored === 1 ? "was" : "were"} imported or added by hand.`]),
  ].join(" ");

const renderLive = (view: SourcesView): Html =>
  renderTable(
    {
      label: "Collected sources",
      className: "imports sources",
      columns: ["Source", "Status", "Last result", "Next run", { number: "Records" }, "Actions"],
    },
    <tbody>{view.live.map((each) => renderLiveRow(each, view))}</tbody>,
  );

function renderLiveRow({ source, label, status, records, kind }: LiveSource, view: SourcesView): Html {
  const { source_id: id, connection_id, last_run: run } = source;
  const skipped = run === undefined ? 0 : countSkipped(run);
  return (
    <tr>
      <th scope="row">
        <span class="source-name">
          {renderLetterMark(view.names.mark(connection_id ?? id), "small")}
          <span>
            <a href={getSourceUrl(id)}>{renderText(label)}</a>
            <span class="soft kind">{renderText(kind)}</span>
          </span>
        </span>
      </th>
      <td class="status">{renderStatus(status)}</td>
      <td>
        {run === undefined ? <span class="soft">{source.kind === "push" ? "" : "None yet"}</span> : describeRun(run)}
        {skipped > 0 && (
          <>
            , <a href={getSourceUrl(id)}>{formatNumber(skipped)} skipped</a>
          </>
        )}
      </td>
      <td>{renderNextRun(source, view.now)}</td>
      <td class="number">
        {formatNumber(records)}
        <span class="unit"> {records === 1 ? "record" : "records"}</span>
      </td>
      <td class="action">{view.canRun && renderRowAction(source, status, label, view)}</td>
    </tr>
  );
}

function renderRowAction(source: SourceDocument, status: SourceStatus, label: string, { viewer }: SourcesView): Html {
  if (status.state === "needs_owner")
    return (
      <a class="button" href={`${getSourceUrl(source.source_id)}#credentials`} aria-label={`Fix ${label}`}>
        Fix
      </a>
    );
  if (source.status !== "active" || source.kind === "push") return <></>;
  return (
    <form method="post" action={`${getSourceUrl(source.source_id)}/run`}>
      {renderCsrfField(viewer)}
      <button aria-label={`Run ${label} now`}>Run now</button>
    </form>
  );
}

/** A shape and words, so that colour is never the only difference. */
export const renderStatus = ({ state, text }: SourceStatus): Html => (
  <span class={`state${troubled.has(state) ? " failing" : ""}`}>
    <span class={`shape ${shapes[state]}`} aria-hidden="true"></span>
    <span>{renderText(text)}</span>
  </span>
);

const shapes: Readonly<Record<SourceStatus["state"], string>> = {
  current: "dot",
  running: "busy",
  paused: "ring",
  never: "ring",
  late: "diamond",
  failing: "diamond",
  needs_owner: "diamond",
};
const troubled: ReadonlySet<SourceStatus["state"]> = new Set(["late", "failing", "needs_owner"]);

export function renderNextRun({ status, kind, schedule, next_run }: SourceDocument, now: number): Html {
  if (status === "running") return <>Now</>;
  if (status === "paused") return <>When resumed</>;
  if (kind === "push") return <>When something is sent</>;
  const at = parseInstant(next_run ?? "");
  if (at !== null) return renderUpcoming(at, now);
  return schedule.mode === "manual" ? <>By hand</> : <>Waits for you</>;
}

const renderStored = ({ stored, names }: SourcesView): Html => (
  <>
    <h2>Imported or added by hand</h2>
    {renderTable(
      {
        label: "Imported sources",
        className: "imports sources",
        columns: ["Source", "Status", { number: "Records" }, "Actions"],
      },
      <tbody>{stored.map((each) => renderStoredRow(each, names))}</tbody>,
    )}
  </>
);

const renderStoredRow = ({ id, label, kind, records, exportedAt }: StoredSource, names: Names): Html => (
  <tr>
    <th scope="row">
      <span class="source-name">
        {renderLetterMark(names.mark(id), "small")}
        <span>
          <a href={buildUrl("/settings/source", { id })}>{renderText(label)}</a>
          <span class="soft kind">{renderText(kind)}</span>
        </span>
      </span>
    </th>
    <td class="status">
      <span class="state">
        <span class="shape ring" aria-hidden="true"></span>
        <span>{exportedAt === undefined ? "Added by hand" : <>As of {renderDay(exportedAt)}</>}</span>
      </span>
    </td>
    <td class="number">
      {formatNumber(records)}
      <span class="unit"> {records === 1 ? "record" : "records"}</span>
    </td>
    <td class="action">{exportedAt !== undefined && <a href="/import">Import again</a>}</td>
  </tr>
);
