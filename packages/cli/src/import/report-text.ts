import { commandName } from "@pdpp/agent-setup/command-name";
import type { ImportTally, StreamTally } from "@pdpp/contract/imports";
import type { QuestionKey } from "@pdpp/importers/importer";
import type { Recalled } from "@pdpp/importing/memory/recall";
import { optionNames } from "@pdpp/importing/plan/answers";
import type { PlannedPart, PlannedStream } from "@pdpp/importing/plan/plan-part";
import { sumTallies } from "@pdpp/importing/store/tally";
import { escapeUnprintable, showLabel } from "../render/terminal/style.ts";

const number = new Intl.NumberFormat("en-US");
const maxShownFiles = 10;

export const formatCount = (n: number, one: string, many = `${one}s`): string =>
  `${number.format(n)} ${n === 1 ? one : many}`;

interface NotUnderstood {
  readonly path: string;
  readonly reason: string;
}

interface Lacking {
  readonly connection_id: string;
  readonly stream: string;
  readonly records: number;
}

export function formatPlan(
  parts: readonly PlannedPart[],
  notUnderstood: readonly NotUnderstood[],
  lacking: readonly Lacking[],
): string {
  const found = groupByConnection(parts).flatMap(formatGroup);
  const absent = lacking.map(
    ({ connection_id, stream, records }) =>
      `${number.format(records)} ${stream} of ${connection_id} are missing from this export. They are kept unless you add --absent delete.`,
  );
  return [
    ...(found.length === 0 ? ["Nothing here that pdpp can import."] : found),
    ...absent,
    ...formatSkippedFiles(notUnderstood),
  ].join("\n");
}

/** Shows the parts of a connection together, since there may be a hundred chats. */
const groupByConnection = <T extends Pick<PlannedPart, "importer" | "connection">>(parts: readonly T[]): T[][] => [
  ...Map.groupBy(parts, ({ importer, connection }) => JSON.stringify([importer.key, connection.id])).values(),
];

function formatGroup(parts: readonly PlannedPart[]): string[] {
  const [first] = parts;
  if (first === undefined) return [];
  const { importer, connection } = first;
  const aside = parts.reduce((sum, part) => sum + part.aside, 0);
  const head =
    parts.length === 1
      ? `${showLabel(first.claim.label)} (${importer.key}): ${formatFiles(first)}`
      : `${showLabel(importer.title)} (${importer.key}): ${formatLabels(parts)}`;
  return [
    head,
    ...[
      ...Map.groupBy(
        parts.flatMap(({ streams }) => streams),
        ({ stream }) => stream,
      ).values(),
    ].map((streams) => `  ${formatStream(streams)}`),
    ...formatUnchanged(parts),
    ...(aside > 0 ? [`  ${formatCount(aside, "item")} cannot be read and will be skipped`] : []),
    `  will ${connection.isNew ? "create source" : "add to source"} ${JSON.stringify(showLabel(connection.label))} (${connection.id})`,
    ...formatRemembered(parts),
  ];
}

/** What is not read again. */
function formatUnchanged(parts: readonly Pick<PlannedPart, "recalled">[]): string[] {
  const recalled = parts.flatMap(({ recalled }) => recalled ?? []);
  const files = recalled.reduce((sum, { unchangedFiles }) => sum + unchangedFiles, 0);
  if (recalled.length === 0) return [];
  if (recalled.length === parts.length && recalled.every(({ rest }) => rest.length === 0))
    return [`  unchanged since the last import (${formatLastImport(recalled)})`];
  return files === 0
    ? [`  continues where the last import ended (${formatLastImport(recalled)})`]
    : [
        `  ${formatCount(files, "file")} unchanged since the last import (${formatLastImport(recalled)}), not read again`,
      ];
}

const formatLastImport = (recalled: readonly Recalled[]): string =>
  recalled
    .map(({ remembered }) => remembered.imported_at.slice(0, 10))
    .sort()
    .at(-1) ?? "";

/** Shows answers that are reused without asking. */
function formatRemembered(parts: readonly PlannedPart[]): string[] {
  const all = parts.flatMap(({ questions }) => questions.filter(({ isRemembered }) => isRemembered));
  return [...Map.groupBy(all, ({ key }) => key)].map(([key, same]) => {
    const answers = [...new Set(same.map(({ defaultAnswer = "" }) => escapeUnprintable(defaultAnswer)))].join(", ");
    return `  using ${answerWords[key]} ${answers} (from your last import); change with ${optionNames[key]}`;
  });
}

const answerWords: Readonly<Record<QuestionKey, string>> = {
  time_zone: "time zone",
  date_order: "date order",
  me: "your name",
};

const maxShownLabels = 3;

const formatLabels = (parts: readonly Pick<PlannedPart, "claim">[]): string =>
  formatFirst(
    parts.map(({ claim }) => showLabel(claim.label)),
    maxShownLabels,
  );

export function formatFirst(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${number.format(more)} more` : ""}`;
}

function formatFiles({ claim: { entries } }: PlannedPart): string {
  const [first, ...others] = entries;
  return `${showLabel(first?.path ?? "")}${others.length === 0 ? "" : ` and ${formatCount(others.length, "more file")}`}`;
}

function formatStream(all: readonly PlannedStream[]): string {
  const sum = (of: (stream: PlannedStream) => number): number => all.reduce((total, each) => total + of(each), 0);
  const records = sum((each) => each.records);
  const here = sum(({ already_here }) => already_here);
  const days = all.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to])).sort();
  const [from, to] = [days[0], days.at(-1)];
  const years = from === undefined ? "" : `, ${from === to ? from : `${from} to ${to}`}`;
  const name = all[0]?.stream ?? "";
  return `${number.format(records)} ${records === 1 ? singularize(name) : name}${years}${here === 0 ? "" : `; ${number.format(here)} already imported`}`;
}

/** Stream names are plural. */
const singularize = (stream: string): string => stream.replace(/ies$/, "y").replace(/([^s])s$/, "$1");

function formatSkippedFiles(files: readonly NotUnderstood[]): string[] {
  if (files.length === 0) return [];
  const shown = files
    .slice(0, maxShownFiles)
    .map(({ path, reason }) => `  ${showLabel(path)}: ${escapeUnprintable(reason)}`);
  const more = files.length - shown.length;
  return [
    `${formatCount(files.length, "unrecognized file")}, skipped:`,
    ...shown,
    ...(more > 0 ? [`  and ${number.format(more)} more; --json lists all`] : []),
  ];
}

interface StoredReport {
  readonly part: PlannedPart;
  readonly tally: ImportTally;
}

export function formatReport(report: readonly StoredReport[]): string[] {
  const all = report.map(({ part, tally }) => ({ ...part, tally }));
  return groupByConnection(all).flatMap((parts) => {
    const [first] = parts;
    if (first === undefined) return [];
    const label =
      parts.length === 1 ? showLabel(first.claim.label) : `${showLabel(first.importer.title)}: ${formatLabels(parts)}`;
    return [
      `${label} -> ${first.connection.id}`,
      ...formatTally(sumTallies(parts.map(({ tally }) => tally))),
      ...formatUnchanged(parts),
    ];
  });
}

function formatCounts({ stored, changed, unchanged, aside, skipped, deleted = 0 }: StreamTally): string {
  const counts: [number, string][] = [
    [stored, "new"],
    [changed, "changed"],
    [unchanged, "unchanged"],
    [deleted, "deleted"],
    [skipped, "skipped"],
    [aside, "unreadable"],
  ];
  const said = counts.flatMap(([n, what]) => (n === 0 ? [] : [`${number.format(n)} ${what}`]));
  return said.join(", ") || "nothing";
}

export function formatTally(tally: ImportTally): string[] {
  const streams = Object.entries(tally.streams).map(([stream, counts]) => `  ${stream}: ${formatCounts(counts)}`);
  return [
    ...streams,
    ...(tally.blobs > 0 ? [`  ${formatCount(tally.blobs, "file")} attached`] : []),
    ...(tally.mended ? [`  ${formatCount(tally.mended, "item")} unreadable at first, imported later`] : []),
  ];
}

interface Retried {
  readonly mended: number;
  readonly again: number;
  readonly files: readonly {
    readonly connection_id: string;
    readonly path: string | null;
    readonly items: number;
    readonly reason: string;
  }[];
}

export function formatRetry(importId: string, { mended, again, files }: Retried): string {
  const whole = files.map(
    ({ connection_id, path, items, reason }) =>
      `  ${formatCount(items, "item")} of ${path === null ? "the import" : showLabel(path)}: ${reason}; ${commandName} import PATH --into ${connection_id}`,
  );
  if (mended + again + files.length === 0) return "Nothing to retry.";
  return [
    `${formatCount(mended, "item")} imported`,
    ...(again === 0
      ? []
      : [`${formatCount(again, "item")} still unreadable: ${commandName} imports ${importId} --aside`]),
    ...(whole.length === 0 ? [] : ["These need the original file, if you still have it:", ...whole]),
  ].join("\n");
}
