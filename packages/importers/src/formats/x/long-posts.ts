import { isObject, toList, toText } from "../../core/text/clean.ts";

/** Long posts: the list of posts has only their beginning; the whole stands in a list of its own, under an id of its own. */

export interface LongPost {
  readonly id: string;
  readonly at: number;
  readonly text: string;
}

/** So far apart are the times of the two. */
const nearby = 60_000;

export function longPostIn(value: Record<string, unknown>): LongPost | undefined {
  const note = isObject(value.noteTweet) ? value.noteTweet : {};
  const core = isObject(note.core) ? note.core : {};
  const [id, text] = [toText(note.noteTweetId), toText(core.text)];
  const at = Date.parse(toText(note.createdAt) ?? "");
  if (id === null || text === null || Number.isNaN(at)) return undefined;
  let long = text;
  for (const url of toList(core.urls).filter(isObject)) {
    const [short, whole] = [toText(url.shortUrl), toText(url.expandedUrl)];
    if (short !== null && whole !== null && short !== "") long = long.replaceAll(short, whole);
  }
  return { id, at, text: long };
}

/** The whole of a post of which `written` may be the beginning: written at the same time, and beginning in the same way. */
export function wholeOfPost(written: string, at: number, long: readonly LongPost[]): LongPost | undefined {
  if (!/…(\s+https:\/\/t\.co\/\w+)?\s*$/.test(written)) return undefined;
  const begins = begun(written.replace(/…[^…]*$/, ""));
  return long.find((each) => Math.abs(each.at - at) <= nearby && begun(each.text).startsWith(begins));
}

/** Up to the first address, which one has short and the other long, and without the names that an answer begins with. */
const begun = (text: string): string =>
  text
    .replace(/^(@\w+\s+)+/, "")
    .replace(/https?:\/\/[\s\S]*$/, "")
    .trim();
