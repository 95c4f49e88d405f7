import type { JsonObject } from "@pdpp/contract/declaration";
import type { FieldWindow } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { formatTime } from "@pdpp/evidence/text/event-time";
import { toLiteral } from "@pdpp/evidence/text/literal";
import { computeWindowLimits } from "@pdpp/evidence/windows/window-limits";
import { addOrigin, createBlobMeta, formatBytesLine, layOutBytes, listBlobUris } from "../layout/bytes.ts";
import { formatCall, type ToolCall } from "../layout/call.ts";
import { formatBlob, layOutBlob } from "../layout/field.ts";
import { measureToolResult } from "../layout/measure.ts";
import type { Answer, ToolContext } from "../tool.ts";
import { buildWarnings, formatWarnings } from "./notes.ts";

export interface WindowRequest {
  /** The size limit passed to the server. */
  readonly most: number;
  readonly limit?: number | undefined;
}

/**
 * Formats a field window. Record text is placed between two lines its author could not foresee. If the record id is
 * so long that it fits only once, the previous window is given by its offset.
 */
export function formatFieldWindow(context: ToolContext, read: FieldWindow, asked: WindowRequest): Answer {
  const { stream, record_id: recordId, connection_id: connectionId, field, window } = read;
  const { start_chars: start, end_chars: end, total_chars: total, complete, not_shown: hidden = [] } = window;
  const id = formatHandle({ connectionId, stream, recordId });
  const brief = computeWindowLimits(measureToolResult, read, asked.most).isBrief;
  const { next, previous } = buildWindowCalls(id, read, asked);
  const bytes = read.bytes && addOrigin(read.bytes, context.origin);
  const blobs = (read.blobs ?? []).map((blob) => ({ ...blob, read: addOrigin(blob.read, context.origin) }));
  const match =
    window.match_start_chars === null
      ? {}
      : { match: { start_chars: window.match_start_chars, end_chars: window.match_end_chars } };
  const structured: JsonObject = {
    id,
    field: buildFieldObject(field),
    window: { start_chars: start, end_chars: end, total_chars: total, complete, ...match, text: window.text },
    ...(hidden.length === 0 ? {} : { not_shown: hidden }),
    ...(bytes === undefined ? {} : { bytes: layOutBytes(bytes, brief) }),
    ...(blobs.length === 0 ? {} : { blobs: blobs.map((blob) => layOutBlob(blob, brief)) }),
    ...(next === undefined ? {} : { next: callObject(next) }),
    ...(previous === undefined
      ? {}
      : brief
        ? { previous: { same_call_with: { end_chars: start, version: read.record_version } } }
        : { previous: callObject(previous) }),
    provenance: buildProvenance(read),
    ...buildWarnings(read.meta.warnings),
  };
  const nonce = context.nonce(id, field.path, read.record_version, start, end);
  const label = read.display_name === undefined ? "" : ` ${toLiteral(read.display_name)}`;
  const when = formatTime(read);
  const time = when === undefined ? "" : `, ${when}`;
  const rest = complete
    ? "complete"
    : `not complete, ${formatCount(start)} chars before, ${formatCount(total - end)} after`;
  const lines = [
    `${toLiteral(field.path)} of ${brief ? "that record" : toLiteral(id)}: characters ${start} to ${end} of ${total}; ${rest}`,
    `from ${read.connector_key}${label}, version ${read.record_version}${time}, stored ${read.emitted_at}`,
    ...("match" in match ? [`match at ${window.match_start_chars} to ${window.match_end_chars}`] : []),
    ...hidden.map((span) => `characters ${span.start_chars} to ${span.end_chars} are base64, omitted`),
    ...(bytes === undefined ? [] : [formatBytesLine(bytes, brief)]),
    ...blobs.flatMap((blob) => formatBlob("refers to", blob, brief)),
    ...(next === undefined ? [] : ["next:", formatCall(next)]),
    ...(previous === undefined ? [] : brief ? [formatPreviousBriefly(read)] : ["previous:", formatCall(previous)]),
    ...formatWarnings(read.meta.warnings),
    `<<TEXT ${nonce}`,
    window.text,
    `${nonce} TEXT>>`,
  ];
  const reads = [...(read.bytes === undefined ? [] : [read.bytes]), ...blobs.map((blob) => blob.read)];
  return { structured, text: lines.join("\n"), ...createBlobMeta(listBlobUris(reads)) };
}

const formatCount = (chars: number): string => chars.toLocaleString("en-US");

const formatPreviousBriefly = ({ window, record_version: version }: FieldWindow): string =>
  `previous: the same call with end_chars ${window.start_chars} and version ${toLiteral(version)}, without cursor, offset_chars and q`;

/**
 * Builds the calls for the next and previous windows. They name the version, so that windows of two versions are
 * never joined.
 */
function buildWindowCalls(
  id: string,
  { field, record_version: version, window, next, previous }: FieldWindow,
  { limit }: WindowRequest,
): { next?: ToolCall; previous?: ToolCall } {
  // Other servers may not have versions.
  const pinned = version === "" ? {} : { version };
  const call = (place: JsonObject): ToolCall => ({
    tool: "read_record_field",
    arguments: {
      id,
      field_path: field.path,
      ...place,
      ...(limit === undefined ? {} : { limit_chars: limit }),
      ...pinned,
    },
  });
  return {
    ...(next === null ? {} : { next: call({ offset_chars: window.next_offset_chars }) }),
    ...(previous === null ? {} : { previous: call({ end_chars: window.start_chars }) }),
  };
}

const callObject = ({ tool, arguments: args }: ToolCall): JsonObject => ({ tool, arguments: args });

const buildFieldObject = ({ path, type, blob_id, media_type, reduced }: FieldWindow["field"]): JsonObject => ({
  path,
  type,
  ...(blob_id === undefined ? {} : { blob_id }),
  ...(media_type === undefined ? {} : { media_type }),
  ...(reduced === undefined ? {} : { reduced }),
});

const buildProvenance = (read: FieldWindow): JsonObject => ({
  connection_id: read.connection_id,
  connector_key: read.connector_key,
  ...(read.display_name === undefined ? {} : { display_name: read.display_name }),
  stream: read.stream,
  record_version: read.record_version,
  ...(read.event_time === undefined ? {} : { event_time: read.event_time }),
  ...(read.local_time === undefined ? {} : { local_time: read.local_time }),
  emitted_at: read.emitted_at,
});
