import type { Warning } from "@pdpp/contract/wire";
import type { Clause } from "@pdpp/evidence/query";
import type { Ranking } from "../store/search/rank.ts";
import type { Question } from "./search-question.ts";

/** What was searched for other than what was asked, in words. */
export function searchNotes({ query: asked }: Question, ranking: Ranking): Warning[] {
  const { query, also, cut, unmet } = ranking;
  const notes: Warning[] = unmet.map((phrase) => ({
    code: "phrase_not_found",
    message: `no record has ${clauseText(phrase)} word for word; its words were searched for`,
    param: "q",
  }));
  for (const [n, words] of also.entries()) {
    const clause = query.wanted[n];
    if (clause === undefined || words.length === 0) continue;
    const message = `searched also: ${words.map((parts) => parts.join(" ")).join(", ")} (for ${clauseText(clause)})`;
    notes.push({ code: "searched_also", message, param: "q" });
  }
  const left = asked.leftOut + Math.max(0, asked.wanted.length - query.wanted.length);
  if (left > 0 && unmet.length === 0) {
    const message = `of ${asked.wanted.length + asked.leftOut} words the ${query.wanted.length} rarest were searched for`;
    notes.push({ code: "words_left_out", message, param: "q" });
  }
  for (const clause of cut) {
    const message = `very many words begin with ${clauseText(clause)}; those that most records have were searched for`;
    notes.push({ code: "words_left_out", message, param: "q" });
  }
  return notes;
}

export function clauseText(clause: Clause): string {
  switch (clause.kind) {
    case "word":
      return clause.form;
    case "prefix":
      return `${clause.prefix}*`;
    case "phrase":
      return clause.identifier ?? `"${clause.forms.join(" ")}"`;
  }
}
