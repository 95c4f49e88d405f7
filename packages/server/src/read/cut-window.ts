import { budget } from "@pdpp/evidence/budget";
import { clusterMargin, startBefore, windowFrom } from "@pdpp/evidence/window";
import { type FoundRange, findText } from "./find-text.ts";
import type { TextSource } from "./text-source.ts";
import type { MatchAsked } from "./window-request.ts";

/** Windows cut from a text, reading no more of it than they show and a little around. */

/** What a cursor says: where a window begins, how it goes on, and, going backwards, how many characters it has exactly. */
export interface Placed {
  readonly kind: "placed";
  readonly start: number;
  readonly limit: number;
  readonly exactly: number | null;
}

export interface CutWindow {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly limit: number;
  readonly match: FoundRange | null;
  readonly next: Placed | null;
  readonly previous: Placed | null;
}

/** Null: the query is not in the text. */
export async function cutWindow(source: TextSource, asked: Placed | MatchAsked): Promise<CutWindow | null> {
  if (asked.kind === "placed") {
    const start = Math.min(asked.start, source.chars);
    const cut = await cutAt(source, start, asked.exactly ?? asked.limit, asked.exactly !== null);
    return { ...cut, limit: asked.limit, match: null, ...(await around(source, cut, asked.limit)) };
  }
  const match = await findText(source.pieces(), asked.q);
  if (match === null) return null;
  const { before, limit } = contextOf(match, asked);
  const cut = await cutAt(source, await startOf(source, match.start, before), limit, false);
  return { ...cut, limit, match, ...(await around(source, cut, asked.limit ?? budget.window.chars)) };
}

/** A match that the limit leaves no room around loses what is before it first. */
function contextOf(match: FoundRange, { before, after, limit }: MatchAsked): { before: number; limit: number } {
  const length = Math.min(match.end - match.start, budget.window.chars);
  const most = limit ?? before + length + after;
  const kept = Math.min(before, match.start, Math.max(0, most - length));
  return { before: kept, limit: Math.max(1, Math.min(most, kept + length + after)) };
}

async function cutAt(source: TextSource, start: number, limit: number, exactly: boolean) {
  const slice = await source.slice(start, start + limit + (exactly ? 0 : clusterMargin));
  return windowFrom(slice, start, limit);
}

async function startOf(source: TextSource, end: number, limit: number): Promise<number> {
  if (end === 0 || limit === 0) return end;
  return startBefore(await source.slice(Math.max(0, end - limit - clusterMargin), end), end, limit);
}

async function around(source: TextSource, { start, end }: FoundRange, limit: number) {
  const before = await startOf(source, start, limit);
  return {
    next: end < source.chars ? { kind: "placed" as const, start: end, limit, exactly: null } : null,
    previous: start > 0 ? { kind: "placed" as const, start: before, limit, exactly: start - before } : null,
  };
}
