import type { ImportTally, StreamTally } from "@pdpp/contract/imports";
import type { QuestionKey } from "@pdpp/importers/importer";
import type { PlannedPart, PlannedStream } from "@pdpp/importing/plan/plan-part";
import { escapeUnprintable } from "../render/terminal/style.ts";
import { optionNames } from "./questions.ts";

/** Plans and reports in plain words. */

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
      `${number.format(records)} ${stream} of ${connection_id} came before and are not in this export; they stay, unless you add --absent delete`,
  );
  return [
    ...(found.length === 0 ? ["nothing here that pdpp can import"] : found),
    ...absent,
    ...formatSkippedFiles(notUnderstood),
  ].join("\n");
}

/** Parts that go into one connection are told together: somebody may have a hundred chats. */
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
      ? `${escapeUnprintable(first.claim.label)} (${importer.key}): ${formatFiles(first)}`
      : `${escapeUnprintable(importer.title)} (${importer.key}): ${formatLabels(parts)}`;
  return [
    head,
    ...[
      ...Map.groupBy(
        parts.flatMap(({ streams }) => streams),
        ({ stream }) => stream,
      ).values(),
    ].map((streams) => `  ${formatStream(streams)}`),
    ...(aside > 0 ? [`  ${formatCount(aside, "item")} cannot be read and would be put aside`] : []),
    `  goes into ${connection.isNew ? "a new connection" : "connection"} ${connection.id}`,
    ...formatRemembered(parts),
  ];
}

/** Taken without being asked for, so it is said. */
function formatRemembered(parts: readonly PlannedPart[]): string[] {
  const all = parts.flatMap(({ questions }) => questions.filter(({ isRemembered }) => isRemembered));
  return [...Map.groupBy(all, ({ key }) => key)].map(([key, same]) => {
    const answers = [...new Set(same.map(({ defaultAnswer: usual = "" }) => escapeUnprintable(usual)))].join(", ");
    return `  ${answerWords[key]} ${answers}, as the last time; ${optionNames[key]} changes it`;
  });
}

const answerWords: Readonly<Record<QuestionKey, string>> = {
  time_zone: "time zone",
  date_order: "order of dates",
  me: "your name in it",
};

const maxShownLabels = 3;

const formatLabels = (parts: readonly Pick<PlannedPart, "claim">[]): string =>
  formatFirst(
    parts.map(({ claim }) => escapeUnprintable(claim.label)),
    maxShownLabels,
  );

/** The first names, and how many more there are. */
export function formatFirst(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${number.format(more)} more` : ""}`;
}

function formatFiles({ claim: { entries } }: PlannedPart): string {
  const [first, ...others] = entries;
  return `${escapeUnprintable(first?.path ?? "")}${others.length === 0 ? "" : ` and ${formatCount(others.length, "more file")}`}`;
}

/** One stream, as several parts have it. */
function formatStream(all: readonly PlannedStream[]): string {
  const sum = (of: (stream: PlannedStream) => number): number => all.reduce((total, each) => total + of(each), 0);
  const records = sum((each) => each.records);
  const here = sum(({ already_here }) => already_here);
  const days = all.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to])).sort();
  const [from, to] = [days[0], days.at(-1)];
  const years = from === undefined ? "" : `, ${from === to ? from : `${from} to ${to}`}`;
  const name = all[0]?.stream ?? "";
  return `${number.format(records)} ${records === 1 ? singularize(name) : name}${years}${here === 0 ? "" : `; ${number.format(here)} already here`}`;
}

/** Streams are named for many. */
const singularize = (stream: string): string => stream.replace(/ies$/, "y").replace(/([^s])s$/, "$1");

function formatSkippedFiles(files: readonly NotUnderstood[]): string[] {
  if (files.length === 0) return [];
  const shown = files
    .slice(0, maxShownFiles)
    .map(({ path, reason }) => `  ${escapeUnprintable(path)}: ${escapeUnprintable(reason)}`);
  const more = files.length - shown.length;
  return [
    `${formatCount(files.length, "file")} not understood:`,
    ...shown,
    ...(more > 0 ? [`  and ${number.format(more)} more; --json lists all`] : []),
  ];
}

interface StoredReport {
  readonly part: PlannedPart;
  readonly tally: ImportTally;
}

/** What became of each connection's parts. */
export function formatReport(report: readonly StoredReport[]): string[] {
  const all = report.map(({ part, tally }) => ({ ...part, tally }));
  return groupByConnection(all).flatMap((parts) => {
    const [first] = parts;
    if (first === undefined) return [];
    const label =
      parts.length === 1
        ? escapeUnprintable(first.claim.label)
        : `${escapeUnprintable(first.importer.title)}: ${formatLabels(parts)}`;
    return [`${label} -> ${first.connection.id}`, ...formatTally(sumTallies(parts.map(({ tally }) => tally)))];
  });
}

function sumTallies(tallies: readonly ImportTally[]): ImportTally {
  const streams: Record<string, StreamTally> = {};
  for (const [name, counts] of tallies.flatMap((tally) => Object.entries(tally.streams))) {
    const { stored = 0, changed = 0, unchanged = 0, aside = 0, skipped = 0 } = streams[name] ?? {};
    streams[name] = {
      stored: stored + counts.stored,
      changed: changed + counts.changed,
      unchanged: unchanged + counts.unchanged,
      aside: aside + counts.aside,
      skipped: skipped + counts.skipped,
    };
  }
  const sum = (of: (tally: ImportTally) => number): number => tallies.reduce((total, each) => total + of(each), 0);
  return { read: sum(({ read }) => read), blobs: sum(({ blobs }) => blobs), streams };
}

function formatCounts({ stored, changed, unchanged, aside, skipped }: StreamTally): string {
  const counts: [number, string][] = [
    [stored, "new"],
    [changed, "changed"],
    [unchanged, "unchanged"],
    [skipped, "left out"],
    [aside, "put aside"],
  ];
  const said = counts.flatMap(([n, what]) => (n === 0 ? [] : [`${number.format(n)} ${what}`]));
  return said.join(", ") || "nothing";
}

export function formatTally(tally: ImportTally): string[] {
  const streams = Object.entries(tally.streams).map(([stream, counts]) => `  ${stream}: ${formatCounts(counts)}`);
  return [
    ...streams,
    ...(tally.blobs > 0 ? [`  ${formatCount(tally.blobs, "file")} came with these`] : []),
    ...(tally.mended ? [`  ${formatCount(tally.mended, "item")} put aside at first, and read later`] : []),
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
      `  ${formatCount(items, "item")} of ${path === null ? "the import" : escapeUnprintable(path)}: ${reason}; npx pdpp import PATH --into ${connection_id}`,
  );
  if (mended + again + files.length === 0) return "nothing is aside";
  return [
    `${formatCount(mended, "item")} read now, and stored`,
    ...(again === 0
      ? []
      : [`${formatCount(again, "item")} cannot be read still: npx pdpp imports ${importId} --aside`]),
    ...(whole.length === 0 ? [] : ["to be read with the whole file, if you still have it:", ...whole]),
  ].join("\n");
}
