import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { formatTally } from "../../import/report-text.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";

/** What the owner has to do before the source can be collected again, in a word or two. */
export const describeNeed = ({ needs, sign_in }: SourceDocument): string | undefined =>
  needs === undefined ? undefined : sign_in === "oauth" ? "needs sign-in" : "needs a new password";

export function formatSource(source: SourceDocument): string {
  const { source_id, kind, status, connection_id, settings, last_run } = source;
  const need = describeNeed(source);
  return [
    `${source_id}: ${kind}, ${status}${connection_id === undefined ? "" : `, into connection ${connection_id}`}`,
    ...(need === undefined ? [] : [`  ${need}: pdpp source sign-in ${source_id}`]),
    ...Object.entries(settings).map(([name, value]) => `  ${name} ${escapeUnprintable(formatValue(value))}`),
    ...(last_run === undefined ? [`no run yet; start one with: pdpp source sync ${source_id}`] : formatRun(last_run)),
  ].join("\n");
}

const formatValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The first line says how a run ended; the others are indented. */
export function formatRun(run: RunDocument): string[] {
  const { run_id, status, mode, started_at, error, skipped = [], gaps = {}, withheld = [], tally } = run;
  const rejected = Object.values(tally.streams).reduce((sum, { aside }) => sum + aside, 0);
  return [
    `${started_at} ${status}${mode === "full_refresh" ? " (full)" : ""} ${run_id}`,
    ...(error === undefined ? [] : [`  ${error.code}: ${escapeUnprintable(error.message)}`]),
    ...(error?.recovery === undefined ? [] : [`  the connector asks for: ${error.recovery}`]),
    ...formatTally(tally),
    ...skipped.map(
      ({ stream, reason, message }) =>
        `  skipped${stream === undefined ? "" : ` ${escapeUnprintable(stream)}`}: ${escapeUnprintable(message ?? reason)}`,
    ),
    ...Object.entries(gaps).map(([stream, count]) => `  ${escapeUnprintable(stream)}: ${count} details missing`),
    ...withheld.map((stream) => `  ${escapeUnprintable(stream)}: cursor not saved, because details are missing`),
    ...(rejected === 0 ? [] : [`  see rejected records with: pdpp imports ${run_id} --aside`]),
  ];
}
