import { renderLinkedBars } from "../../explore/linked-bars.tsx";
import { getRecordUrl, getStreamUrl } from "../../frame/addresses.ts";
import { type Html, renderLetterMark } from "../../frame/frame.tsx";
import { renderTerm } from "../../frame/render/parts.tsx";
import { formatMonth } from "../../frame/render/times.tsx";
import { formatNumber, renderText } from "../../frame/render/values.tsx";
import { isPicture, renderPicture } from "../file-chips.tsx";
import { getConversationUrl } from "./addresses.ts";
import { hasParts, writeSender } from "./turn.ts";
import type { ConversationView } from "./view.ts";

/** Facts about a conversation: people, months, pictures, who read it. */

const maxPictures = 8;

export function renderConversationRail(view: ConversationView): Html {
  const { shape, impersonatedGrant, conversation } = view;
  const record = getRecordUrl(view.openedId ?? view.page.turns.at(-1)?.id ?? view.id);
  return (
    <aside class="rail" aria-label="About this conversation">
      {renderPeople(view)}
      {renderMonths(view)}
      {renderPictures(view)}
      {view.readers}
      <details class="about-it">
        <summary>Technical details</summary>
        <dl>
          {conversation !== undefined && renderTerm("Conversation", <code>{conversation}</code>)}
          {view.openedId !== undefined && renderTerm("Handle", <code>{view.openedId}</code>)}
        </dl>
        <p>
          <a href={record}>All fields of this message</a>
        </p>
        <p>
          <a href={getStreamUrl(shape.source, shape.declaration.name)}>Table</a>
        </p>
        {impersonatedGrant !== undefined && (
          <p>
            <a href={`${record}#tool-output`}>What the agent receives</a>
          </p>
        )}
      </details>
    </aside>
  );
}

function renderPeople({ counts, page, shape }: ConversationView): Html {
  const people = (counts?.people ?? []).map(({ name, count }) => ({ name: writeSender(shape, name), count }));
  if (people.length === 0) return <></>;
  const own = page.turns.find(({ isOwn }) => isOwn)?.sender;
  return (
    <>
      <h2>People</h2>
      <ul class="talkers">
        {people.map(({ name, count }) => (
          <li>
            {renderLetterMark(name === own && hasParts(shape) ? "You" : name, "small")}
            <span class="name">{name === own ? "You" : renderText(name)}</span>
            <span class="soft">{formatNumber(count)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function renderMonths({ counts, id, q, page }: ConversationView): Html {
  const months = counts?.months ?? [];
  if (months.length < 2) return <></>;
  const start = page.turns.at(-1)?.id ?? id;
  const bars = months.map(({ month, count }) => ({
    label: formatMonth(Date.parse(`${month}-01`)),
    count,
    href: getConversationUrl({ id: start, q, month }),
  }));
  return (
    <>
      <h2>Jump to a month</h2>
      {renderLinkedBars("Messages by month", bars)}
    </>
  );
}

function renderPictures({ page }: ConversationView): Html {
  const pictures = page.turns.flatMap(({ files }) => files.filter(isPicture));
  if (pictures.length === 0) return <></>;
  return (
    <>
      <h2>Pictures on this page</h2>
      <div class="thumbs">{pictures.slice(0, maxPictures).map((file) => renderPicture(file, "thumb"))}</div>
    </>
  );
}
