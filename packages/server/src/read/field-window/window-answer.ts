import { buildUrl } from "@pdpp/contract/address";
import { type Continuation, continueWith } from "@pdpp/contract/continuation";
import { findField, type JsonObject } from "@pdpp/contract/declaration";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { BlobDescription, FieldWindow, Warning } from "@pdpp/contract/wire";
import { getProvenance } from "@pdpp/evidence/cards/record";
import { describeBlobs } from "@pdpp/evidence/fields/field";
import { type FieldPath, type FieldTarget, formatFieldTarget, getValue } from "@pdpp/evidence/fields/field-path";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { Measure } from "@pdpp/evidence/sizes/measure";
import { computeWindowLimits, type WindowLimits } from "@pdpp/evidence/windows/window-limits";
import { getVisibleDeclaration, type StreamScope } from "../../store/access/scope.ts";
import type { RecordHead } from "../../store/records/record-versions.ts";
import type { ReadContext } from "../context.ts";
import type { CutWindow } from "./cut-window.ts";
import type { WindowPlace } from "./window-request.ts";

export const isFieldIn =
  (scope: StreamScope) =>
  (name: string): boolean =>
    findField(getVisibleDeclaration(scope), name) !== undefined;

export interface WindowSubject extends Omit<Provenance, "id"> {
  readonly record_id: string;
  readonly connector_instance_id: string;
  readonly field: FieldWindow["field"];
  readonly bytes: Continuation;
  readonly blobs?: BlobDescription[];
}
type Provenance = ReturnType<typeof getProvenance>;
export interface FieldFacts {
  readonly type: FieldWindow["field"]["type"];
  readonly blob_id?: string;
  readonly media_type?: string;
  readonly reduced?: true;
}

export function describeSubject(
  { scope: { timeZone } }: ReadContext,
  scope: StreamScope,
  target: FieldTarget,
  head: RecordHead,
  data: JsonObject,
  facts: FieldFacts,
): WindowSubject {
  const { id, label } = head.connection;
  const stream = getVisibleDeclaration(scope);
  const { id: _handle, ...provenance } = getProvenance({
    connectorKey: scope.connectorKey,
    connection: { id, ...(label === undefined ? {} : { label }) },
    stream,
    recordId: head.key,
    version: String(head.revision),
    emittedAt: formatInstant(head.emittedAt),
    data,
    granted: scope.fields,
    timeZone,
  });
  const [field] = target.path;
  const record = { connection_id: id, stream: stream.name, record_id: head.key };
  const bytes =
    facts.blob_id === undefined
      ? continueWith("fetch", { ...record, fields: [field] })
      : continueWith("readBlob", { blob_id: facts.blob_id, connection_id: id });
  const blobs =
    target.of === "value" && findField(stream, field)?.blob ? describeBlobsAt(scope, target.path, head, data) : [];
  return {
    ...provenance,
    connector_instance_id: id,
    field: { path: formatFieldTarget(target, isFieldIn(scope)), ...facts },
    bytes,
    ...(blobs.length === 0 ? {} : { blobs }),
  };
}

/** How many blobs are described; the text names all of them. */
const maxDescribed = 3;
const maxKeyUnits = 256;

function describeBlobsAt(scope: StreamScope, path: FieldPath, head: RecordHead, data: JsonObject): BlobDescription[] {
  const place = {
    connectionId: head.connection.id,
    stream: scope.stream.declaration.name,
    recordId: head.key,
    version: String(head.revision),
  };
  const described = describeBlobs({ place, isField: isFieldIn(scope) }, path, getValue(data, path) ?? null);
  const shown = described?.references.slice(0, maxDescribed) ?? [];
  // Longer ids are left out: they are repeated in the call and would leave no room for the text.
  return head.key.length <= maxKeyUnits ? shown : shown.map(({ text: _, ...blob }) => blob);
}

/** How much text fits into a result, with or without the address of the bytes. */
export const chooseLimits =
  (measure: Measure, subject: WindowSubject, maxChars: number): ((hasBytes: boolean) => WindowLimits) =>
  (hasBytes) =>
    computeWindowLimits(measure, hasBytes ? subject : { ...subject, bytes: undefined }, maxChars);

export function buildFieldWindow(
  input: Input<"readField">,
  { bytes, blobs, ...subject }: WindowSubject,
  total: number,
  cut: CutWindow,
  seal: (place: WindowPlace) => string,
  warnings: Warning[],
): FieldWindow {
  const { connection_id, stream, record_id, record_version: version } = subject;
  const to = ({ kind, at, limit }: WindowPlace) => {
    const args = {
      connection_id,
      stream,
      record_id,
      field: subject.field.path,
      ...(kind === "from" ? { offset_chars: at } : { end_chars: at }),
      ...(limit === budget.window.chars ? {} : { limit_chars: limit }),
      ...(input.max_chars === undefined ? {} : { max_chars: input.max_chars }),
      version,
    };
    return continueWith("readField", args);
  };
  const next = cut.next && to(cut.next);
  const previous = cut.previous && to(cut.previous);
  const self = buildUrl("readField", input);
  const hasBytes = cut.encoded.length + cut.notShown.length > 0;
  return {
    object: "field_window",
    ...subject,
    url: self,
    window: {
      text: cut.text,
      start_chars: cut.start,
      end_chars: cut.end,
      limit_chars: cut.limit,
      total_chars: total,
      complete: cut.start === 0 && cut.end === total,
      has_more: cut.end < total,
      next_offset_chars: cut.next?.at ?? null,
      previous_offset_chars: cut.previous?.start ?? null,
      match_start_chars: cut.match?.start ?? null,
      match_end_chars: cut.match?.end ?? null,
      next_cursor: cut.next && seal(cut.next),
      previous_cursor: cut.previous && seal(cut.previous),
      ...(cut.encoded.length === 0 ? {} : { encoded: [...cut.encoded] }),
      ...(cut.notShown.length === 0 ? {} : { not_shown: [...cut.notShown] }),
    },
    ...(hasBytes ? { bytes } : {}),
    ...(blobs === undefined ? {} : { blobs }),
    next,
    previous,
    links: { self, next: next?.url ?? null, previous: previous?.url ?? null },
    meta: { warnings },
  };
}
