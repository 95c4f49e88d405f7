import { commandName } from "@pdpp/agent-setup/command-name";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import {
  credentialsRecovery,
  type ImportedConnection,
  type RunDocument,
  type SourceDocument,
} from "@pdpp/contract/sources";
import { formatSchedule } from "@pdpp/evidence/text/schedule";
import { describeSourceStatus } from "@pdpp/evidence/text/source-status";
import { countRejected } from "@pdpp/importing/store/tally";
import { formatCount, formatTally } from "../../import/report-text.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";

export function formatSource(source: SourceDocument, timeZone: string): string {
  const { source_id, kind, connection_id, schedule, next_run, last_run, needs } = source;
  const next = next_run === undefined ? "" : `, next at ${next_run} if pdpp serve is running`;
  const noRun = `no run yet; start one with: ${commandName} source sync ${source_id}`;
  return [
    `${source_id}: ${escapeUnprintable(describeSourceStatus(source, Date.now(), timeZone).text)}`,
    ...(needs === undefined ? [] : [`  sign in with: ${commandName} source sign-in ${source_id}`]),
    `  ${describeKind(source)}${connection_id === undefined ? "" : `, into connection ${connection_id}`}`,
    ...(kind === "push"
      ? [`  receives at /v1/push/${connection_id}`]
      : [`  collected ${formatSchedule(schedule)}${next}`]),
    ...listSettings(source).map(([name, value]) => `  ${name} ${escapeUnprintable(formatValue(value))}`),
    ...(last_run !== undefined ? formatRun(last_run) : kind === "push" ? [] : [noRun]),
  ].join("\n");
}

/** The name after `pdpp source add`. */
export const describeKind = ({ kind, settings }: SourceDocument): string =>
  typeof settings.builtin === "string" ? settings.builtin : kind;

/** What the owner chose. Other lines say the rest. */
function listSettings({ settings }: SourceDocument): [string, Json][] {
  const said = ["schedule", "builtin", "refresh_policy", "is_mount_point"];
  return Object.entries(settings).flatMap(([name, value]): [string, Json][] => {
    if (said.includes(name)) return [];
    return isObject(value) ? Object.entries(value) : [[name, value]];
  });
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const formatValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The first line says how a run ended; the others are indented. */
export function formatRun(run: RunDocument): string[] {
  const {
    run_id,
    source_id,
    status,
    mode,
    started_at,
    error,
    imported = [],
    skipped = [],
    gaps = {},
    withheld = [],
    tally,
  } = run;
  const hasNothing = imported.length === 0 && tally.blobs === 0 && Object.keys(tally.streams).length === 0;
  const rejected = Object.values(tally.streams).reduce((sum, { aside }) => sum + aside, 0);
  return [
    `${started_at} ${status}${mode === "full_refresh" ? " (full)" : ""} ${run_id}`,
    ...(error === undefined ? [] : [`  ${error.code}: ${escapeUnprintable(error.message)}`]),
    ...(error?.recovery === undefined ? [] : [`  ${adviseRecovery(error.recovery, source_id)}`]),
    ...(status === "succeeded" && hasNothing ? ["  nothing new"] : formatTally(tally)),
    ...imported.flatMap(formatImported),
    ...skipped.map(
      ({ stream, reason, message }) =>
        `  skipped${stream === undefined ? "" : ` ${escapeUnprintable(stream)}`}: ${escapeUnprintable(message ?? reason)}`,
    ),
    ...Object.entries(gaps).map(([stream, count]) => `  ${escapeUnprintable(stream)}: ${count} details missing`),
    ...withheld.map((stream) => `  ${escapeUnprintable(stream)}: cursor not saved, because details are missing`),
    ...(rejected === 0 ? [] : [`  see rejected records with: ${commandName} imports ${run_id} --aside`]),
  ];
}

/** What the connector asks for, by the names of the public protocol. */
const adviseRecovery = (recovery: string, sourceId: string): string =>
  recoveries[recovery]?.(sourceId) ?? `the connector asks for: ${escapeUnprintable(recovery)}`;

const recoveries: Readonly<Record<string, (sourceId: string) => string>> = {
  [credentialsRecovery]: (id) => `sign in with: ${commandName} source sign-in ${id}`,
  retry_by_runtime: () => "pdpp serve tries again by itself",
  retry_on_connector_upgrade: () => "this needs a newer version of the connector",
};

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
