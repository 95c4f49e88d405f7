import type { EvidenceCard, FieldPresentation, FieldWindow, RecordVersion, SingleCard } from "@pdpp/contract/wire";
import { getRecordUrl, getStreamUrl, getTextUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { writeTitle } from "../../frame/render/own-titles.ts";
import { joinHtml, renderTerm } from "../../frame/render/parts.tsx";
import {
  formatNumber,
  renderField,
  renderRecordTime,
  renderText,
  renderVerbatim,
  renderWhen,
} from "../../frame/render/values.tsx";
import { listTechnicalFields, looksLikeId } from "../../frame/technical-fields.ts";
import { getValueType } from "../../frame/value-types.ts";
import type { Viewer } from "../../frame/viewer.ts";
import { getConversationUrl } from "../../views/conversation/addresses.ts";
import { findTurnsOf } from "../../views/conversation/shape.ts";
import { renderBesideToolOutput, type ToolOutput } from "../tool-output.tsx";
import { isEmpty } from "./record-card.ts";
import { renderRelated } from "./related.tsx";

/** One record: its text first, then its fields, then related records. */

export interface RecordView {
  readonly card: SingleCard;
  readonly cited: Html;
  readonly versions: readonly RecordVersion[];
  /** The start of its long texts, by field. */
  readonly texts: ReadonlyMap<string, FieldWindow>;
  readonly omitted: readonly string[];
  readonly toolOutput: ToolOutput | undefined;
  readonly readers: Html;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export const buildRecordPageOptions = ({
  viewer,
  impersonatedGrant,
}: {
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}) => ({ owner: { room: "/explore", viewer, impersonatedGrant }, isWide: impersonatedGrant !== undefined }) as const;

/** Fields without a role follow in the order of the manifest. */
const roleOrder = [
  "primary-title",
  "actor",
  "secondary",
  "event-time",
  "amount",
  "body",
  "media",
  "blob-reference",
] as const;

export function renderRecordPage(view: RecordView): Html {
  const { card, texts, names } = view;
  const { connection_id: source, stream } = card;
  const all = [...roleOrder.flatMap((role) => card.slots[role] ?? []), ...card.fields];
  const body = all.filter(({ field_path }) => texts.has(field_path));
  const repeated = all.filter((field) => field.shown === "inline" && field.repeats === true && !body.includes(field));
  const technical = listTechnicalFields(names, source, stream);
  const isTechnical = (field: FieldPresentation) =>
    technical.has(field.field_path) ||
    (field.shown === "inline" && field.role === undefined && looksLikeId(field.value));
  const rest = all.filter((field) => !body.includes(field) && !isEmpty(field) && !repeated.includes(field));
  const [others, ids] = [rest.filter((field) => !isTechnical(field)), rest.filter(isTechnical)];
  const declaration = names.declaration(source, stream);
  const renderRow = (field: FieldPresentation) =>
    renderTerm(
      renderText(names.field(source, stream, field.field_path)),
      renderField(
        card.id,
        { ...field, type: getValueType(declaration, field.field_path, field.type) },
        card.record_version,
      ),
    );
  const empty = all.filter(isEmpty);
  const shown = (
    <>
      {renderRecordHead(card, names)}
      {view.cited}
      {body.map((field) => renderBody(card, field, texts.get(field.field_path), names))}
      <h2 class="hidden">Fields</h2>
      <dl class="fields">
        {others.map(renderRow)}
        {view.omitted.map((name) =>
          renderTerm(
            renderText(names.field(source, stream, name)),
            <a href={getTextUrl({ id: card.id, field: name, version: card.record_version })}>Show</a>,
          ),
        )}
      </dl>
      {renderRelated(card, names)}
      {renderVersions(card, view.versions, names)}
      {view.readers}
      <details class="about-it">
        <summary>Technical details</summary>
        <dl>
          {repeated.map(renderRow)}
          {ids.map(renderRow)}
          {renderTerm("Handle", <code>{card.id}</code>)}
          {renderTerm("Version", card.record_version)}
          {renderTerm("Stored", renderWhen(card.emitted_at) ?? "")}
        </dl>
        {empty.length > 0 && (
          <p class="soft">
            Empty: {joinHtml(empty, ", ", ({ field_path }) => renderText(names.field(source, stream, field_path)))}
          </p>
        )}
      </details>
    </>
  );
  return renderPage(
    writeTitle(names, card),
    renderBesideToolOutput(shown, view.toolOutput),
    buildRecordPageOptions(view),
  );
}

export interface RecordHead {
  readonly id: string;
  readonly title: string;
  readonly connection_id: string;
  readonly stream: string;
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
}

export function renderRecordHead(head: RecordHead, names: Names): Html {
  const { id, connection_id: source, stream } = head;
  const when = renderRecordTime(head);
  return (
    <>
      <p class="from">
        {renderLetterMark(names.mark(source), "small")}
        <a href={getStreamUrl(source, stream)}>{renderText(names.place(source, stream))}</a>
        {when !== undefined && <> · {when}</>}
      </p>
      <h1>{renderText(writeTitle(names, head))}</h1>
      {findTurnsOf(names, source, stream) !== undefined && (
        <p>
          <a class="button" href={getConversationUrl({ id })}>
            Open the conversation
          </a>
        </p>
      )}
    </>
  );
}

function renderBody(card: EvidenceCard, field: FieldPresentation, window: FieldWindow | undefined, names: Names): Html {
  if (window === undefined) return <></>;
  const { text, end_chars, total_chars } = window.window;
  const { id, record_version: version } = card;
  return (
    <section class="text">
      <h2 class="label">{renderText(names.field(card.connection_id, card.stream, field.field_path))}</h2>
      <div class="prose" dir="auto">
        {renderVerbatim(text)}
      </div>
      {end_chars < total_chars && (
        <p class="pages">
          <a rel="next" href={getTextUrl({ id, field: field.field_path, offset: end_chars, version })}>
            Continue reading
          </a>{" "}
          <span class="soft">
            {formatNumber(end_chars)} of {formatNumber(total_chars)} characters
          </span>
        </p>
      )}
    </section>
  );
}

const maxNamed = 6;

function renderVersions(card: EvidenceCard, versions: readonly RecordVersion[], names: Names): Html {
  const { id, connection_id: source, stream } = card;
  if (versions.length < 2) return <></>;
  const oldest = versions.at(-1);
  const renderChanges = ({ changed }: RecordVersion): Html => {
    if (changed === undefined) return <>{oldest?.record_version === "1" ? "first stored" : "oldest stored version"}</>;
    if (changed.length === 0) return <>no visible changes</>;
    return (
      <>
        changed {joinHtml(changed.slice(0, maxNamed), ", ", (field) => renderText(names.field(source, stream, field)))}
        {changed.length > maxNamed && ` and ${formatNumber(changed.length - maxNamed)} more`}
      </>
    );
  };
  return (
    <>
      <h2>Versions</h2>
      <ol class="versions">
        {versions.map((version) => {
          const { record_version: number, emitted_at } = version;
          const name =
            number === card.record_version ? <>Current</> : <a href={getRecordUrl(id, number)}>Version {number}</a>;
          return (
            <li>
              {name} <span class="soft">{renderWhen(emitted_at) ?? ""}</span> <span>{renderChanges(version)}</span>
            </li>
          );
        })}
      </ol>
      {!(oldest?.changed === undefined || Number(oldest.record_version) < 2) && (
        <p class="soft">
          <a href={getRecordUrl(id, String(Number(oldest.record_version) - 1))}>Older versions</a>
        </p>
      )}
    </>
  );
}
