import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { capitalize } from "@pdpp/evidence/text/text";
import { getStreamUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { joinHtml } from "../../frame/render/parts.tsx";
import { renderRecordTime, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { getConversationsUrl, getConversationUrl } from "./addresses.ts";

interface ConversationsView {
  readonly source: string;
  /** The stream of the turns. */
  readonly stream: string;
  readonly cards: readonly EvidenceCard[];
  readonly next: string | undefined;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderConversationsPage(view: ConversationsView): Html {
  const { source, stream, cards, next, names, viewer, impersonatedGrant } = view;
  const title = names.source(source);
  return renderPage(
    title,
    <>
      <h1>{renderText(title)}</h1>
      <nav class="views" aria-label="View as">
        <a href={getConversationsUrl(source, stream)} aria-current="page">
          Conversations
        </a>
        <a href={getStreamUrl(source, stream)}>Table</a>
      </nav>
      {cards.length === 0 && <p>No conversations.</p>}
      <ul class="rows conversations">
        {cards.map((card) => (
          <li>
            {renderLetterMark(card.title)}
            <div>
              <a href={getConversationUrl({ id: card.id })}>{renderText(card.title)}</a>
              <p class="soft">{renderPeople(card)}</p>
            </div>
            <span class="soft when">{renderRecordTime(card) ?? ""}</span>
          </li>
        ))}
      </ul>
      {next !== undefined && (
        <p class="pages">
          <a rel="next" href={getConversationsUrl(source, stream, next)}>
            More
          </a>
        </p>
      )}
    </>,
    { owner: { room: "/explore", viewer, impersonatedGrant } },
  );
}

const maxPeople = 6;

/** Who takes part, or what else tells conversations apart. */
function renderPeople({ slots }: EvidenceCard): Html {
  const [people, facts] = [listTexts(slots.actor), listTexts(slots.secondary)];
  const rest = people.length - maxPeople;
  const named = `${people.slice(0, maxPeople).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return joinHtml(
    [...facts.map(capitalize), named].filter((text) => text !== ""),
    " · ",
    renderText,
  );
}

const listTexts = (fields: readonly FieldPresentation[] = []): string[] =>
  fields.flatMap((field) => {
    if (field.shown !== "inline") return [];
    const all = Array.isArray(field.value) ? field.value : [field.value];
    return all.filter((each): each is string => typeof each === "string" && each !== "");
  });
