import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { FieldWindow } from "@pdpp/contract/wire";
import { spellHandle } from "@pdpp/evidence/handle";
import { callLine, literal, type ToolCall, toolCall } from "../continuation.ts";
import type { Answer, ToolContext } from "../tool.ts";
import { warningLines, warningObjects } from "./notes.ts";

/**
 * The text of a window in both forms. Record text stands between two lines that its author could not foresee. `brief`: the
 * record's id is so long that there is room for it only in the call that goes on; the way back is an offset.
 */
export function fieldWindowAnswer(context: ToolContext, read: FieldWindow, brief: boolean): Answer {
  const { stream, record_id: recordId, connection_id: connectionId, field, window } = read;
  const id = spellHandle({ connectionId, stream, recordId });
  const shown = shownPart(read);
  const next = shown.next ?? (read.next === null ? undefined : toolCall(read.next));
  const back = window.previous_offset_chars;
  const previous = read.previous === null || brief ? undefined : toolCall(read.previous);
  const complete = window.complete && shown.hidden === undefined;
  const match =
    window.match_start_chars === null
      ? {}
      : { match: { start_chars: window.match_start_chars, end_chars: window.match_end_chars } };
  const structured: JsonObject = {
    id,
    field: field as JsonObject,
    window: {
      start_chars: window.start_chars,
      end_chars: shown.end,
      total_chars: window.total_chars,
      complete,
      ...match,
      text: shown.text,
    },
    ...(shown.hidden === undefined ? {} : { not_shown: shown.hidden }),
    ...(next === undefined ? {} : { next: next as unknown as Json }),
    ...(previous === undefined ? {} : { previous: previous as unknown as Json }),
    ...(brief && back !== null ? { previous_offset_chars: back } : {}),
    provenance: provenanceOf(read),
    ...warningObjects(read.meta.warnings),
  };
  const nonce = context.nonce(id, field.path, read.record_version, window.start_chars, shown.end);
  const label = read.display_name === undefined ? "" : ` ${literal(read.display_name)}`;
  const time = read.event_time === undefined ? "" : `, ${literal(read.event_time)}`;
  const lines = [
    `${literal(field.path)} of ${brief ? "that record" : literal(id)}: characters ${window.start_chars} to ${shown.end} of ${window.total_chars}; ` +
      `${complete ? "complete" : "not complete"}`,
    `from ${read.connector_key}${label}, version ${read.record_version}${time}, stored ${read.emitted_at}`,
    ...("match" in match ? [`match at ${window.match_start_chars} to ${window.match_end_chars}`] : []),
    ...(shown.hidden === undefined
      ? []
      : [`characters ${shown.hidden.start_chars} to ${shown.hidden.end_chars} are bytes as text, not shown`]),
    ...(next === undefined ? [] : ["next:", callLine(next)]),
    ...(previous === undefined ? [] : ["before:", callLine(previous)]),
    ...(brief && back !== null ? [`before: the same call with offset_chars ${back}, without cursor and q`] : []),
    ...warningLines(read.meta.warnings),
    `<<TEXT ${nonce}`,
    shown.text,
    `${nonce} TEXT>>`,
  ];
  return { structured, text: lines.join("\n") };
}

const provenanceOf = (read: FieldWindow): JsonObject => ({
  connection_id: read.connection_id,
  connector_key: read.connector_key,
  ...(read.display_name === undefined ? {} : { display_name: read.display_name }),
  stream: read.stream,
  record_version: read.record_version,
  ...(read.event_time === undefined ? {} : { event_time: read.event_time }),
  emitted_at: read.emitted_at,
});

interface Shown {
  readonly text: string;
  readonly end: number;
  readonly hidden?: { readonly start_chars: number; readonly end_chars: number };
  readonly next?: ToolCall;
}

/** Encoded bytes are not for a model: the window ends before them, and the next one begins behind. */
export function shownPart(read: FieldWindow): Shown {
  const { text, start_chars: start, end_chars: end, total_chars: total, encoded } = read.window;
  const [run] = encoded ?? [];
  if (run === undefined) return { text, end };
  const chars = [...text];
  const first = Math.max(run.start_chars, start);
  // The run may go on behind the window, and nothing there is for a model either.
  const last = Math.min(run.end_chars, total);
  const place = { connectionId: read.connection_id, stream: read.stream, recordId: read.record_id };
  return {
    text: chars.slice(0, first - start).join(""),
    end: first,
    hidden: { start_chars: first, end_chars: last },
    ...(last >= total
      ? {}
      : {
          next: {
            tool: "read_record_field",
            arguments: {
              id: spellHandle(place),
              field_path: read.field.path,
              offset_chars: last,
              version: read.record_version,
            },
          },
        }),
  };
}
