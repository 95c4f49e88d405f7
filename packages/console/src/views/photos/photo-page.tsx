import { listPresentedFields } from "@pdpp/evidence/cards/card";
import { formatClock, formatLongDay, toDay } from "../../days/calendar.ts";
import { getFileUrl, getRecordUrl, getStreamUrl, getThumbnailUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { renderBackLink, renderTerm } from "../../frame/render/parts.tsx";
import { formatBytes, isPlainList, renderField, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { formatPosition } from "../geography/position.ts";
import type { Neighbours } from "./photo.ts";
import { getPhotosUrl, getPhotoUrl, type PhotosQuestion } from "./photo-urls.ts";
import { formatKind, getTileId, isShown, type Picture } from "./pictures.ts";

interface PhotoView {
  readonly picture: Picture;
  readonly question: PhotosQuestion;
  readonly neighbours: Neighbours;
  readonly zone: string;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderPhotoPage(view: PhotoView): Html {
  const { picture, question, neighbours, viewer, impersonatedGrant } = view;
  const back = `${getPhotosUrl(question)}#${getTileId(picture.id)}`;
  return renderPage(
    picture.title,
    <>
      <div class="photo-nav" data-lightbox="">
        {renderBackLink(back, "Photos")}
        {renderStep("prev", neighbours.newer, view)}
        {renderStep("next", neighbours.older, view)}
      </div>
      <div class="with-rail">
        <figure class="lightbox">{renderPicture(picture)}</figure>
        <div class="rail">{renderFacts(view)}</div>
      </div>
    </>,
    { owner: { room: "/photos", viewer, impersonatedGrant }, isWide: true, scripts: ["/assets/photos.js"] },
  );
}

function renderStep(way: "prev" | "next", to: Picture | undefined, { picture, question }: PhotoView): Html {
  const [previous, next] = picture.at === undefined ? ["Previous", "Next"] : ["Newer", "Older"];
  const label = way === "prev" ? previous : next;
  return to === undefined ? (
    <span class="button soft" aria-disabled="true">
      {label}
    </span>
  ) : (
    <a class="button" rel={way} href={getPhotoUrl(to.id, question)}>
      {label}
    </a>
  );
}

function renderPicture(picture: Picture): Html {
  const { connection, blob = "", mediaType } = picture;
  if (isShown(picture)) return <img src={getFileUrl(connection, blob, "1")} alt={picture.title} />;
  return (
    <p class="no-picture">
      <span class="tile-kind">{formatKind(mediaType)}</span>
      {picture.blob === undefined
        ? "This file is not in the vault."
        : "This kind of file can't be shown here. Download it to open it."}
      {picture.blob !== undefined && <img src={getThumbnailUrl(connection, blob)} alt="" loading="lazy" />}
    </p>
  );
}

function renderFacts({ picture, zone, names }: PhotoView): Html {
  const { card, at, connection, blob, mediaType, sizeBytes, stream } = picture;
  const fields = listPresentedFields(card);
  const parts = stream.declaration.presentation?.fields ?? {};
  const find = (name: string | undefined) => fields.find(({ field_path }) => field_path === name);
  const getValue = (name: string | undefined) => {
    const field = find(name);
    return field?.shown === "inline" ? field.value : undefined;
  };
  const position = formatPosition(getValue(parts.latitude), getValue(parts.longitude));
  const people = getValue(parts.people);
  const place = getValue(parts.place);
  const [body] = (card.slots.body ?? []).filter((each) => each.shown !== "inline" || typeof each.value === "string");
  const camera = (card.slots.secondary ?? []).filter(({ field_path }) => field_path !== parts.media_type);
  return (
    <>
      <h1 class="photo-title">{renderText(picture.title)}</h1>
      <p>{at === undefined ? <span class="soft">No date</span> : renderTime(at, zone, stream.field.kind !== "date")}</p>
      {body !== undefined && <p class="prose">{renderField(card.id, body, card.record_version)}</p>}
      <dl class="stacked">
        {typeof place === "string" && place !== "" && renderTerm("Place", renderText(place))}
        {position !== undefined && renderTerm("Position", position)}
        {people !== undefined &&
          people !== null &&
          isPlainList(people) &&
          people.length > 0 &&
          renderTerm("People", renderText(people.join(", ")))}
        {camera.map((each) =>
          renderTerm(
            renderText(names.field(connection, stream.declaration.name, each.field_path)),
            renderField(card.id, each, card.record_version),
          ),
        )}
        {renderTerm(
          "File",
          [formatKind(mediaType), sizeBytes === undefined ? "" : formatBytes(sizeBytes)]
            .filter((x) => x !== "")
            .join(", "),
        )}
        {renderTerm(
          "Source",
          <a href={getStreamUrl(connection, stream.declaration.name)}>{renderText(names.source(connection))}</a>,
        )}
      </dl>
      <p class="actions">
        {blob !== undefined && (
          <a class="button" href={getFileUrl(connection, blob)} download>
            Download
          </a>
        )}
        <a href={getRecordUrl(card.id)}>Technical details</a>
      </p>
    </>
  );
}

function renderTime(at: number, zone: string, hasClock: boolean): Html {
  const day = toDay(at, zone);
  return (
    <>
      <a href={`day/${day}`}>
        <time datetime={new Date(at).toISOString()}>{formatLongDay(day)}</time>
      </a>
      {hasClock && `, ${formatClock(at, zone)}`}
    </>
  );
}
