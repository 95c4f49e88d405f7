import { toObject, toObjects, toText } from "../../core/text/clean.ts";

/** Long posts: the list of posts only has their beginning; the full text is in a separate list, with a different id. */

export interface LongPost {
  readonly id: string;
  readonly at: number;
  readonly text: string;
}

/** How far the times of the two may differ. */
const maxTimeDifferenceMs = 60_000;

export function parseLongPost(value: Record<string, unknown>): LongPost | undefined {
  const note = toObject(value.noteTweet);
  const core = toObject(note.core);
  const [id, text] = [toText(note.noteTweetId), toText(core.text)];
  const at = Date.parse(toText(note.createdAt) ?? "");
  if (id === null || text === null || Number.isNaN(at)) return undefined;
  let long = text;
  for (const url of toObjects(core.urls)) {
    const [short, whole] = [toText(url.shortUrl), toText(url.expandedUrl)];
    if (short !== null && whole !== null && short !== "") long = long.replaceAll(short, whole);
  }
  return { id, at, text: long };
}

/** Finds the full text of a truncated post: written at the same time, with the same beginning. */
export function findFullPost(written: string, at: number, long: readonly LongPost[]): LongPost | undefined {
  if (!/…(\s+https:\/\/t\.co\/\w+)?\s*$/.test(written)) return undefined;
  const begins = getComparableStart(written.replace(/…[^…]*$/, ""));
  return long.find(
    (each) => Math.abs(each.at - at) <= maxTimeDifferenceMs && getComparableStart(each.text).startsWith(begins),
  );
}

/** The text before the first URL (short in one list, long in the other), without leading mentions. */
const getComparableStart = (text: string): string =>
  text
    .replace(/^(@\w+\s+)+/, "")
    .replace(/https?:\/\/[\s\S]*$/, "")
    .trim();
