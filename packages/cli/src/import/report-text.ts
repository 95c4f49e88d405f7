import type { ImportTally } from "@pdpp/contract/imports";
import { harmless } from "../render/style.ts";
import type { PlannedPart, PlannedStream } from "./planning.ts";

/** Plans and reports in plain words. */

const number = new Intl.NumberFormat("en-US");
const shownFiles = 10;

export const counted = (n: number, one: string, many = `${one}s`): string =>
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

export function planText(
  parts: readonly PlannedPart[],
  notUnderstood: readonly NotUnderstood[],
  lacking: readonly Lacking[],
): string {
  const found = parts.flatMap((part) => [
    `${harmless(part.claim.label)} (${part.importer.key}): ${filesText(part)}`,
    ...part.streams.map((stream) => `  ${streamText(stream)}`),
    ...(part.aside > 0 ? [`  ${counted(part.aside, "item")} cannot be read and would be put aside`] : []),
    `  goes into ${part.connection.isNew ? "a new connection" : "connection"} ${part.connection.id}`,
  ]);
  const absent = lacking.map(
    ({ connection_id, stream, records }) =>
      `${number.format(records)} ${stream} of ${connection_id} came before and are not in this export; they stay, unless you add --absent delete`,
  );
  return [
    ...(found.length === 0 ? ["nothing here that pdpp can import"] : found),
    ...absent,
    ...leftText(notUnderstood),
  ].join("\n");
}

function filesText({ claim: { entries } }: PlannedPart): string {
  const [first, ...others] = entries;
  return `${harmless(first?.path ?? "")}${others.length === 0 ? "" : ` and ${counted(others.length, "more file")}`}`;
}

function streamText({ stream, records, from, to, already_here: here }: PlannedStream): string {
  const years = from === null || to === null ? "" : `, ${from === to ? from : `${from} to ${to}`}`;
  return `${number.format(records)} ${stream}${years}${here === 0 ? "" : `; ${number.format(here)} already here`}`;
}

function leftText(files: readonly NotUnderstood[]): string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, shownFiles).map(({ path, reason }) => `  ${harmless(path)}: ${harmless(reason)}`);
  const more = files.length - shown.length;
  return [
    `${counted(files.length, "file")} not understood:`,
    ...shown,
    ...(more > 0 ? [`  and ${number.format(more)} more; --json lists all`] : []),
  ];
}

export const asideIn = ({ streams }: ImportTally): number =>
  Object.values(streams).reduce((sum, { aside }) => sum + aside, 0);

export function tallyLines(tally: ImportTally): string[] {
  const streams = Object.entries(tally.streams).map(([stream, { stored, changed, unchanged, aside, skipped }]) =>
    [
      `  ${stream}: ${number.format(stored)} new, ${number.format(changed)} changed, ${number.format(unchanged)} unchanged`,
      ...(skipped > 0 ? [`${number.format(skipped)} left out`] : []),
      ...(aside > 0 ? [`${number.format(aside)} put aside`] : []),
    ].join(", "),
  );
  return [
    ...streams,
    ...(tally.blobs > 0 ? [`  ${counted(tally.blobs, "file")} stored`] : []),
    ...(tally.mended ? [`  ${counted(tally.mended, "item")} put aside at first, and read later`] : []),
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

export function retryText(importId: string, { mended, again, files }: Retried): string {
  const whole = files.map(
    ({ connection_id, path, items, reason }) =>
      `  ${counted(items, "item")} of ${path === null ? "the import" : harmless(path)}: ${reason}; pdpp import PATH --into ${connection_id}`,
  );
  if (mended + again + files.length === 0) return "nothing is aside";
  return [
    `${counted(mended, "item")} read now, and stored`,
    ...(again === 0 ? [] : [`${counted(again, "item")} cannot be read still: pdpp imports ${importId} --aside`]),
    ...(whole.length === 0 ? [] : ["to be read with the whole file, if you still have it:", ...whole]),
  ].join("\n");
}
