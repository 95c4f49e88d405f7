import { parseInstant } from "@pdpp/contract/instant";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { type Html, renderLetterMark } from "../../frame/frame.tsx";
import { formatNumber, renderText } from "../../frame/render/values.tsx";
import { getMailUrl } from "./addresses.ts";
import { formatShortDay } from "./mail-times.tsx";
import type { MailView } from "./view.ts";

/** The other mails of a thread as rows, which open in the same place. */

const maxSnippetChars = 160;

export function renderThreadRows(cards: readonly EvidenceCard[], { q, shape, timeZone }: ThreadView): Html {
  if (cards.length === 0) return <></>;
  return (
    <ol class="thread-rows">
      {cards.map((card) => {
        const name = getName(card, shape);
        const at = parseInstant(String(card.event_time ?? ""));
        const [body] = card.slots.body ?? [];
        return (
          <li>
            <a href={`${getMailUrl(card.id, q)}#mail`}>
              {renderLetterMark(name, "small")}
              <strong>{renderText(name)}</strong>
              <span class="soft snippet">{renderText(getSnippet(body))}</span>
              <span class="soft when">{at === null ? "" : formatShortDay(at, timeZone)}</span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}

type ThreadView = Pick<MailView, "q" | "shape" | "timeZone" | "thread" | "at" | "sender" | "address" | "isOwn">;

function getName(card: EvidenceCard, { own }: MailView["shape"]): string {
  const fields = [...card.fields, ...Object.values(card.slots).flatMap((slot) => slot ?? [])];
  const value = fields.find(({ field_path }) => field_path === own?.field);
  if (value?.shown === "inline" && own?.values.some((each) => each === value.value)) return "You";
  const [actor] = card.slots.actor ?? [];
  return actor?.shown === "inline" && typeof actor.value === "string" && actor.value !== "" ? actor.value : "Mail";
}

function getSnippet(body: FieldPresentation | undefined): string {
  const text =
    body?.shown === "preview"
      ? body.preview
      : body?.shown === "inline" && typeof body.value === "string"
        ? body.value
        : "";
  return text.slice(0, maxSnippetChars).toWellFormed().replace(/\s+/g, " ");
}

/** How many mails the thread has, with whom, and when. */
export function summarizeThread(view: ThreadView): Html {
  const { thread, shape, timeZone, at, sender, address, isOwn } = view;
  const others = [...thread.earlier, ...thread.later];
  if (others.length === 0) return <></>;
  const names = new Set(others.map((card) => getName(card, shape)));
  names.add(isOwn ? "You" : (sender ?? address ?? "Mail"));
  names.delete("You");
  names.delete("Mail");
  const times = [...others.map((card) => parseInstant(String(card.event_time ?? ""))), at ?? null].filter(
    (time) => time !== null,
  );
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const [shown, more] = [[...names].slice(0, 2), names.size - 2];
  return (
    <>
      {formatNumber(others.length + 1)}
      {thread.hasMore ? "+" : ""} mails
      {shown.length > 0 && <> with {renderText(shown.join(" and "))}</>}
      {more > 0 && ` and ${more} more`}
      {times.length > 0 && (
        <>
          , {formatShortDay(first, timeZone)}
          {formatShortDay(first, timeZone) !== formatShortDay(last, timeZone) && (
            <> – {formatShortDay(last, timeZone)}</>
          )}
        </>
      )}
    </>
  );
}
