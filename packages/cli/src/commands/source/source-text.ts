import { commandName } from "@pdpp/agent-setup/command-name";
import type { ImportedConnection, RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { formatSchedule } from "@pdpp/evidence/text/schedule";
import { describeSourceStatus } from "@pdpp/evidence/text/source-status";
import { countRejected } from "@pdpp/importing/store/tally";
import { formatCount, formatTally } from "../../import/report-text.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";

export function formatSource(source: SourceDocument, timeZone: string): string {
  const { source_id, kind, connection_id, settings, schedule, next_run_at, last_run, needs } = source;
  const { schedule: _, ...others } = settings;
  const next = next_run_at === undefined ? "" : `, next at ${next_run_at} if pdpp serve is running`;
  return [
    `${source_id}: ${escapeUnprintable(describeSourceStatus(source, Date.now(), timeZone).text)}`,
    ...(needs === undefined ? [] : [`  sign in with: pdpp source sign-in ${source_id}`]),
    `  ${kind}${connection_id === undefined ? "" : `, into connection ${connection_id}`}`,
    `  collected ${formatSchedule(schedule)}${next}`,
    ...Object.entries(others).map(([name, value]) => `  ${name} ${escapeUnprintable(formatValue(value))}`),
    ...(last_run === undefined ? [`no run yet; start one with: pdpp source sync ${source_id}`] : formatRun(last_run)),
  ].join("\n");
}

const formatValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The first line says how a run ended; the others are indented. */
export function formatRun(run: RunDocument): string[] {
  const { run_id, status, mode, started_at, error, imported = [], skipped = [], gaps = {}, withheld = [], tally } = run;
  const rejected = Object.values(tally.streams).reduce((sum, { aside }) => sum + aside, 0);
  return [
    `${started_at} ${status}${mode === "full_refresh" ? " (full)" : ""} ${run_id}`,
    ...(error === undefined ? [] : [`  ${error.code}: ${escapeUnprintable(error.message)}`]),
    ...(error?.recovery === undefined ? [] : [`  the connector asks for: ${error.recovery}`]),
    ...formatTally(tally),
    ...imported.flatMap(formatImported),
    ...skipped.map(
      ({ stream, reason, message }) =>
        `  skipped${stream === undefined ? "" : ` ${escapeUnprintable(stream)}`}: ${escapeUnprintable(message ?? reason)}`,
    ),
    ...Object.entries(gaps).map(([stream, count]) => `  ${escapeUnprintable(stream)}: ${count} details missing`),
    ...withheld.map((stream) => `  ${escapeUnprintable(stream)}: cursor not saved, because details are missing`),
    ...(rejected === 0 ? [] : [`  see rejected records with: pdpp imports ${run_id} --aside`]),
  ];
}

function formatImported({ connection_id, import_id, files, unchanged_files, tally }: ImportedConnection): string[] {
  const unchanged = unchanged_files === 0 ? "" : `, ${unchanged_files} unchanged`;
  return [
    `  ${connection_id}: ${formatCount(files, "file")}${unchanged}`,
    ...formatTally(tally).map((line) => `  ${line}`),
    ...(countRejected(tally) === 0
      ? []
      : [`    see rejected records with: ${commandName} imports ${import_id} --aside`]),
  ];
}
