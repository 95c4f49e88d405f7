import { addressOf } from "@pdpp/contract/address";
import { continueWith } from "@pdpp/contract/continuation";
import { fieldOf, type JsonObject } from "@pdpp/contract/declaration";
import { isoOf } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { FieldWindow, Warning } from "@pdpp/contract/wire";
import { type FieldTarget, spellFieldTarget } from "@pdpp/evidence/field-path";
import { provenanceOf } from "@pdpp/evidence/record";
import type { StreamScope } from "../store/access/scope.ts";
import type { RecordHead } from "../store/records/record-versions.ts";
import type { CutWindow, Placed } from "./cut-window.ts";
import type { CharSpan } from "./encoded-in.ts";

export const isFieldOf =
  (scope: StreamScope) =>
  (name: string): boolean =>
    fieldOf(scope.stream.declaration, name) !== undefined;

/** What a window shows, and of what. */
export interface Found {
  readonly head: RecordHead;
  readonly data: JsonObject;
  readonly facts: Omit<FieldWindow["field"], "path">;
  readonly total: number;
  readonly cut: CutWindow;
  /** Bytes written as text; a surface for people or models may leave them out. */
  readonly encoded: readonly CharSpan[];
}

export function described(
  scope: StreamScope,
  input: Input<"readField">,
  target: FieldTarget,
  { head, data, facts, total, cut, encoded }: Found,
  seal: (place: Placed) => string,
  warnings: Warning[],
): FieldWindow {
  const { id, label } = head.connection;
  const { id: _handle, ...provenance } = provenanceOf({
    connectorKey: scope.connectorKey,
    connection: { id, ...(label === undefined ? {} : { label }) },
    stream: scope.stream.declaration,
    recordId: head.key,
    version: String(head.revision),
    emittedAt: isoOf(head.emittedAt),
    data,
    granted: scope.fields,
  });
  const field = spellFieldTarget(target, isFieldOf(scope));
  const to = (place: Placed | null) => {
    if (place === null) return null;
    const cursor = seal(place);
    const record = { connection_id: id, stream: input.stream, record_id: head.key };
    return { cursor, read: continueWith("readField", { ...record, field, cursor }) };
  };
  const [next, previous] = [to(cut.next), to(cut.previous)];
  const self = addressOf("readField", input);
  return {
    object: "field_window",
    ...provenance,
    connector_instance_id: id,
    url: self,
    field: { path: field, ...facts } as FieldWindow["field"],
    window: {
      text: cut.text,
      start_chars: cut.start,
      end_chars: cut.end,
      limit_chars: cut.limit,
      total_chars: total,
      complete: cut.start === 0 && cut.end === total,
      has_more: cut.end < total,
      next_offset_chars: cut.next?.start ?? null,
      previous_offset_chars: cut.previous?.start ?? null,
      match_start_chars: cut.match?.start ?? null,
      match_end_chars: cut.match?.end ?? null,
      next_cursor: next?.cursor ?? null,
      previous_cursor: previous?.cursor ?? null,
      ...(encoded.length === 0 ? {} : { encoded: [...encoded] }),
    },
    next: next?.read ?? null,
    previous: previous?.read ?? null,
    links: { self, next: next?.read.url ?? null, previous: previous?.read.url ?? null },
    meta: { warnings },
  };
}
