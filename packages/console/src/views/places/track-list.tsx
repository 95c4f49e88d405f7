import { formatDate, toDay } from "../../days/calendar.ts";
import { getRecordUrl, getStreamUrl } from "../../frame/addresses.ts";
import type { Html } from "../../frame/frame.tsx";
import { formatCount, renderText } from "../../frame/render/values.tsx";
import { undatedMonth } from "../month-counts.ts";
import { formatMonthName, toMonth } from "../months.ts";
import { formatDistance, formatDuration, formatHeight } from "./formats.ts";
import type { Located } from "./located.ts";
import { getPlacesUrl } from "./place-urls.ts";
import type { PlacesView } from "./places-page.tsx";

/** Lists the items of the map by month; undated ones come last. */
export function renderTrackList(view: PlacesView): Html {
  const { found, zone } = view;
  const months = Map.groupBy(found, ({ at }) => (at === undefined ? undatedMonth : toMonth(at, zone)));
  return (
    <div class="track-list">
      {[...months].map(([month, all]) => (
        <>
          <h2>{month === undatedMonth ? "No date" : formatMonthName(month)}</h2>
          <ul class="rows">{all.map((each) => renderRow(view, each))}</ul>
        </>
      ))}
      {renderMore(view)}
    </div>
  );
}

/** Leads to those without a date that are not in the list. */
function renderMore({ question, undatedCount, isUndatedCut, found, streams }: PlacesView): Html {
  const { source, stream, show, month } = question;
  if (undatedCount === 0 || (month !== undefined && month !== undatedMonth)) return <></>;
  const isListed = found.some(({ at }) => at === undefined);
  if (month === undefined && !isListed)
    return (
      <p>
        <a href={getPlacesUrl({ show, source, stream, month: undatedMonth })}>
          {formatCount(undatedCount, show === "tracks" ? "track" : "place")} without a date
        </a>
      </p>
    );
  const [first] = streams;
  if (!isUndatedCut || first === undefined) return <></>;
  return (
    <p class="soft">
      Not all {formatCount(undatedCount, show === "tracks" ? "track" : "place")} without a date are listed here.{" "}
      <a href={getStreamUrl(first.connection, first.declaration.name)}>Show the table</a>
    </p>
  );
}

function renderRow({ question, chosen, zone }: PlacesView, each: Located): Html {
  const { source, stream, show } = question;
  const isChosen = each.id === chosen?.id;
  const facts = [
    each.at === undefined ? "" : formatDate(toDay(each.at, zone)),
    each.seconds === undefined ? "" : formatDuration(each.seconds),
    each.ascent === undefined || each.ascent < 1 ? "" : `${formatHeight(each.ascent)} climb`,
    each.points.length === 0 ? "no position" : "",
  ].filter((fact) => fact !== "");
  return (
    <li class={isChosen ? "chosen" : undefined}>
      <a
        href={each.points.length === 0 ? getRecordUrl(each.id) : getPlacesUrl({ show, source, stream, id: each.id })}
        aria-current={isChosen ? "true" : undefined}
      >
        {each.title === undefined ? (show === "tracks" ? "Track" : "Place") : renderText(each.title)}
      </a>
      <span>{each.distance !== undefined && each.distance > 0 && formatDistance(each.distance)}</span>
      <span class="soft">
        {facts.map((fact, index) => (
          <>
            {index > 0 && ", "}
            <span class="fact">{fact}</span>
          </>
        ))}
      </span>
      {isChosen && (
        <span class="soft">
          <a href={getRecordUrl(each.id)}>Technical details</a>
        </span>
      )}
    </li>
  );
}
