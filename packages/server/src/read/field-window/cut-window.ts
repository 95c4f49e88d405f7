import { budget } from "@pdpp/evidence/sizes/budget";
import { clusterMargin, cutWindowFrom, cutWindowTo, type TextWindow } from "@pdpp/evidence/windows/window";
import { scaleLimits, type WindowLimits } from "@pdpp/evidence/windows/window-limits";
import type { TextSource } from "../../store/records/text-source.ts";
import { type CharSpan, type EncodedSpans, findTextAfter, findTextBefore } from "./encoded-spans.ts";
import { type FoundRange, findText } from "./find-text.ts";
import type { MatchRequest, WindowPlace } from "./window-request.ts";

export interface CutWindow {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly limit: number;
  readonly match: FoundRange | null;
  readonly next: WindowPlace | null;
  readonly previous: (WindowPlace & { readonly start: number }) | null;
  /** Encoded bytes in the window's text, or omitted just before and after it. */
  readonly encoded: readonly CharSpan[];
  readonly notShown: readonly CharSpan[];
}

export interface CutOptions {
  readonly bytes: EncodedSpans;
  /** Set for windows in a tool result: encoded bytes are left out, and the text stays within these limits. */
  readonly limits?: (hasBytes: boolean) => WindowLimits;
}

/** Null if the query is not in the text. */
export async function cutWindow(
  source: TextSource,
  asked: WindowPlace | MatchRequest,
  options: CutOptions,
): Promise<CutWindow | null> {
  if (asked.kind !== "match") {
    const cut = await cutAt(source, asked, options);
    return { ...cut, limit: asked.limit, match: null, ...(await findSurroundings(source, cut, asked.limit, options)) };
  }
  const match = await findText(source.pieces(), asked.q);
  if (match === null) return null;
  const { before, limit } = fitContext(match, asked);
  const cut = await cutAround(source, match, before, limit, options);
  return {
    ...cut,
    limit,
    match,
    ...(await findSurroundings(source, cut, asked.limit ?? budget.window.chars, options)),
  };
}

/**
 * If the limit is too small for the requested context, both sides shrink proportionally; unused space before the match
 * goes after it.
 */
function fitContext(match: FoundRange, { before, after, limit }: MatchRequest): { before: number; limit: number } {
  const length = Math.min(match.end - match.start, budget.window.chars);
  const most = limit ?? before + length + after;
  const context = Math.min(before + after, Math.max(0, most - length));
  const share = context === 0 ? 0 : Math.round((context * before) / (before + after));
  const kept = Math.min(share, match.start);
  return { before: kept, limit: Math.max(1, Math.min(most, kept + length + after)) };
}

interface Bounds {
  readonly first: number;
  readonly last: number;
  readonly limits?: WindowLimits;
}

async function findBounds(
  source: TextSource,
  range: FoundRange,
  core: FoundRange,
  { bytes, limits }: CutOptions,
): Promise<Bounds> {
  const first = Math.max(0, range.start - clusterMargin);
  const last = Math.min(source.chars, range.end + clusterMargin);
  if (limits === undefined) return { first, last };
  const runs = await bytes.around(first, last);
  const before = runs.filter(({ end_chars: end }) => end <= core.start).at(-1);
  const behind = runs.find(({ start_chars: start }) => start >= core.end);
  return {
    first: Math.max(first, before?.end_chars ?? 0),
    last: Math.min(last, behind?.start_chars ?? source.chars),
    limits: limits(runs.length > 0),
  };
}

async function cutAt(source: TextSource, { kind, at, limit }: WindowPlace, options: CutOptions): Promise<TextWindow> {
  const asked = Math.min(at, source.chars);
  if (kind === "from") {
    const start = options.limits === undefined ? asked : await findTextAfter(options.bytes, asked);
    const range = { start, end: start + limit };
    const { last, limits } = await findBounds(source, range, { start, end: start }, options);
    return cutWindowFrom(await source.slice(start, last), start, limit, limits);
  }
  const end = options.limits === undefined ? asked : await findTextBefore(options.bytes, asked);
  const range = { start: end - limit, end };
  const { first, limits } = await findBounds(source, range, { start: end, end }, options);
  return cutWindowTo(await source.slice(first, end), end, limit, limits);
}

async function cutAround(
  source: TextSource,
  match: FoundRange,
  before: number,
  limit: number,
  options: CutOptions,
): Promise<TextWindow> {
  const range = { start: match.start - before, end: match.start - before + limit };
  const { first, last, limits } = await findBounds(source, range, match, options);
  const share = limits && scaleLimits(limits, before / limit);
  const { start } =
    before === 0 ? match : cutWindowTo(await source.slice(first, match.start), match.start, before, share);
  const end = range.end - start;
  return cutWindowFrom(await source.slice(start, last), start, end, limits, match.end - start);
}

async function findSurroundings(source: TextSource, { start, end }: FoundRange, limit: number, options: CutOptions) {
  const { bytes, limits } = options;
  const [from, to] =
    limits === undefined ? [end, start] : [await findTextAfter(bytes, end), await findTextBefore(bytes, start)];
  const back: WindowPlace = { kind: "to", at: to, limit };
  const next: WindowPlace | null = from < source.chars ? { kind: "from", at: from, limit } : null;
  return {
    next,
    previous: to > 0 ? { ...back, start: (await cutAt(source, back, options)).start } : null,
    encoded:
      limits === undefined ? (await bytes.around(start, end)).filter((run) => isOverlapping(run, start, end)) : [],
    notShown: [toSpan(to, start), toSpan(end, from)].filter((span) => span.end_chars > span.start_chars),
  };
}

const isOverlapping = ({ start_chars: first, end_chars: last }: CharSpan, start: number, end: number): boolean =>
  first < end && last > start;
const toSpan = (start: number, end: number): CharSpan => ({ start_chars: start, end_chars: end });
