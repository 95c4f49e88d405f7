import type { RecordVersion } from "@pdpp/contract/wire";
import { getRecordUrl, getTextUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { formatNumber, renderText, renderVerbatim, renderWhen } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { buildRecordPageOptions, type RecordHead, renderRecordHead } from "./record-page.tsx";
import type { Change, VersionField } from "./version-fields.ts";
import type { Piece } from "./word-diff.ts";

/** An earlier version of a record, compared with the next one. */

export interface VersionView {
  readonly card: RecordHead & { readonly record_version: string };
  readonly version: number;
  readonly versions: readonly RecordVersion[];
  readonly fields: readonly VersionField[];
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderVersionPage(view: VersionView): Html {
  const { card, version, versions, fields, names } = view;
  const changed = fields.filter(({ change }) => change !== undefined).length;
  const stored = renderWhen(versions.find(({ record_version }) => record_version === String(version))?.emitted_at);
  const findNeighbor = (step: 1 | -1) => {
    const listed = versions
      .map(({ record_version }) => Number(record_version))
      .filter((each) => (each - version) * step > 0);
    const near = step === 1 ? Math.min(...listed) : Math.max(...listed);
    return Number.isFinite(near) && String(near) !== card.record_version ? near : undefined;
  };
  const [older, newer] = [findNeighbor(-1), findNeighbor(1)];
  const renderRow = ({ field, window, change }: VersionField) => (
    <div>
      <dt>
        {renderText(names.field(card.connection_id, card.stream, field))}{" "}
        {change !== undefined && <span class="here">changed</span>}
      </dt>
      <dd>
        {change === undefined
          ? renderUnchanged(view, field, window)
          : renderChange(view, field, change, window !== undefined)}
      </dd>
    </div>
  );
  return renderPage(
    `Version ${version} of ${card.title}`,
    <>
      {renderRecordHead(card, names)}
      <p class="done">
        Version {version} of {card.record_version}
        {stored !== undefined && <>, stored {stored}</>}.{" "}
        {changed !== 0 && `The next version changed ${changed === 1 ? "one field" : `${changed} fields`}. `}
        <a href={getRecordUrl(card.id)}>Current version</a>
      </p>
      <p class="pages">
        {older !== undefined && (
          <a rel="prev" href={getRecordUrl(card.id, String(older))}>
            Version {older}
          </a>
        )}
        {newer !== undefined && (
          <a rel="next" href={getRecordUrl(card.id, String(newer))}>
            Version {newer}
          </a>
        )}
      </p>
      {changed !== 0 && (
        <p class="soft">
          <del>Struck through</del> was removed in the next version; <ins>underlined</ins> was added.
        </p>
      )}
      <dl class="fields">
        {fields.filter(({ change }) => change !== undefined).map(renderRow)}
        {fields.filter(({ change }) => change === undefined).map(renderRow)}
      </dl>
    </>,
    buildRecordPageOptions(view),
  );
}

function renderUnchanged({ card, version }: VersionView, field: string, window: VersionField["window"]): Html {
  if (window === undefined) return <span class="soft">none</span>;
  const { text, end_chars, total_chars } = window.window;
  const isLong = end_chars < total_chars;
  return (
    <>
      <span class="long" dir="auto">
        {renderVerbatim(text)}
        {isLong && "…"}
      </span>{" "}
      {isLong && (
        <a class="on" href={getTextUrl({ id: card.id, field, version: String(version) })}>
          Read all {formatNumber(total_chars)} characters
        </a>
      )}
    </>
  );
}

function renderChange({ card, version }: VersionView, field: string, change: Change, hadIt: boolean): Html {
  const { pieces, start, isPartial } = change;
  const rest = getTextUrl({ id: card.id, field, version: String(version) });
  const isCut = start > 0 || isPartial || pieces.some(({ kind, text }) => text.length > getMaxChars(kind));
  return (
    <>
      <span class="long" dir="auto">
        {start > 0 && "… "}
        {pieces.map((piece, i) => renderPiece(piece, i === 0, i === pieces.length - 1))}
        {isPartial && " …"}
      </span>
      {isCut && hadIt ? (
        <>
          {" "}
          <a class="on" href={rest}>
            Read full text
          </a>
        </>
      ) : (
        ""
      )}
    </>
  );
}

/** Characters shown around a change, and of the change itself. */
const [sameChars, changedChars] = [160, 3000];
const getMaxChars = (kind: Piece["kind"]): number => (kind === "same" ? 2 * sameChars : changedChars);

function renderPiece({ kind, text }: Piece, isFirst: boolean, isLast: boolean): Html {
  if (kind !== "same") {
    const shown = text.length > getMaxChars(kind) ? `${text.slice(0, changedChars).toWellFormed()}…` : text;
    return kind === "gone" ? <del>{renderVerbatim(shown)}</del> : <ins>{renderVerbatim(shown)}</ins>;
  }
  if (text.length <= getMaxChars(kind)) return renderVerbatim(text);
  const head = isFirst ? "" : text.slice(0, sameChars).toWellFormed();
  const tail = isLast ? "" : text.slice(-sameChars).toWellFormed();
  return (
    <>
      {renderVerbatim(head)} … {renderVerbatim(tail)}
    </>
  );
}
