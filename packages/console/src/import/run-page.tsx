import { type Html, renderCsrfField, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { formatBytes, formatCount, formatNumber, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { ImportProgress, ImportState } from "./import-service.ts";
import { renderPlan } from "./plan-view.tsx";

/** An import in progress, or one that failed or was cancelled. */

export interface RunView {
  readonly id: string;
  readonly state: Exclude<ImportState, { stage: "done" }>;
  readonly names: Names;
  readonly viewer: Viewer;
}

const titles = {
  looking: "Reading files",
  planned: "Review import",
  storing: "Importing",
  failed: "Import failed",
  cancelled: "Import cancelled",
} as const;

/** Without scripts, the page reloads while the import runs. */
const refreshSeconds = 2;

export function renderRunPage(view: RunView): Html {
  const { state, viewer } = view;
  const title = state.stage === "planned" && state.plan.partCount === 0 ? "Nothing to import" : titles[state.stage];
  const isMoving = state.stage === "looking" || state.stage === "storing";
  return renderPage(
    title,
    <>
      <p class="from">{renderText(state.about)}</p>
      <h1>{title}</h1>
      <div data-stage={state.stage} data-live={isMoving ? "" : undefined}>
        {renderStage(view)}
      </div>
    </>,
    {
      owner: { room: "/sources", viewer },
      scripts: ["/assets/import.js"],
      isWide: state.stage === "planned",
      ...(isMoving ? { refreshSeconds: refreshSeconds } : {}),
    },
  );
}

function renderStage(view: RunView): Html {
  const { state } = view;
  if (state.stage === "looking")
    return (
      <>
        <p>
          <progress aria-label="Reading files"></progress>
        </p>
        <p>
          Nothing has been saved yet. {state.bytes === 0 ? "Opening the files." : `${formatBytes(state.bytes)} read.`}
        </p>
        {renderCancelForm(view, "Cancel")}
      </>
    );
  if (state.stage === "planned") return renderPlan({ ...view, plan: state.plan, fault: state.fault });
  if (state.stage === "storing")
    return (
      <>
        {renderProgress(state.progress)}
        <p class="soft">
          You can close this page; the import continues. If you stop it, the records imported so far are kept. To
          continue, import the same files again.
        </p>
        {renderCancelForm(view, "Stop")}
      </>
    );
  if (state.stage === "cancelled")
    return (
      <>
        <p>
          {state.isBegun
            ? "The records imported so far were kept. To continue, import the same files again."
            : "Nothing was saved, and the upload was deleted."}
        </p>
        {back}
      </>
    );
  return (
    <>
      <p class="attention" role="alert">
        {state.words}
      </p>
      <p>
        {state.isBegun
          ? "The records imported so far were kept. To continue, import the same files again."
          : "Nothing was saved, and the upload was deleted."}
      </p>
      {back}
    </>
  );
}

const back = (
  <p>
    <a href="/import">Import data</a>
  </p>
);

function renderProgress({ records, plannedRecords: expected, done, secondsLeft }: ImportProgress): Html {
  const left = secondsLeft === undefined ? "" : `, ${formatTimeLeft(secondsLeft)}`;
  return (
    <>
      <p>
        <progress max="1" value={done.toFixed(4)} aria-label="Import progress"></progress>
      </p>
      <p>
        {expected === 0
          ? "Starting."
          : `${formatNumber(records)} of ${formatCount(Math.max(records, expected), "record")}${left}`}
      </p>
    </>
  );
}

function formatTimeLeft(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(1, seconds)} s left`;
  return seconds < 5400
    ? `about ${Math.round(seconds / 60)} minutes left`
    : `about ${Math.round(seconds / 3600)} hours left`;
}

const renderCancelForm = ({ id, viewer }: Pick<RunView, "id" | "viewer">, words: string): Html => (
  <form method="post" action={`/import/${id}/cancel`}>
    {renderCsrfField(viewer)}
    <div class="buttons">
      <button>{words}</button>
    </div>
  </form>
);
