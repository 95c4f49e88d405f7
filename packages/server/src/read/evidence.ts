import { addressOf } from "@pdpp/contract/address";
import type { JsonObject } from "@pdpp/contract/declaration";
import { isoOf } from "@pdpp/contract/instant";
import type { Input, OperationName } from "@pdpp/contract/operations";
import type { EvidenceCard, RecordDocument } from "@pdpp/contract/wire";
import { budget } from "@pdpp/evidence/budget";
import { evidenceCard } from "@pdpp/evidence/card";
import { type Continuation, type RestContinuation, restSpelling } from "@pdpp/evidence/continuation";
import { recordDocument } from "@pdpp/evidence/document";
import type { EvidenceRecord } from "@pdpp/evidence/record";
import type { ScopedConnection, StreamScope } from "../store/access/scope.ts";
import { type Projection, project } from "./projection.ts";

/** Evidence as REST spells it. What is shown, and how much, is decided in the evidence package. */

/** A continuation as an address; the names of its operations and arguments are the contract's. */
export const spellRest = (next: Continuation): RestContinuation =>
  restSpelling(next, (operation, input) => addressOf(operation satisfies OperationName, { ...input }));

export interface ShownRecord {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly data: string;
}

export const evidenceRecord = (scope: StreamScope, projection: Projection, record: ShownRecord): EvidenceRecord => ({
  connectorKey: scope.connectorKey,
  connection: record.connection,
  stream: scope.stream.declaration,
  recordId: record.key,
  version: String(record.revision),
  emittedAt: isoOf(record.emittedAt),
  data: project(scope, projection, JSON.parse(record.data) as JsonObject, record.connection),
  granted: projection,
});

export const cardOf = (scope: StreamScope, projection: Projection, record: ShownRecord): EvidenceCard =>
  evidenceCard(evidenceRecord(scope, projection, record), { spell: spellRest }) as unknown as EvidenceCard;

/** The record as a text to read, in the place of its card. */
export function documentOf(
  scope: StreamScope,
  projection: Projection,
  record: ShownRecord,
  { limit_chars: limit, after_field: after, fields }: Input<"fetch">,
): RecordDocument {
  const document = recordDocument(evidenceRecord(scope, projection, record), {
    spell: spellRest,
    chars: Math.min(limit === undefined ? budget.document.chars : Number(limit), budget.window.mostChars),
    after,
    fields,
  });
  return { object: "record_document", ...document } as unknown as RecordDocument;
}
