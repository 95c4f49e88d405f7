import type { SourceDocument } from "@pdpp/contract/sources";
import { type Html, renderCsrfField } from "../frame/frame.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { getSourceUrl } from "./sources-page.tsx";

const choices = [
  [300, "5 minutes"],
  [900, "15 minutes"],
  [1800, "30 minutes"],
  [3600, "hour"],
  [21_600, "6 hours"],
  [86_400, "day"],
  [604_800, "week"],
] as const;

export function renderScheduleForm({ source_id, schedule }: SourceDocument, viewer: Viewer): Html {
  const { mode, interval_seconds: current, minimum_interval_seconds: least, quiet_hours } = schedule;
  const offered = choices.filter(([seconds]) => seconds >= least);
  const isListed = offered.some(([seconds]) => seconds === current);
  return (
    <details>
      <summary>Change the schedule</summary>
      <form method="post" action={`${getSourceUrl(source_id)}/schedule`} class="line">
        {renderCsrfField(viewer)}
        <label>
          Collect
          <select name="every">
            <option value="manual" selected={mode === "manual"}>
              only by hand
            </option>
            {!isListed && mode === "automatic" && (
              <option value={String(current)} selected>
                every {Math.round(current / 60)} minutes
              </option>
            )}
            {offered.map(([seconds, words]) => (
              <option value={String(seconds)} selected={mode === "automatic" && seconds === current}>
                every {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Not from
          <input type="time" name="from" value={quiet_hours?.from} />
        </label>
        <label>
          to
          <input type="time" name="to" value={quiet_hours?.to} />
        </label>
        <button>Save</button>
      </form>
    </details>
  );
}
