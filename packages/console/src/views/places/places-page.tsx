import { getStreamUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { formatCount, formatNumber, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import type { Projection } from "../geography/projection.ts";
import { undatedMonth } from "../month-counts.ts";
import { formatMonthName } from "../months.ts";
import type { Cluster } from "./cluster.ts";
import type { Located } from "./located.ts";
import { renderMap } from "./map.tsx";
import type { PlaceStream } from "./place-streams.ts";
import { getPlacesUrl, type PlacesQuestion } from "./place-urls.ts";
import { renderTrackTime } from "./profile.tsx";
import { renderTrackList } from "./track-list.tsx";

export interface PlacesView {
  readonly question: PlacesQuestion;
  readonly found: readonly Located[];
  readonly chosen: Located | undefined;
  readonly others: readonly Located[];
  readonly projection: Projection;
  readonly clusters: readonly Cluster[];
  readonly months: readonly { readonly month: string; readonly count: number }[];
  readonly totals: { readonly tracks: number; readonly places: number };
  readonly undatedCount: number;
  readonly isUndatedCut: boolean;
  readonly isCounting: boolean;
  /** Streams that are not drawn, because the grant does not include their coordinates. */
  readonly withheld: readonly PlaceStream[];
  /** The streams in the list. */
  readonly streams: readonly PlaceStream[];
  readonly names: Names;
  readonly zone: string;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderPlacesPage(view: PlacesView): Html {
  const { found, chosen, viewer, impersonatedGrant, isCounting, totals } = view;
  const isEmpty = found.length === 0 && chosen === undefined;
  return renderPage(
    "Places",
    <>
      <div class="view-head">
        <div>
          <h1>Places</h1>
          <p class="soft">
            {!isCounting && `${describeTotals(totals)}. `}
            Drawn on an outline that comes with pdpp; no map is loaded from elsewhere.
          </p>
        </div>
        {renderKinds(view)}
      </div>
      {isEmpty ? renderEmpty(view) : renderContent(view)}
      {view.withheld.length > 0 && renderWithheld(view)}
    </>,
    { owner: { room: "/places", viewer, impersonatedGrant }, isWide: true, scripts: ["/assets/places.js"] },
  );
}

const describeTotals = ({ tracks, places }: PlacesView["totals"]): string =>
  [tracks > 0 || places === 0 ? formatCount(tracks, "track") : "", places > 0 ? formatCount(places, "place") : ""]
    .filter((part) => part !== "")
    .join(" and ");

type WithheldView = Pick<PlacesView, "withheld" | "names" | "viewer" | "impersonatedGrant">;

/** No map, and why. */
export const renderNoCoordinatesPage = (view: WithheldView): Html =>
  renderPage(
    "Places",
    <>
      <h1>Places</h1>
      <p>
        {view.impersonatedGrant === undefined
          ? "There is no map, because your tracks and places have no coordinates."
          : "There is no map, because this access does not include coordinates."}
      </p>
      {renderWithheld(view)}
    </>,
    { owner: { room: "/places", viewer: view.viewer, impersonatedGrant: view.impersonatedGrant }, isWide: true },
  );

const renderWithheld = ({ withheld, names }: WithheldView): Html => (
  <section>
    <h2>Without coordinates</h2>
    <ul>
      {withheld.map(({ connection, declaration: { name }, recordCount, kind }) => (
        <li>
          <a href={getStreamUrl(connection, name)}>{renderText(names.stream(connection, name))}</a>
          {", "}
          {renderText(names.source(connection))}: {formatCount(recordCount, kind)}
        </li>
      ))}
    </ul>
  </section>
);

const renderEmpty = ({ question, totals, impersonatedGrant }: PlacesView): Html => (
  <p>
    {question.month === undefined
      ? question.show === "places" && totals.tracks > 0
        ? "No places yet, only tracks."
        : "Nothing with a position yet."
      : question.month === undatedMonth
        ? "Everything has a date."
        : `Nothing in ${formatMonthName(question.month)}.`}{" "}
    {question.month === undefined && impersonatedGrant === undefined ? (
      <a href="/import">Import tracks or a location history</a>
    ) : (
      <a href="places">Show the newest</a>
    )}
  </p>
);

const renderContent = (view: PlacesView): Html => (
  <div class="places">
    <div class="map-column">
      {renderMap({ ...view, label: describeMap(view) })}
      {isClose(view.projection) && (
        <p class="soft map-hint">
          The outline is coarse: at this scale coasts are approximate and small islands are missing.
        </p>
      )}
      {view.chosen !== undefined && renderTrackTime(view.chosen, view.projection, view.zone)}
    </div>
    <div>
      {renderMonths(view)}
      {renderTrackList(view)}
    </div>
  </div>
);

/** Narrower than a degree, which is 111 kilometres. */
const isClose = ({ bounds }: Projection): boolean => bounds.north - bounds.south < 1;

function describeMap({ chosen, found, question }: PlacesView): string {
  const shown = chosen === undefined ? "" : `Map of ${chosen.title ?? "a track"}. `;
  return `${shown}${formatCount(found.length, question.show === "tracks" ? "track" : "place")} in the list beside it.`;
}

function renderKinds({ question, totals: { tracks, places }, isCounting }: PlacesView): Html {
  const kinds = [
    { show: "tracks", label: "Tracks", count: tracks },
    { show: "places", label: "Places", count: places },
  ] as const;
  return (
    <nav class="chips" aria-label="Show">
      {kinds
        .filter(({ show, count }) => isCounting || count > 0 || question.show === show)
        .map(({ show, label, count }) => (
          <a href={getPlacesUrl({ show })} aria-current={question.show === show ? "true" : undefined}>
            {label} {!isCounting && <span class="soft">{formatNumber(count)}</span>}
          </a>
        ))}
    </nav>
  );
}

const maxMonths = 120;

function renderMonths({ question, months, undatedCount }: PlacesView): Html {
  const { source, stream, show, month: chosen } = question;
  if (months.length + Math.min(1, undatedCount) < 2 && chosen === undefined) return <></>;
  return (
    <form class="month-form" action="places">
      {show === "places" && <input type="hidden" name="show" value="places" />}
      {source !== undefined && <input type="hidden" name="source" value={source} />}
      {stream !== undefined && <input type="hidden" name="stream" value={stream} />}
      <label for="month">Month</label>
      <select id="month" name="month">
        <option value="">Newest</option>
        {months.slice(0, maxMonths).map(({ month, count }) => (
          <option value={month} selected={month === chosen}>
            {formatMonthName(month)} ({formatNumber(count)})
          </option>
        ))}
        {undatedCount > 0 && (
          <option value={undatedMonth} selected={chosen === undatedMonth}>
            No date ({formatNumber(undatedCount)})
          </option>
        )}
      </select>
      <button>Show</button>
    </form>
  );
}
