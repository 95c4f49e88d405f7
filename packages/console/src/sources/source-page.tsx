import { commandName } from "@pdpp/agent-setup/command-name";
import { parseInstant } from "@pdpp/contract/instant";
import type { RunDocument, SkippedPart, SourceDocument } from "@pdpp/contract/sources";
import { formatSchedule } from "@pdpp/evidence/text/schedule";
import type { SourceStatus } from "@pdpp/evidence/text/source-status";
import { buildUrl } from "../frame/addresses.ts";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderBackLink, renderDone, renderTable, renderTerm } from "../frame/render/parts.tsx";
import { asSentence } from "../frame/render/sentences.ts";
import { renderAgo } from "../frame/render/times.tsx";
import { formatCount, formatNumber, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { describeRun, listAside } from "./describe-run.ts";
import { renderFields } from "./fields.tsx";
import { renderFolderFacts, renderImported } from "./folder-facts.tsx";
import { renderQuestion } from "./question.tsx";
import { renderScheduleForm } from "./schedule-form.tsx";
import type { FormField, SourceActivity, SourceProgress } from "./source-service.ts";
import { getSourceUrl, renderNextRun, renderStatus } from "./sources-page.tsx";

/** One source: its state, what it asks, its buttons and its runs. */

export interface SourceView {
  readonly source: SourceDocument;
  readonly label: string;
  readonly status: SourceStatus;
  /** Of its connection. */
  readonly records: number;
  readonly runs: readonly RunDocument[];
  /** The run number that the next page starts after. */
  readonly next: number | undefined;
  readonly isFirst: boolean;
  readonly activity: SourceActivity | undefined;
  readonly credentialFields: readonly FormField[];
  readonly canRun: boolean;
  readonly confirmation: string | undefined;
  /** Why a form was not accepted. */
  readonly fault: string | undefined;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly now: number;
}

/** Without scripts, the page reloads while the source is collected. */
const refreshSeconds = 3;

export function renderSourcePage(view: SourceView): Html {
  const { source, label, status, activity, viewer, now, confirmation, names } = view;
  const isMoving = source.status === "running" && activity?.question === undefined;
  // Senders decide when something comes, so it has no runs.
  const isPush = source.kind === "push";
  const stage = activity?.question !== undefined ? `asks ${activity.question.id}` : source.status;
  return renderPage(
    label,
    <>
      {renderBackLink("/sources", "Sources")}
      <div class="title">
        {renderLetterMark(names.mark(source.connection_id ?? source.source_id))}
        <h1>{renderText(label)}</h1>
      </div>
      {renderDone(confirmation)}
      {view.fault !== undefined && (
        <p class="attention" role="alert">
          {asSentence(view.fault)}
        </p>
      )}
      <div data-stage={stage} data-live={source.status === "running" ? "" : undefined}>
        <p class="source-state">{renderStatus(status)}</p>
        {isMoving && activity !== undefined && renderProgress(activity.progress)}
      </div>
      {activity?.question !== undefined && renderQuestion(activity.question, source.source_id, viewer, now)}
      <dl class="facts">
        {renderFolderFacts(source)}
        {isPush ? (
          renderTerm("Address", <code>/v1/push/{renderText(source.connection_id ?? "")}</code>)
        ) : (
          <>
            {renderTerm("Collected", formatSchedule(source.schedule))}
            {renderTerm("Next run", renderNextRun(source, now))}
          </>
        )}
        {source.connection_id !== undefined &&
          renderTerm(
            "Records",
            <>
              {formatNumber(view.records)} ·{" "}
              <a href={buildUrl("/settings/source", { id: source.connection_id })}>Manage</a>
            </>,
          )}
      </dl>
      {status.state === "needs_owner" && renderCredentials(view)}
      {view.canRun ? renderButtons(view) : renderElsewhere()}
      {status.state !== "needs_owner" && renderCredentials(view)}
      {!isPush && renderRuns(view)}
      {!isPush && renderScheduleForm(source, viewer)}
      {renderRemoval(view)}
    </>,
    {
      owner: { room: "/sources", viewer },
      isWide: true,
      scripts: ["/assets/import.js"],
      ...(isMoving ? { refreshSeconds } : {}),
    },
  );
}

const renderProgress = (progress: SourceProgress | undefined): Html => (
  <>
    <p>
      {progress?.count !== undefined && progress.total !== undefined && progress.total > 0 ? (
        <progress
          max={progress.total}
          value={Math.min(progress.count, progress.total)}
          aria-label="Progress"
        ></progress>
      ) : (
        <progress aria-label="Progress"></progress>
      )}
    </p>
    <p class="soft">
      {progress === undefined ? "Starting." : renderText(progress.message)}
      {progress?.count !== undefined && ` ${formatNumber(progress.count)}`}
      {progress?.count !== undefined && progress.total !== undefined && ` of ${formatNumber(progress.total)}`}
    </p>
  </>
);

/** Each button is a form, so that it works without scripts. */
function renderButtons({ source, viewer, activity, status }: SourceView): Html {
  // Another attempt would fail in the same way.
  const isUseful = status.state !== "needs_owner";
  const canStart = source.status === "active" && source.kind !== "push";
  const renderButton = (action: string, label: string, more: Html = <></>): Html => (
    <form method="post" action={`${getSourceUrl(source.source_id)}/${action}`}>
      {renderCsrfField(viewer)}
      {more}
      <button class={isUseful && label === "Run now" ? "yes" : undefined}>{label}</button>
    </form>
  );
  return (
    <div class="buttons source-buttons">
      {canStart && renderButton("run", "Run now")}
      {canStart && renderButton("run", "Full resync", <input type="hidden" name="full" value="1" />)}
      {source.status === "running" && activity !== undefined && renderButton("cancel", "Stop this run")}
      {source.status === "paused" ? renderButton("resume", "Resume") : renderButton("pause", "Pause")}
    </div>
  );
}

const renderElsewhere = (): Html => (
  <p class="soft">
    This server does not collect sources. Run <code>{commandName} source sync</code> on the vault's computer.
  </p>
);

function renderCredentials({ source, credentialFields, status, viewer }: SourceView): Html {
  if (credentialFields.length === 0) return <></>;
  const form = (
    <form method="post" action={`${getSourceUrl(source.source_id)}/credentials`} class="source-form">
      {renderCsrfField(viewer)}
      {renderFields(credentialFields, {})}
      <div class="buttons">
        <button class="yes">Save and run</button>
      </div>
    </form>
  );
  return (
    <section id="credentials" aria-labelledby="credentials-title">
      <h2 id="credentials-title">Sign-in</h2>
      {status.state === "needs_owner" ? (
        <div class="card">
          <p>{describeProblem(source)}</p>
          {form}
        </div>
      ) : (
        <details>
          <summary>Change what it signs in with</summary>
          {form}
        </details>
      )}
    </section>
  );
}

const describeProblem = ({ last_run }: SourceDocument): Html =>
  last_run?.error === undefined ? <>It could not sign in.</> : renderText(asSentence(last_run.error.message));

const renderRuns = ({ runs, next, isFirst, source, names, now }: SourceView): Html => (
  <>
    <h2>Runs</h2>
    {runs.length === 0 ? (
      <p class="soft">None yet.</p>
    ) : (
      renderTable(
        { label: "Runs", className: "imports runs", columns: ["Started", "Result", "Details"] },
        <tbody>{runs.map((run) => renderRun(run, names, now))}</tbody>,
      )
    )}
    <p class="pages">
      {!isFirst && <a href={getSourceUrl(source.source_id)}>Newest</a>}
      {next !== undefined && (
        <a rel="next" href={buildUrl(getSourceUrl(source.source_id), { before: String(next) })}>
          Older
        </a>
      )}
    </p>
  </>
);

const renderRun = (run: RunDocument, names: Names, now: number): Html => (
  <tr>
    <th scope="row">{renderAgo(parseInstant(run.started_at) ?? 0, now)}</th>
    <td>
      {describeRun(run)}
      {run.mode === "full_refresh" && <span class="soft"> (full resync)</span>}
    </td>
    <td class="details">{renderDetails(run, names)}</td>
  </tr>
);

/** Longer lists are folded, because a folder may have many files that were not meant to be imported. */
const shownSkipped = 5;

const renderSkipped = ({ stream, reason, message }: SkippedPart): Html => (
  <li>
    Skipped{stream !== undefined && <> {renderText(stream)}</>}: {renderText(message ?? reason)}
  </li>
);

/** Why a run failed, what a folder had, and what was left out. */
function renderDetails(run: RunDocument, names: Names): Html {
  const { error, imported = [], skipped = [], gaps = {}, withheld = [] } = run;
  return (
    <ul class="run-details">
      {error !== undefined && <li class="refused">{renderText(asSentence(error.message))}</li>}
      {imported.map((each) => renderImported(each, names))}
      {skipped.slice(0, shownSkipped).map(renderSkipped)}
      {skipped.length > shownSkipped && (
        <li>
          <details>
            <summary>{formatNumber(skipped.length - shownSkipped)} more skipped</summary>
            <ul class="run-details">{skipped.slice(shownSkipped).map(renderSkipped)}</ul>
          </details>
        </li>
      )}
      {Object.entries(gaps).map(([stream, count]) => (
        <li>
          {renderText(stream)}: {formatCount(count, "detail")} missing. A full resync loads them.
        </li>
      ))}
      {withheld.map((stream) => (
        <li>{renderText(stream)} will be read again, because details are missing.</li>
      ))}
      {listAside(run).map(({ importId, count }) => (
        <li>
          <a href={`/import/${importId}#aside`}>{formatCount(count, "record")} put aside</a>
        </li>
      ))}
    </ul>
  );
}

const renderRemoval = ({ source, viewer }: SourceView): Html => (
  <details class="removal">
    <summary>Stop collecting for good</summary>
    <p>
      Removes the source's schedule, sign-in, saved position and history of runs. Its records stay. To delete them too,
      open them above.
    </p>
    <form method="post" action={`${getSourceUrl(source.source_id)}/remove`}>
      {renderCsrfField(viewer)}
      <label class="confirm">
        <input type="checkbox" name="confirmed" value="1" required /> Stop collecting this source
      </label>
      <div class="buttons">
        <button class="danger">Remove the source</button>
      </div>
    </form>
  </details>
);
