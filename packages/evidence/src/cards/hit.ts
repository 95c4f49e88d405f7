import type { HitDetail, MatchEvidence, SearchList, SearchResult } from "@pdpp/contract/wire";
import { formatTime } from "../text/event-time.ts";
import { toLiteral } from "../text/literal.ts";

/** Words that matched in neighbouring records, but for the reply, which is shown already. */
export const listNeighbourMatches = ({ beside = [], reply }: SearchResult): NonNullable<SearchResult["beside"]> =>
  beside.filter(({ id }) => id !== reply?.id);

/** When a similar record happened, in the notation of the head line. */
export const formatSimilarTime = (time: string | number): string => formatTime({ event_time: time }) ?? toLiteral(time);

/** The passage that is the whole value of a detail, such as a name that matched: the detail shows it, with its words marked. */
export const findDetailPassage = (
  { evidence }: SearchResult,
  { field_path: field, value }: HitDetail,
): MatchEvidence | undefined =>
  evidence.find(({ field_path, preview, truncated }) => field_path === field && !truncated && preview === value);

/** The passages that neither the title nor a detail shows whole. */
export function listBodyPassages(hit: SearchResult): MatchEvidence[] {
  const { evidence, title, details = [] } = hit;
  const inDetails = details.flatMap((detail) => findDetailPassage(hit, detail) ?? []);
  return evidence.filter((passage) => (passage.truncated || passage.preview !== title) && !inDetails.includes(passage));
}

/** Behind how many records were found: how many of them have all that was asked for. Nothing when all do. */
export function formatMatchCounts({ all, most, any }: SearchList["meta"]["match"]): string {
  const some = most + any;
  if (some === 0) return "";
  return all === 0 ? ", none with all the words" : `: ${all} with all the words, ${some} with some`;
}
