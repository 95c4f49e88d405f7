import { getStreamUrl, getThumbnailUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { formatCount, formatNumber, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { undatedMonth } from "../month-counts.ts";
import { formatMonthName, formatShortMonthName } from "../months.ts";
import { getPhotosUrl, getPhotoUrl, type PhotosQuestion } from "./photo-urls.ts";
import { formatKind, getTileId, hasThumbnail, type Picture } from "./pictures.ts";
import type { UndatedPictures } from "./undated.ts";

export interface PhotoMonth {
  readonly month: string;
  /** Undefined until it is counted. */
  readonly count: number | undefined;
  readonly pictures: readonly Picture[];
  /** Pictures that the page leaves out. */
  readonly more: number;
}

export interface SourceChip {
  readonly source: string;
  readonly label: string;
  readonly count: number | undefined;
}

interface PhotosView {
  readonly question: PhotosQuestion;
  readonly months: readonly PhotoMonth[];
  readonly next: PhotosQuestion | undefined;
  readonly known: readonly { readonly month: string; readonly count: number }[];
  readonly chips: readonly SourceChip[];
  /** Pictures with a date. */
  readonly total: number;
  readonly undated: UndatedPictures;
  readonly isCounting: boolean;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderPhotosPage(view: PhotosView): Html {
  const { question, months, next, isCounting, viewer, impersonatedGrant } = view;
  const isEmpty = months.every(({ pictures }) => pictures.length === 0);
  return renderPage(
    question.month === undefined ? "Photos" : formatMonth(question.month),
    <>
      <div class="view-head">
        <div>
          <h1>Photos</h1>
          <p class="soft">{isEmpty && !isCounting ? "No pictures yet." : summarize(view)}</p>
        </div>
        {renderChips(view)}
      </div>
      {isEmpty && !isCounting ? (
        renderEmpty(view)
      ) : (
        <div class="with-scrubber" id="photo-months" data-counting={isCounting ? "" : undefined}>
          <div data-tiles="">
            {months.map((month) => renderMonth(month, question))}
            {next !== undefined && (
              <p class="pages">
                <a class="button" rel="next" href={getPhotosUrl(next)}>
                  {question.month === undatedMonth ? "More" : "Earlier"}
                </a>
              </p>
            )}
            {next === undefined && renderBeyond(view)}
          </div>
          {renderScrubber(view)}
        </div>
      )}
    </>,
    {
      owner: { room: "/photos", viewer, impersonatedGrant },
      isWide: true,
      scripts: isCounting ? ["/assets/photos.js", "/assets/reload.js"] : ["/assets/photos.js"],
      ...(isCounting ? { refreshSeconds: 3 } : {}),
    },
  );
}

/** July 2026 */
const formatMonth = (month: string): string => (month === undatedMonth ? "No date" : formatMonthName(month));

/** Pictures without a date that are too many, or after too many others, to be found. */
const renderBeyond = ({ undated: { beyond }, names }: PhotosView): Html[] =>
  beyond.map(({ stream: { connection, declaration }, count }) => (
    <p class="soft">
      {formatCount(count, "more picture")} without a date in{" "}
      <a href={getStreamUrl(connection, declaration.name)}>the table of {renderText(names.source(connection))}</a>.
    </p>
  ));

function summarize({ isCounting, total, undated, known, chips, question }: PhotosView): string {
  if (isCounting) return "Counting your pictures. The newest are shown already.";
  const [newest, oldest] = [known[0]?.month, known.at(-1)?.month];
  const sources = chips.filter(({ source }) => question.source === undefined || source === question.source);
  const span =
    newest === undefined || oldest === undefined
      ? ""
      : newest === oldest
        ? `, ${formatMonthName(newest)}`
        : `, ${formatMonthName(oldest)} to ${formatMonthName(newest)}`;
  const rest = undated.count + undated.beyond.reduce((sum, { count }) => sum + count, 0);
  const without = rest === 0 || total === 0 ? "" : `, ${formatNumber(rest)} without a date`;
  return `${formatCount(total + rest, "picture")} from ${formatCount(sources.length, "source")}${span}${without}`;
}

const renderEmpty = ({ question, impersonatedGrant }: PhotosView): Html =>
  question.source === undefined && impersonatedGrant === undefined ? (
    <p>
      Import a folder of photos, or a chat with pictures: <a href="/import">Import</a>
    </p>
  ) : (
    <p>
      <a href="photos">Show all photos</a>
    </p>
  );

function renderChips({ question, chips }: PhotosView): Html {
  if (chips.length < 2 && question.source === undefined) return <></>;
  return (
    <nav class="chips" aria-label="Source">
      <a href="photos" aria-current={question.source === undefined ? "true" : undefined}>
        All
      </a>
      {chips.map(({ source, label, count }) => (
        <a class="chip" href={getPhotosUrl({ source })} aria-current={question.source === source ? "true" : undefined}>
          {renderText(label)} {count !== undefined && <span class="soft">{formatNumber(count)}</span>}
        </a>
      ))}
    </nav>
  );
}

function renderMonth({ month, count, pictures, more }: PhotoMonth, question: PhotosQuestion): Html {
  const { source, stream } = question;
  return (
    <section class="photo-month" id={`m-${month}`}>
      <h2>
        {formatMonth(month)} {count !== undefined && <span class="soft">{formatNumber(count)}</span>}
      </h2>
      <ul class="tiles">
        {pictures.map((picture) => (
          <li>{renderTile(picture, getPhotoUrl(picture.id, question))}</li>
        ))}
        {more > 0 && (
          <li>
            <a class="tile rest" href={getPhotosUrl({ source, stream, month })}>
              + {formatNumber(more)}
              <span class="hidden">
                {" "}
                more pictures {month === undatedMonth ? "without a date" : `of ${formatMonthName(month)}`}
              </span>
            </a>
          </li>
        )}
      </ul>
    </section>
  );
}

/** The name is under the picture: it shows if there is no thumbnail. */
const renderTile = (picture: Picture, href: string): Html => (
  <a class="tile" id={getTileId(picture.id)} href={href}>
    <span class="tile-kind" aria-hidden="true">
      {formatKind(picture.mediaType)}
    </span>
    <span class="tile-name">{renderText(picture.title)}</span>
    {hasThumbnail(picture) && (
      <img src={getThumbnailUrl(picture.connection, picture.blob ?? "")} alt="" loading="lazy" decoding="async" />
    )}
  </a>
);

function renderScrubber({ known, question, months, undated }: PhotosView): Html {
  const { source, stream } = question;
  const years = [...Map.groupBy(known, ({ month }) => month.slice(0, 4))];
  const current = question.month ?? months[0]?.month;
  return (
    <nav class="scrubber" aria-label="Months">
      {years.map(([year, each]) => (
        <details open={years.length <= 3 || current?.startsWith(year)}>
          <summary>{year}</summary>
          <ul>
            {each.map(({ month, count }) => (
              <li>
                <a
                  href={getPhotosUrl({ source, stream, at: month })}
                  aria-current={month === current ? "true" : undefined}
                  title={formatCount(count, "picture")}
                >
                  {formatShortMonthName(month)}
                  <span class="hidden"> {year}</span>
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {undated.count > 0 && (
        <a
          href={getPhotosUrl({ source, stream, month: undatedMonth })}
          aria-current={current === undatedMonth ? "true" : undefined}
          title={formatCount(undated.count, "picture")}
        >
          No date
        </a>
      )}
    </nav>
  );
}
