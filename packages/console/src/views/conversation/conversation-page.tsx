import { labelStream } from "@pdpp/consent/labels";
import { getSearchUrl } from "../../explore/search/search-question.ts";
import { type Html, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import { createWordMarker } from "../../frame/render/marked-text.tsx";
import { renderBackLink } from "../../frame/render/parts.tsx";
import { formatDayHeading } from "../../frame/render/times.tsx";
import { formatNumber, renderText } from "../../frame/render/values.tsx";
import { getConversationsUrl, getConversationUrl, getTurnUrl } from "./addresses.ts";
import { renderConversationRail } from "./conversation-rail.tsx";
import { renderTurns } from "./turns.tsx";
import type { ConversationView } from "./view.ts";

/** The page of a conversation. */

export function renderConversationPage(view: ConversationView): Html {
  const { q, shape, page, names, matches, impersonatedGrant, viewer, openedId, replied } = view;
  const { source, declaration } = shape;
  const title = view.head?.title ?? labelStream(declaration);
  const renderWords = createWordMarker(matches.words);
  const turns = renderTurns(page.turns, { shape, openedId, matches: new Set(matches.ids), replied, renderWords });
  return renderPage(
    title,
    <div class="with-rail">
      <div class="conversation">
        {q === undefined
          ? renderBackLink(getConversationsUrl(source, declaration.name), renderText(names.source(source)))
          : renderBackLink(getSearchUrl({ q }), <>Results for “{renderText(q)}”</>)}
        <div class="conversation-head">
          {renderLetterMark(names.mark(source))}
          <div>
            <h1>{renderText(title)}</h1>
            <p class="soft">{renderFacts(view)}</p>
          </div>
          {renderMatchSteps(view)}
        </div>
        <div data-turns="" class="turns">
          {renderMore(view, "earlier")}
          {page.turns.length === 0 && <p class="soft">No messages here.</p>}
          {turns}
          {renderMore(view, "later")}
        </div>
      </div>
      {renderConversationRail(view)}
    </div>,
    {
      owner: { room: "/explore", viewer, impersonatedGrant, ...(q === undefined ? {} : { q }) },
      isWide: true,
      timeZone: view.timeZone,
      scripts: ["/assets/conversation.js"],
    },
  );
}

function renderFacts({ shape, names, head, counts }: ConversationView): Html {
  const details = (head?.slots.secondary ?? []).flatMap((field) =>
    field.shown === "inline" && typeof field.value === "string" && field.value !== "" ? [field.value] : [],
  );
  const total = counts?.total;
  return (
    <>
      {renderText(names.source(shape.source))}
      {details.map((detail) => (
        <> · {renderText(detail)}</>
      ))}
      {total !== undefined && <> · {total === 1 ? "1 message" : `${formatNumber(total)} messages`}</>}
    </>
  );
}

/** Which match is open, and the ways to the one before and after it. */
function renderMatchSteps({ matches: { ids, hasMore }, openedId, q, page }: ConversationView): Html {
  if (q === undefined || ids.length === 0) return <></>;
  const at = openedId === undefined ? -1 : ids.indexOf(openedId);
  const [first] = page.turns;
  const [before, after] = at === -1 ? [undefined, first && ids[0]] : [ids[at - 1], ids[at + 1]];
  const total = `${formatNumber(ids.length)}${hasMore ? "+" : ""}`;
  const renderStep = (id: string | undefined, label: string, path: string) =>
    id === undefined ? (
      <span class="step" aria-hidden="true">
        {renderChevron(path)}
      </span>
    ) : (
      <a class="step" href={getTurnUrl(id, q)} title={label}>
        {renderChevron(path)}
        <span class="hidden">{label}</span>
      </a>
    );
  return (
    <nav class="steps" aria-label="Matches">
      <span class="soft">{at === -1 ? `${total} matches` : `Match ${at + 1} of ${total}`}</span>
      {renderStep(before, "Earlier match", "M3 10l5-5 5 5")}
      {renderStep(after, "Later match", "M3 6l5 5 5-5")}
    </nav>
  );
}

const renderChevron = (path: string): Html => (
  <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} />
  </svg>
);

/** The link to more turns, or the end. A page of one direction leads back from its edge. */
function renderMore(view: ConversationView, way: "earlier" | "later"): Html {
  const { id, q, page, direction, month } = view;
  const edge = way === "earlier" ? page.turns[0] : page.turns.at(-1);
  const cursor = page[way];
  const isBack = direction !== undefined && direction !== way && edge !== undefined;
  const label = way === "earlier" ? "Earlier messages" : "Later messages";
  if (cursor !== undefined || isBack) {
    const href = isBack
      ? getConversationUrl({ id: edge.id, q, isStart: true })
      : // A cursor is only valid for the same start.
        getConversationUrl({ id, q, [way]: cursor, month });
    const day = edge === undefined ? "" : `, ${formatDayHeading(Date.parse(edge.day)).replace(/^\w+,? /, "")}`;
    return (
      <p class="more" data-more={way}>
        <a rel={way === "earlier" ? "prev" : "next"} href={href}>
          {label}
          <span class="hidden">{day}</span>
        </a>
      </p>
    );
  }
  const isEmpty = page.turns.length === 0;
  return isEmpty ? (
    <></>
  ) : (
    <p class="more soft" data-more={way}>
      {way === "earlier" ? "First message" : "Newest message"}
    </p>
  );
}
