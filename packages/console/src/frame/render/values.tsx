import type { Json } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import type { BlobDescription, FieldPresentation, MatchEvidence } from "@pdpp/contract/wire";
import { findMarks } from "@pdpp/evidence/passages/marks";
import { cleanLabel } from "@pdpp/evidence/text/label";
import { formatEventTime } from "@pdpp/evidence/text/local-time";
import { sliceChars } from "@pdpp/evidence/text/text";
import { raw } from "hono/html";
import { getFileUrl, getTextUrl } from "../addresses.ts";
import type { Html } from "../frame.tsx";
import { formatDecimals } from "./decimals.ts";
import { joinHtml } from "./parts.tsx";
import { describeRecurrence } from "./recurrence.ts";
import { renderEventTime, renderLocalTime } from "./times.tsx";

/** Renders record values as isolated text, so that no character affects its surroundings. */

/** Escapes carriage returns, which HTML parsers would turn into line feeds. */
export const renderVerbatim = (text: string): Html => (
  <>
    {text.split("\r").map((part, i) =>
      i === 0 ? (
        part
      ) : (
        <>
          {raw("&#13;")}
          {part}
        </>
      ),
    )}
  </>
);

export const renderText = (text: string): Html => <bdi>{renderVerbatim(text)}</bdi>;

/** Renders a name that somebody else chose, in a sentence of ours. */
export const renderName = (name: string, maxChars?: number): Html => <bdi>{cleanLabel(name, maxChars)}</bdi>;

/** Renders a match with its words highlighted. */
export function renderMarked(evidence: Pick<MatchEvidence, "preview" | "match" | "window">): Html {
  const { preview } = evidence;
  const parts: Html[] = [];
  let at = 0;
  for (const { start, end } of findMarks(evidence)) {
    parts.push(
      <>
        {sliceChars(preview, at, start)}
        <mark>{sliceChars(preview, start, end)}</mark>
      </>,
    );
    at = end;
  }
  return (
    <>
      {parts}
      {sliceChars(preview, at, preview.length)}
    </>
  );
}

/** Renders a passage, with dots where the text continues. */
export function renderPassage(evidence: MatchEvidence): Html {
  const { window } = evidence;
  const before = window !== undefined && window.start_chars > 0 ? "…" : "";
  const after = window !== undefined && window.end_chars < window.total_chars ? "…" : "";
  return (
    <p class="passage" dir="auto">
      {before}
      {renderMarked(evidence)}
      {after}
    </p>
  );
}

/** Renders a record's event time. */
export function renderWhen(time: unknown): Html | undefined {
  const at = typeof time === "string" ? parseInstant(time) : typeof time === "number" ? time : null;
  if (at === null || Math.abs(at) > 8.64e15) return undefined;
  return typeof time === "string"
    ? renderEventTime(at, time.length === 10, time.slice(0, 64))
    : renderEventTime(at, false);
}

interface Timed {
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
}

/** In the record's own time zone or the owner's, with the offset; not converted by the browser. */
export function renderRecordTime(record: Timed): Html | undefined {
  const local = formatEventTime(record);
  if (local === undefined) return renderWhen(record.event_time);
  return renderLocalTime(local, String(record.event_time).slice(0, 64));
}

export const formatNumber = (count: number): string => formatDecimals(count, 0, 3);

/** Formats a count with the singular or plural noun. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

const maxLabels = 3;
const maxLabelChars = 80;
export const truncateLabel = (text: string): string => cleanLabel(text, maxLabelChars);

/** Lists the first labels; `all` is the total number, including those not loaded. */
export function renderLabels(labels: readonly string[], all = labels.length): Html {
  const shown = labels.slice(0, maxLabels);
  const more = all - shown.length;
  return (
    <>
      {joinHtml(shown, ", ", (label) => renderText(truncateLabel(label)))}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </>
  );
}

const isTimeType = (type: string): boolean => type === "timestamp" || type === "date-time" || type === "date";

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1e6 ? [bytes / 1000, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** Formats seconds as hours and minutes; exact up to a minute. */
function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (Math.abs(seconds) < 60) return formatCount(seconds, "second");
  const [hours, rest] = [Math.trunc(minutes / 60), Math.abs(minutes % 60)];
  return hours === 0 ? `${minutes} min` : `${formatNumber(hours)} h${rest === 0 ? "" : ` ${rest} min`}`;
}

/** Renders a localized number, with the exact one if it was rounded. */
function renderNumber(value: number, type: string): Html {
  const cents = type === "currency" && Number.isInteger(Math.round(value * 1e6) / 1e4) ? 2 : 0;
  const shown = formatDecimals(value, cents, 6);
  const text = type === "bytes" ? formatBytes(value) : type === "seconds" ? formatDuration(value) : shown;
  return Number(text.replaceAll(",", "")) === value ? (
    <>{text}</>
  ) : (
    <data value={String(value)} title={String(value)}>
      {text}
    </data>
  );
}

export function renderScalar(value: Json, type: string, unit?: Json): Html {
  if (typeof value === "boolean") return <>{value ? "yes" : "no"}</>;
  if (typeof value === "number") {
    const beside = typeof unit === "string" || typeof unit === "number" ? <> {renderText(String(unit))}</> : "";
    return (
      <>
        {renderNumber(value, type)}
        {beside}
      </>
    );
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (type === "recurrence") return renderRecurrence(text, describeRecurrence(value));
  return (isTimeType(type) ? renderWhen(text) : undefined) ?? renderText(text);
}

const renderRecurrence = (rule: string, words: string | undefined): Html =>
  words === undefined ? (
    renderText(rule)
  ) : (
    <data value={rule} title={rule}>
      {words}
    </data>
  );

export const isPlainList = (value: Json): value is (string | number | boolean)[] =>
  Array.isArray(value) && value.length <= 30 && value.every((each) => each !== null && typeof each !== "object");

/** Short values in full, long ones as an excerpt with a link. */
export function renderField(id: string, presented: FieldPresentation, version: string): Html {
  if (presented.shown === "inline") {
    const { value, type, unit } = presented;
    if (value === null || typeof value !== "object") return renderScalar(value, type, unit);
    if (isPlainList(value)) return <>{joinHtml(value, ", ", (each) => renderText(String(each)))}</>;
    const words = type === "recurrence" ? describeRecurrence(value) : undefined;
    if (words !== undefined)
      return (
        <>
          {words} {renderFolded(JSON.stringify(value, null, 2))}
        </>
      );
    return renderFolded(JSON.stringify(value, null, 2));
  }
  if (presented.shown === "preview") {
    const { preview, window, format, field_path: field } = presented;
    const rest = (
      <a class="on" href={getTextUrl({ id, field, version })}>
        Read all {formatNumber(window.total_chars)} characters
      </a>
    );
    return format === "json" ? (
      <details>
        <summary>Data</summary>
        <pre dir="auto">
          {preview}
          {"…"}
        </pre>
        {rest}
      </details>
    ) : (
      <>
        <span class="long" dir="auto">
          {preview}…
        </span>{" "}
        {rest}
      </>
    );
  }
  const { field_path: field } = presented;
  const renderRawLink = (words: string) => (
    <a class="on" href={getTextUrl({ id, field, version })}>
      {words}
    </a>
  );
  if (presented.shown === "encoded")
    return (
      <>
        <span class="soft">
          {formatNumber(presented.total_chars)} characters of encoded data ({presented.encoding})
        </span>{" "}
        {renderRawLink("Show raw")}
      </>
    );
  const connection = id.slice(0, id.indexOf("/"));
  return (
    <>
      {presented.references.map((blob) => renderFile(connection, id, blob))}
      {presented.read !== undefined && renderRawLink("Show raw file data")}
    </>
  );
}

const renderFolded = (text: string): Html => (
  <details>
    <summary>Data</summary>
    <pre dir="auto">{text}</pre>
  </details>
);

/** Image types without active content. The server checks the bytes again before sending them. */
export const pictureTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Types that are shown as plain text. */
export const textTypes: ReadonlySet<string> = new Set(["text/plain", "text/csv", "text/markdown"]);

/** Whether a browser can show a file of this type without running anything. The server checks it again. */
export const canShow = (mediaType: string): boolean => {
  const [type = ""] = mediaType.toLowerCase().split(";");
  return pictureTypes.has(type) || textTypes.has(type) || /^application\/(?:x-)?pdf$/.test(type);
};

function renderFile(connection: string, id: string, blob: BlobDescription): Html {
  const { blob_id, mime_type = "", size_bytes } = blob;
  const facts = [mime_type, size_bytes === undefined ? "" : formatBytes(size_bytes)]
    .filter((fact) => fact !== "")
    .join(", ");
  const picture = pictureTypes.has(mime_type) ? (
    <img class="picture" src={getFileUrl(connection, blob_id, "1")} alt="Attached to this record" loading="lazy" />
  ) : (
    ""
  );
  const text =
    blob.text?.operation === "readField" ? (
      <>
        {" "}
        · <a href={getTextUrl({ id, field: blob.text.arguments.field })}>Read text</a>
      </>
    ) : (
      ""
    );
  return (
    <div class="file">
      {picture}
      <p>
        {canShow(mime_type) && (
          <>
            <a href={getFileUrl(connection, blob_id, "1")}>Open</a> ·{" "}
          </>
        )}
        <a href={getFileUrl(connection, blob_id)} download>
          Download
        </a>{" "}
        <span class="soft">{facts}</span>
        {text}
      </p>
    </div>
  );
}
