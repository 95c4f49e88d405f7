import type { FieldPresentation } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import { renderRecordHead } from "../../explore/record/record-page.tsx";
import { getSearchUrl } from "../../explore/search/search-question.ts";
import { getFileUrl, getRecordUrl, getTextUrl, getThumbnailUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { renderMarkdown } from "../../frame/render/markdown.tsx";
import { createWordMarker, type RenderWords } from "../../frame/render/marked-text.tsx";
import { joinHtml, renderBackLink, renderTerm } from "../../frame/render/parts.tsx";
import { formatBytes, formatNumber, renderField, renderName, renderText } from "../../frame/render/values.tsx";
import { listTechnicalFields, looksLikeId } from "../../frame/technical-fields.ts";
import { getValueType } from "../../frame/value-types.ts";
import type { Viewer } from "../../frame/viewer.ts";
import { canOpen, formatKind, isPdf, isPicture, renderFileChip, renderPicture } from "../file-chips.tsx";
import { getOpenUrl } from "../kind-views.ts";
import type { Document, DocumentText } from "./load-document.ts";

export interface DocumentView {
  readonly document: Document;
  readonly q: string | undefined;
  /** The words of the search as the document has them. */
  readonly words: readonly string[];
  readonly readers: Html;
  readonly names: Names;
  readonly timeZone: string;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderDocumentPage(view: DocumentView): Html {
  const { document, q, names, viewer, impersonatedGrant, timeZone } = view;
  const { card, file } = document;
  return renderPage(
    card.title,
    <div class="with-rail">
      <article class="document">
        {q !== undefined && renderBackLink(getSearchUrl({ q }), <>Results for “{renderText(q)}”</>)}
        {renderRecordHead(card, names)}
        {renderLabels(document.labels)}
        {file !== undefined && renderFile(document)}
        {renderTexts(view)}
        {renderAttached(document)}
      </article>
      {renderRail(view)}
    </div>,
    {
      owner: { room: "/explore", viewer, impersonatedGrant, ...(q === undefined ? {} : { q }) },
      isWide: true,
      timeZone,
    },
  );
}

const maxLabels = 24;

const renderLabels = (labels: readonly string[]): Html | string =>
  labels.length === 0 ? (
    ""
  ) : (
    <p class="tags">
      {labels.slice(0, maxLabels).map((label) => (
        <span class="tag">{renderName(label, 60)}</span>
      ))}
    </p>
  );

function renderFile({ file }: Document): Html {
  if (file?.blob === undefined) return <p class="attention">This file is not in the vault.</p>;
  const { connection, id } = file.blob;
  return (
    <>
      {isPicture(file) && renderPicture(file, "document-picture")}
      {isPdf(file) && renderFirstPage(connection, id)}
      <p class="actions">
        {canOpen(file) && (
          <a class="button" href={getFileUrl(connection, id, "1")}>
            Open
          </a>
        )}
        <a class="button" href={getFileUrl(connection, id)} download>
          Download
        </a>
      </p>
    </>
  );
}

/** The words are under the picture: they show if there is none. */
const renderFirstPage = (connection: string, blob: string): Html => (
  <figure class="first-page">
    <span class="no-page" aria-hidden="true">
      <span class="tile-kind">PDF</span>
      No preview
    </span>
    <img src={getThumbnailUrl(connection, blob)} alt="" decoding="async" />
    <figcaption class="soft">First page</figcaption>
  </figure>
);

function renderTexts({ document, words }: DocumentView): Html {
  const { texts, file } = document;
  const renderWords = createWordMarker(words);
  if (texts.length > 0) return <>{texts.map((text) => renderDocumentText(document, text, renderWords))}</>;
  return <p class="soft">{file === undefined ? "No text." : "The text of this file can't be shown."}</p>;
}

function renderDocumentText({ card }: Document, { window, isMarkdown }: DocumentText, renderWords: RenderWords): Html {
  const { text, end_chars: end, total_chars: total } = window.window;
  return (
    <section class="text">
      <div class={isMarkdown ? "prose markdown" : "prose"} dir="auto">
        {isMarkdown ? renderMarkdown(text, renderWords) : renderWords(text)}
      </div>
      {end < total && (
        <p class="pages">
          <a
            rel="next"
            href={getTextUrl({ id: card.id, field: window.field.path, offset: end, version: window.record_version })}
          >
            Continue reading
          </a>{" "}
          <span class="soft">
            {formatNumber(end)} of {formatNumber(total)} characters
          </span>
        </p>
      )}
    </section>
  );
}

function renderAttached({ attached }: Document): Html | string {
  if (attached.length === 0) return "";
  const pictures = attached.filter(isPicture);
  const others = attached.filter((each) => !isPicture(each));
  return (
    <section>
      <h2>Attachments</h2>
      {pictures.length > 0 && (
        <div class="document-pictures">{pictures.map((each) => renderPicture(each, "inline-picture"))}</div>
      )}
      {others.length > 0 && <div class="chips">{others.map(renderFileChip)}</div>}
    </section>
  );
}

function renderRail({ document, readers, names, impersonatedGrant }: DocumentView): Html {
  const { card, file, parents, declaration } = document;
  const { id, connection_id: source, stream, record_version: version } = card;
  const kind = file === undefined ? "" : formatKind(file.name, file.mediaType);
  const facts = [kind, file?.sizeBytes === undefined ? "" : formatBytes(file.sizeBytes)].filter((fact) => fact !== "");
  return (
    <aside class="rail" aria-label="About this document">
      <dl class="stacked">
        {facts.length > 0 && renderTerm("File", renderText(facts.join(", ")))}
        {parents.length > 0 &&
          renderTerm(
            "Belongs to",
            joinHtml(parents, ", ", (parent) => <a href={getOpenUrl(names, parent)}>{renderText(parent.title)}</a>),
          )}
        {listDetails(document, names).map((field) =>
          renderTerm(
            renderText(names.field(source, stream, field.field_path)),
            renderField(id, { ...field, type: getValueType(declaration, field.field_path, field.type) }, version),
          ),
        )}
      </dl>
      {readers}
      <p>
        <a href={getRecordUrl(id)}>Technical details</a>
      </p>
      {impersonatedGrant !== undefined && (
        <p>
          <a href={`${getRecordUrl(id)}#tool-output`}>What the agent receives</a>
        </p>
      )}
    </aside>
  );
}

const maxDetails = 12;
const shownRoles = new Set(["primary-title", "event-time", "body", "media", "blob-reference"]);

/** Values that nothing else on the page shows. */
function listDetails({ card, declaration, file }: Document, names: Names): FieldPresentation[] {
  const { media_type, size, labels, attachments, content_id } = declaration.presentation?.fields ?? {};
  const shown = new Set([labels, attachments, content_id, ...(file === undefined ? [] : [media_type, size])]);
  const technical = listTechnicalFields(names, card.connection_id, card.stream);
  return listPresentedFields(card)
    .filter(
      (field) =>
        !(shown.has(field.field_path) || technical.has(field.field_path) || shownRoles.has(field.role ?? "")) &&
        field.shown === "inline" &&
        !isEmpty(field.value) &&
        !looksLikeId(field.value),
    )
    .slice(0, maxDetails);
}

/** "No" and zero say nothing beside a text. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  value === false ||
  value === 0 ||
  (typeof value === "object" && Object.keys(value as object).length === 0);
