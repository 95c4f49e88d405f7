import { continueWith } from "@pdpp/contract/continuation";
import type { Input } from "@pdpp/contract/operations";
import type { SearchList, Warning } from "@pdpp/contract/wire";
import type { Clause, SearchQuery } from "@pdpp/language/query/query";
import { isUnspaced } from "@pdpp/language/words/tokenize";
import type { RecordRanking } from "../../store/search/rank-records.ts";
import type { PreferredTimes } from "./prefer-times.ts";
import type { Question } from "./search-question.ts";

export function listSearchNotes({ query: asked, isNarrowed }: Question, ranking: RecordRanking): Warning[] {
  const { query, expansions, isGuess, truncated, unmatchedPhrases } = ranking;
  const notes: Warning[] = [];
  const missing = listMissingWords(query, ranking.missing);
  if (missing.length > 0) {
    const more = missing.length > maxMissingNamed ? `, and ${missing.length - maxMissingNamed} other words` : "";
    const which = isNarrowed ? "no record of this selection" : "no record";
    const message = `${which} has: ${missing.slice(0, maxMissingNamed).join(", ")}${more}`;
    notes.push({ code: "words_not_found", message, param: "q" });
  }
  for (const phrase of unmatchedPhrases) {
    const message =
      phrase.kind === "phrase" && phrase.identifier !== undefined
        ? `no record has ${phrase.identifier} as a whole; its pieces were searched for`
        : `no record has ${formatClause(phrase)} word for word; its words were searched for`;
    notes.push({ code: "phrase_not_found", message, param: "q" });
  }
  for (const [n, words] of expansions.entries()) {
    const clause = query.wanted[n];
    if (clause === undefined || words.length === 0) continue;
    const last = isGuess[n] ? "; a guess at a typo, so hits with nothing else come last" : "";
    const message = `searched also: ${words.map((parts) => parts.join(" ")).join(", ")} (for ${formatClause(clause)})${last}`;
    notes.push({ code: "searched_also", message, param: "q" });
  }
  const left = asked.omittedCount + Math.max(0, asked.wanted.length - query.wanted.length);
  if (left > 0 && unmatchedPhrases.length === 0) {
    const message = `of ${asked.wanted.length + asked.omittedCount} words the ${query.wanted.length} rarest were searched for`;
    notes.push({ code: "words_left_out", message, param: "q" });
  }
  for (const clause of truncated) {
    const message = `very many words begin with ${formatClause(clause)}; those that most records have were searched for`;
    notes.push({ code: "words_left_out", message, param: "q" });
  }
  return notes;
}

const maxMissingNamed = 10;

/**
 * The words that no record has, as they are written. Scripts without spaces are searched as pairs of characters, which
 * mean nothing alone: a run is named if no record has any of its pairs.
 */
function listMissingWords({ wanted, runs }: SearchQuery, missing: readonly Clause[]): string[] {
  const isPair = (clause: Clause): boolean => clause.kind === "word" && isUnspaced(clause.form);
  const words = missing.filter((clause) => !isPair(clause)).map(formatClause);
  const pairRuns = runs
    .map(({ clauses }) => clauses.flatMap((n) => wanted[n] ?? []))
    .filter((run) => run.length > 0 && run.every((clause) => isPair(clause) && missing.includes(clause)));
  const inRuns = new Set(pairRuns.flat());
  const alone = missing.filter((clause) => isPair(clause) && !inRuns.has(clause) && !isInRun(clause, { wanted, runs }));
  return [...words, ...pairRuns.map(formatRun), ...alone.map(formatClause)];
}

const isInRun = (clause: Clause, { wanted, runs }: Pick<SearchQuery, "wanted" | "runs">): boolean =>
  runs.some(({ clauses }) => clauses.some((n) => wanted[n] === clause));

/** Pairs overlap by one character. */
const formatRun = (run: readonly Clause[]): string =>
  run.map((clause, i) => (i === 0 ? formatClause(clause) : formatClause(clause).slice(1))).join("");

export function formatClause(clause: Clause): string {
  switch (clause.kind) {
    case "word":
      return clause.form;
    case "prefix":
      return `${clause.prefix}*`;
    case "phrase":
      return clause.identifier ?? `"${clause.forms.join(" ")}"`;
  }
}

export const listPreferredTimes = ({ times }: PreferredTimes): NonNullable<SearchList["meta"]["preferred_times"]> =>
  times.map(({ words, range, earlier }) => ({
    ...{ words, ...range },
    ...(earlier.length === 0 ? {} : { every_year: true }),
  }));

/** Names the preferred times, with the read that searches without preferring them. */
export function notePreferredTimes(
  preferred: PreferredTimes,
  { q, streams, connection_id, filter, limit }: Input<"search">,
): Warning {
  const times = listPreferredTimes(preferred).map(({ words, since, until, every_year }) => {
    // Both are midnights in the owner's time zone, so the date is enough.
    const bounds = [since && `since ${since.slice(0, 10)}`, until && `until ${until.slice(0, 10)}`].filter(Boolean);
    return `${bounds.join(", ")}${every_year ? " and in earlier years" : ""} (${JSON.stringify(words)})`;
  });
  const asked = { q, streams, connection_id, filter, limit };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return {
    code: "time_preferred",
    message: `records ${times.join(" or ")} score higher; time=words ranks by the words alone`,
    param: "q",
    reads: [continueWith("search", { ...given, q, time: "words" })],
  };
}
