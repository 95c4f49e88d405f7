import type { SavedQuestion, SavedSearch } from "@pdpp/contract/searches";
import { toAbsoluteUrl } from "../../frame/addresses.ts";
import { getSearchUrl, type SearchQuestion } from "../search/search-question.ts";

/** The stored form of a search. A date in words stays words: "last month" is always the last one. */
export const toSavedQuestion = ({ asked, ...question }: SearchQuestion): SavedQuestion => {
  const { q, source, stream, since, until, time, order } = question;
  return asked === undefined ? { q, source, stream, since, until, time, order } : { q: asked, source, stream, order };
};

export const getSavedUrl = ({ question }: SavedSearch): string => toAbsoluteUrl(getSearchUrl(question));

export function findSaved(all: readonly SavedSearch[], question: SearchQuestion): SavedSearch | undefined {
  const url = getSearchUrl(toSavedQuestion(question));
  return all.find((search) => getSavedUrl(search) === toAbsoluteUrl(url));
}
