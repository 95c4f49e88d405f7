import type { SearchList } from "@pdpp/contract/wire";
import { getImpersonationPath, toAbsoluteUrl } from "../../frame/addresses.ts";
import type { Html } from "../../frame/frame.tsx";
import { asSentence } from "../../frame/render/sentences.ts";
import { renderText } from "../../frame/render/values.tsx";
import { getExactWordsUrl, getSearchUrl, type SearchQuestion } from "./search-question.ts";

/** Explains how the search differs from the question. */
export function renderSearchNotes(
  { meta: { warnings, recall, preferred_times: preferred = [] } }: SearchList,
  question: SearchQuestion,
): Html {
  const skipped = warnings.filter(({ code }) => code === "source_skipped_not_applicable").length;
  const notes = warnings
    .filter(({ code }) => code !== "source_skipped_not_applicable" && code !== "time_preferred")
    .map(({ code, message }) =>
      code === "searched_also" ? message.replace(/^searched also: /, "Also searched for ") : asSentence(message),
    );
  if (skipped > 0)
    notes.push(
      skipped === 1
        ? "One kind of record has no dates and was left out."
        : `${skipped} kinds of records have no dates and were left out.`,
    );
  if (!recall.complete) notes.push("These words are very common, so only the newest matches were searched.");
  return (
    <>
      {preferred.length > 0 && (
        <p class="soft note">
          Records of this time come first: {renderText(preferred.map(({ words }) => words).join(", "))}.{" "}
          <a href={getExactWordsUrl(question)}>Search the exact words</a>
        </p>
      )}
      {notes.map((note) => (
        <p class="soft note">{renderText(note)}</p>
      ))}
    </>
  );
}

export interface OtherAgent {
  readonly id: string;
  readonly client: string;
}

/** How many are named; the Agents page lists all. */
const maxOthers = 3;

export function renderOtherAgents(others: readonly OtherAgent[], question: SearchQuestion): Html {
  if (others.length === 0) return <></>;
  const links = others.slice(0, maxOthers).map(({ id, client }, i) => (
    <>
      {i !== 0 && ", "}
      <a href={`${getImpersonationPath(id)}${toAbsoluteUrl(getSearchUrl(question))}`}>{renderText(client)}</a>
    </>
  ));
  return <> · View as: {links}</>;
}
