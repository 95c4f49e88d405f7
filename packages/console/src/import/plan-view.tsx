import { commandName } from "@pdpp/agent-setup/command-name";
import { humanize } from "@pdpp/consent/labels";
import { type Html, renderCsrfField } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderTable } from "../frame/render/parts.tsx";
import { formatCount, formatNumber, renderLabels, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { ImportPlan, PlanTarget } from "./import-service.ts";
import { groupParts, type PlanGroup } from "./plan-groups.ts";
import { renderQuestion, renderTargetField } from "./plan-questions.tsx";
import { renderFiles, truncate } from "./unrecognized-files.tsx";

/** The import plan as a form, with the questions that need an answer. */

export interface PlanView {
  readonly id: string;
  readonly plan: ImportPlan;
  readonly fault: string | undefined;
  readonly names: Names;
  readonly viewer: Viewer;
}

export function renderPlan({ id, plan, fault, names, viewer }: PlanView): Html {
  if (plan.partCount === 0)
    return (
      <>
        <p class="attention" role="alert">
          Nothing here can be imported.
        </p>
        <p>Nothing was saved, and the upload was deleted.</p>
        {renderUnrecognized(plan)}
        <p>
          <a class="button" href="/import">
            Choose other files
          </a>
        </p>
      </>
    );
  const dontForm = (
    <form id="dont" method="post" action={`/import/${id}/cancel`}>
      {renderCsrfField(viewer)}
    </form>
  );
  // With several possible destinations, the owner has to choose one.
  const [open, usual] = [plan.targets.filter(needsTarget), plan.targets.filter((target) => !needsTarget(target))];
  const asked = [...plan.questions.map(renderQuestion), ...open.map(renderTargetField)];
  return (
    <>
      <p>Nothing has been saved yet.</p>
      {fault !== undefined && (
        <p class="attention" role="alert">
          {renderText(fault)}
        </p>
      )}
      {dontForm}
      <form class="plan" method="post" action={`/import/${id}/answer`}>
        {renderCsrfField(viewer)}
        {asked.length > 0 && (
          <>
            <h2>Questions</h2>
            {asked}
            <h2>Contents</h2>
          </>
        )}
        {renderParts(plan)}
        {plan.absent.map(({ connection_id, stream, records }) => (
          <p class="soft">
            {formatNumber(records)} of {renderText(names.stream(connection_id, stream))} in{" "}
            {renderText(names.source(connection_id))}{" "}
            {records === 1 ? "isn't in this export and will be kept." : "aren't in this export and will be kept."}
          </p>
        ))}
        {renderUnrecognized(plan)}
        {usual.length > 0 && (
          <>
            <h2>Destination</h2>
            {usual.map(renderTargetField)}
          </>
        )}{" "}
        <label class="tick">
          <input type="checkbox" name="without_attachments" value="1" />
          <span>
            Skip attachments (names only)<small>Faster and much smaller.</small>
          </span>
        </label>
        {plan.parts.some(({ isUnchanged, unchangedFiles }) => isUnchanged || unchangedFiles > 0) && (
          <label class="tick">
            <input type="checkbox" name="again" value="1" />
            <span>Read unchanged files again</span>
          </label>
        )}
        <div class="buttons decide">
          <button form="dont">Cancel</button>
          <button class="yes">{getSubmitLabel(plan)}</button>
        </div>
      </form>
    </>
  );
}

const needsTarget = ({ connections }: PlanTarget): boolean => connections.length > 1;

/** The button's label: an export that is already imported only adds changes. */
function getSubmitLabel({ parts, partCount, targets }: ImportPlan): string {
  const sum = (of: "records" | "already_here"): number =>
    parts.flatMap(({ streams }) => streams).reduce((total, each) => total + each[of], 0);
  const total = sum("records");
  const isAllShown = partCount === parts.length;
  // With several possible destinations, the plan checked only one for existing records.
  const isPlain = isAllShown && targets.every(({ connections }) => connections.length === 1);
  if (isAllShown && parts.every(({ isUnchanged }) => isUnchanged)) return "Finish";
  if (!isPlain || total === 0 || sum("already_here") < total)
    return `Import ${isAllShown ? formatCount(total, "record") : `more than ${formatNumber(total)} records`}`;
  return `Update ${formatCount(total, "existing record")}`;
}

/** Maximum number of formats on a page. */
const maxGroups = 100;

function renderParts({ parts, partCount }: ImportPlan): Html {
  const groups = groupParts(parts).slice(0, maxGroups);
  const more = groups.reduce((left, { labels }) => left - labels.length, partCount);
  const hasHere = parts.some(({ streams }) => streams.some(({ already_here }) => already_here > 0));
  const renderExistingCount = (count: number): Html | string =>
    hasHere ? <td class="number">{formatNumber(count)}</td> : "";
  const rows = groups.map((group) => {
    const name = (
      <th scope="rowgroup" colspan={hasHere ? 4 : 3}>
        {groupName(group)}
      </th>
    );
    return (
      <tbody>
        <tr>{name}</tr>
        {group.streams.map((each) => (
          <tr>
            <th scope="row">{humanize(each.stream)}</th>
            <td class="number">{formatNumber(each.records)}</td>
            <td>{renderPeriod(each.from, each.to)}</td>
            {renderExistingCount(each.already_here)}
          </tr>
        ))}
        {(group.isUnchanged || group.unchangedFiles > 0) && (
          <tr>
            <td colspan={hasHere ? 4 : 3} class="soft">
              {group.isUnchanged
                ? "Unchanged since the last import"
                : `${formatCount(group.unchangedFiles, "file")} unchanged since the last import`}
            </td>
          </tr>
        )}
        {group.aside !== 0 && (
          <tr>
            <th scope="row" class="refused">
              Rejected (unreadable)
            </th>
            <td class="number refused">{formatNumber(group.aside)}</td>
            <td></td>
            {hasHere && <td></td>}
          </tr>
        )}
      </tbody>
    );
  });
  return (
    <>
      {renderTable(
        {
          label: "Import contents",
          className: "tally",
          columns: ["Data", { number: "Records" }, "Period", ...(hasHere ? [{ number: "Already imported" }] : [])],
        },
        rows,
      )}
      {more > 0 && <p class="soft">and {formatNumber(more)} more</p>}
    </>
  );
}

function groupName({ title, labels, files, firstFile }: PlanGroup): Html {
  if (labels.length > 1)
    return (
      <>
        {title}
        <br />
        <span class="soft">{renderLabels(labels)}</span>
      </>
    );
  const [label = title] = labels;
  return (
    <>
      {renderText(truncate(label))} {label !== title && <span class="soft">{title}</span>}
      <br />
      <span class="soft">
        {renderText(truncate(firstFile))}
        {files > 1 && ` and ${formatCount(files - 1, "more file")}`}
      </span>
    </>
  );
}

function renderPeriod(from: string | null, to: string | null): Html {
  if (from === null || to === null) return <></>;
  const renderDay = (text: string): Html => <span class="on">{text}</span>;
  return from === to ? (
    renderDay(from)
  ) : (
    <>
      {renderDay(from)} to {renderDay(to)}
    </>
  );
}

function renderUnrecognized(plan: ImportPlan): Html {
  const { partCount, notUnderstoodCount: count, mayHaveTables } = plan;
  if (count === 0) return <></>;
  const tables = mayHaveTables ? (
    <p class="soft">
      For an unrecognized table, <code>{commandName} import FILE --infer</code> proposes a mapping file. Upload the
      table together with that file.
    </p>
  ) : (
    ""
  );
  return (
    <details open={partCount === 0}>
      <summary>
        {count === 1
          ? "1 unrecognized file will be skipped"
          : `${formatNumber(count)} unrecognized files will be skipped`}
      </summary>
      {renderFiles(plan)}
      {tables}
    </details>
  );
}
