import type { SearchList } from "@pdpp/contract/wire";
import { getImpersonationPath, toAbsoluteUrl } from "../../frame/addresses.ts";
import type { Html } from "../../frame/frame.tsx";
import { asSentence } from "../../frame/render/sentences.ts";
import { renderText } from "../../frame/render/values.tsx";
import { getSearchUrl, type SearchQuestion } from "./search-question.ts";

/** Explains how the search differs from the question. */
export function renderSearchNotes({ meta: { warnings, recall } }: SearchList): Html {
  const skipped = warnings.filter(({ code }) => code === "source_skipped_not_applicable").length;
  const notes = warnings
    .filter(({ code }) => code !== "source_skipped_not_applicable")
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
