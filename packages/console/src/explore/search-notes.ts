import type { SearchList } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { fromElsewhere, wornPath } from "../frame/addresses.ts";
import type { Html } from "../frame/frame.ts";
import { said } from "../frame/value-view.ts";
import { asSentence } from "../frame/words.ts";
import { exploreAddress, type Question } from "./question.ts";

/** What was searched for other than what was asked, in plain words. */
export function searchNotes({ meta: { warnings, recall } }: SearchList): Html {
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
  return html`${notes.map((note) => html`<p class="soft note">${said(note)}</p>`)}`;
}

/** An agent that the owner could look through. */
export interface Other {
  readonly id: string;
  readonly client: string;
}

/** So many are named; the page of agents has them all. */
const mostOthers = 3;

export function othersView(others: readonly Other[], question: Question): Html {
  if (others.length === 0) return html``;
  const links = others
    .slice(0, mostOthers)
    .map(
      ({ id, client }, i) =>
        html`${i === 0 ? "" : ", "}<a href="${wornPath(id)}${fromElsewhere(exploreAddress(question))}">${said(client)}</a>`,
    );
  return html` · View as: ${links}`;
}
