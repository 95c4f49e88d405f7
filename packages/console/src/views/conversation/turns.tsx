import { getTextUrl } from "../../frame/addresses.ts";
import { type Html, renderLetterMark } from "../../frame/frame.tsx";
import { renderMarkdown } from "../../frame/render/markdown.tsx";
import type { RenderWords } from "../../frame/render/marked-text.tsx";
import { formatDayHeading } from "../../frame/render/times.tsx";
import { renderText } from "../../frame/render/values.tsx";
import { isPicture, renderFileChip, renderPicture } from "../file-chips.tsx";
import { matchAnchor } from "./addresses.ts";
import type { RepliedTurn } from "./replied-turns.ts";
import type { ConversationShape } from "./shape.ts";
import type { Reaction, Turn } from "./turn.ts";
import { groupTurns, type TurnGroup } from "./turn-groups.ts";

/** Turns as bubbles, by day and sender. */

export interface TurnsView {
  readonly shape: ConversationShape;
  readonly openedId: string | undefined;
  readonly matches: ReadonlySet<string>;
  readonly replied: ReadonlyMap<string, RepliedTurn>;
  readonly renderWords: RenderWords;
}

/** Longer texts continue on a page of their own. */
const maxTextChars = 6000;
const maxQuoteChars = 120;

export const renderTurns = (turns: readonly Turn[], view: TurnsView): Html[] =>
  groupTurns(turns).map(({ day, groups }) => (
    <section class="turn-day" data-day={day}>
      <h2 class="day-line">
        <a href={`day/${day}`}>{formatDayHeading(Date.parse(day))}</a>
      </h2>
      {groups.map((group) => renderGroup(group, view))}
    </section>
  ));

function renderGroup(group: TurnGroup, view: TurnsView): Html {
  const { sender, isOwn, isGenerated, turns } = group;
  const [first] = turns;
  const name = isOwn ? "You" : sender;
  if (name === undefined && view.shape.actor !== undefined)
    return (
      <div class="notices">
        {turns.map((turn) => (
          <p class="soft" {...describeTurn(turn, view)}>
            {renderBody(turn, view)} <span class="clock">{turn.clock}</span>
          </p>
        ))}
      </div>
    );
  return (
    <div class={`turn${isOwn ? " own" : ""}${isGenerated ? " generated" : ""}`}>
      <p class="by">
        {isOwn ? <span class="hidden">You</span> : <strong>{renderText(name ?? "Sender not shown")}</strong>}{" "}
        {first !== undefined && renderClock(first)}
      </p>
      {!isOwn && renderLetterMark(name ?? "?", "small")}
      <ul class="bubbles">{turns.map((turn) => renderTurn(turn, view))}</ul>
    </div>
  );
}

const renderClock = ({ at, clock, day }: Turn): Html => (
  <time class="soft" datetime={new Date(at).toISOString()} title={`${day} ${clock}`}>
    {clock}
  </time>
);

/** The opened turn is where the page scrolls to. */
const describeTurn = ({ id }: Turn, { openedId }: TurnsView) =>
  id === openedId ? ({ id: matchAnchor, "data-turn": id, tabindex: -1 } as const) : ({ "data-turn": id } as const);

function renderTurn(turn: Turn, view: TurnsView): Html {
  const pictures = turn.files.filter(isPicture);
  const others = turn.files.filter((file) => !isPicture(file));
  const isOpened = turn.id === view.openedId;
  const classes = ["bubble", ...(isOpened ? ["opened"] : []), ...(pictures.length > 0 ? ["pictured"] : [])];
  return (
    <li {...describeTurn(turn, view)}>
      <div class={classes.join(" ")} aria-current={isOpened ? "true" : undefined}>
        {renderReplied(turn, view)}
        {pictures.map((file) => renderPicture(file, "inline-picture"))}
        {turn.text !== "" && <div class="words">{renderBody(turn, view)}</div>}
        {turn.text === "" && turn.files.length === 0 && <span class="soft">No text</span>}
        {others.length > 0 && <div class="chips">{others.map(renderFileChip)}</div>}
      </div>
      {renderReactions(turn.reactions)}
    </li>
  );
}

function renderBody(turn: Turn, { shape, renderWords }: TurnsView): Html {
  const { text, id } = turn;
  const isCut = text.length > maxTextChars;
  const shown = isCut ? text.slice(0, maxTextChars).toWellFormed() : text;
  const isMarkdown = shape.body?.type === "markdown" || shape.generated !== undefined;
  return (
    <>
      {isMarkdown ? (
        <div class="markdown" dir="auto">
          {renderMarkdown(shown, renderWords)}
        </div>
      ) : (
        <span class="said" dir="auto">
          {renderWords(shown)}
        </span>
      )}
      {isCut && shape.body !== undefined && (
        <a class="on" href={getTextUrl({ id, field: shape.body.name, offset: maxTextChars })}>
          Continue reading
        </a>
      )}
    </>
  );
}

function renderReplied({ replyTo }: Turn, { replied }: TurnsView): Html {
  const turn = replyTo === undefined ? undefined : replied.get(replyTo);
  if (turn === undefined) return <></>;
  const { sender = "", text } = turn;
  const isCut = text.length > maxQuoteChars;
  return (
    <blockquote class="replied">
      {sender !== "" && <strong>{renderText(sender)}</strong>}{" "}
      {renderText(isCut ? `${text.slice(0, maxQuoteChars).toWellFormed()}…` : text || "No text")}
    </blockquote>
  );
}

function renderReactions(reactions: readonly Reaction[]): Html {
  if (reactions.length === 0) return <></>;
  return (
    <p class="reactions">
      <span class="hidden">Reactions: </span>
      {reactions.map(({ emoji, from }) => (
        <span class="reaction">
          {renderText(emoji)} {from !== "" && renderText(from)}
        </span>
      ))}
    </p>
  );
}
