import type { HitDetail, MatchEvidence, SearchList, SearchResult } from "@pdpp/contract/wire";
import { formatTime } from "../text/event-time.ts";
import { toLiteral } from "../text/literal.ts";
import { capitalize } from "../text/text.ts";

/** Matches in neighbouring records, except in the reply, which is shown anyway. */
export const listNeighbourMatches = ({ beside = [], reply }: SearchResult): NonNullable<SearchResult["beside"]> =>
  beside.filter(({ id }) => id !== reply?.id);

/** In the notation of the heading. */
export const formatSimilarTime = (time: string | number): string => formatTime({ event_time: time }) ?? toLiteral(time);

/** The passage that equals the value of a detail, such as a matched name: the detail shows it, highlighted. */
export const findDetailPassage = (
  { evidence }: SearchResult,
  { field_path: field, value }: HitDetail,
): MatchEvidence | undefined =>
  evidence.find(({ field_path, preview, truncated }) => field_path === field && !truncated && preview === value);

/** Details without the actor of "Ada in Book club". A matched name stays, because only there it is highlighted. */
export function listUntitledDetails(hit: SearchResult): HitDetail[] {
  const { title, title_made_from: madeFrom, details = [] } = hit;
  return details.filter((detail) => {
    const { role, value, truncated } = detail;
    const leads = [String(value), capitalize(String(value))].map((actor) => `${actor} in `);
    const isInTitle =
      madeFrom === "parts" && role === "actor" && !truncated && leads.some((lead) => title.startsWith(lead));
    return !isInTitle || findDetailPassage(hit, detail) !== undefined;
  });
}

/** Passages that neither the title nor a detail shows in full. */
export function listBodyPassages(hit: SearchResult): MatchEvidence[] {
  const { evidence, title, details = [] } = hit;
  const inDetails = details.flatMap((detail) => findDetailPassage(hit, detail) ?? []);
  return evidence.filter((passage) => (passage.truncated || passage.preview !== title) && !inDetails.includes(passage));
}

/** Follows the number of hits: how many match every word. Empty if all do. */
export function formatMatchCounts({ all, most, any }: SearchList["meta"]["match"]): string {
  const some = most + any;
  if (some === 0) return "";
  return all === 0 ? ", none with all the words" : `: ${all} with all the words, ${some} with some`;
}
