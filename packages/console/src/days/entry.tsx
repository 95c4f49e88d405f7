import { getThumbnailUrl } from "../frame/addresses.ts";
import { type Html, renderLetterMark } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderScalar, renderText } from "../frame/render/values.tsx";
import { getOpenUrl } from "../views/kind-views.ts";
import { formatDistance } from "../views/places/formats.ts";
import type { DayItem } from "./day-records.ts";
import { describeEntry, type EntryDescription, type EntryPicture } from "./describe-entry.ts";
import type { Entry } from "./entries.ts";

/** One line of a day or of recent items. */

export interface EntryContext {
  readonly names: Names;
  /** Leads from the page's path to that of Explore. */
  readonly up: "" | "../";
  readonly threadTitles: ReadonlyMap<string, string>;
}

/** Image types that browsers show. */
const shownTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Distances are stored in metres. */
const renderAmount = ({ value, type, unit }: NonNullable<EntryDescription["amount"]>): Html =>
  unit === "m" && typeof value === "number" ? (
    <data value={String(value)} title={`${value} m`}>
      {formatDistance(value)}
    </data>
  ) : (
    renderScalar(value, type, unit)
  );

export function renderEntryText(entry: Entry<DayItem>, context: EntryContext, heading: "h2" | "h3" | "p"): Html {
  const { names, up, threadTitles } = context;
  const { first, items } = entry;
  const { title, note, amount, words, speaker, pictures } = describeEntry(
    entry,
    threadTitles.get(first.groupKey ?? ""),
  );
  const Heading = heading;
  return (
    <div class="entry">
      <Heading class="entry-title">
        <a href={`${up}${getOpenUrl(names, first.card)}`}>{renderText(title)}</a>{" "}
        <span class="soft">
          {note !== "" && renderText(note)}
          {amount !== undefined && (
            <>
              {note !== "" && ", "}
              {renderAmount(amount)}
            </>
          )}
          <span class="hidden"> · {renderText(names.source(first.stream.connection))}</span>
        </span>
      </Heading>
      {words !== "" && (
        <p class="entry-words" dir="auto">
          {speaker !== "" && <span class="speaker">{renderText(speaker)}: </span>}
          {renderText(words)}
        </p>
      )}
      {pictures.length > 0 && renderPictures(pictures, items.length, context)}
    </div>
  );
}

function renderPictures(pictures: readonly EntryPicture[], count: number, { names, up }: EntryContext): Html {
  return (
    <ul class="entry-pictures">
      {pictures.map(({ card, blob }) => (
        <li>
          <a href={`${up}${getOpenUrl(names, card)}`}>
            {shownTypes.has(blob.mime_type ?? "") ? (
              <img src={`${up}${getThumbnailUrl(card.connection_id, blob.blob_id)}`} alt={card.title} loading="lazy" />
            ) : (
              renderText(card.title)
            )}
          </a>
        </li>
      ))}
      {count > pictures.length && <li class="soft">+ {count - pictures.length}</li>}
    </ul>
  );
}

export const renderEntryMark = ({ first }: Entry<DayItem>, names: Names): Html =>
  renderLetterMark(names.mark(first.stream.connection));
