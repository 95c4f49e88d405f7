import type { JsonObject } from "@pdpp/contract/declaration";
import { isoOf } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { EvidenceCard, RecordDocument } from "@pdpp/contract/wire";
import { budget } from "@pdpp/evidence/budget";
import { evidenceCard } from "@pdpp/evidence/card";
import { recordDocument } from "@pdpp/evidence/document";
import { documentObject, documentText } from "@pdpp/evidence/forms/document";
import { holds, sizeOf } from "@pdpp/evidence/forms/size";
import { type EvidenceRecord, timesOf } from "@pdpp/evidence/record";
import type { ScopedConnection, StreamScope } from "../store/access/scope.ts";
import { type Projection, project } from "./projection.ts";

/** Evidence of stored records. What is shown, and how much, is decided in the evidence package. */

export interface ShownRecord {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly data: string;
}

export function evidenceRecord(scope: StreamScope, projection: Projection, record: ShownRecord): EvidenceRecord {
  const data = JSON.parse(record.data) as JsonObject;
  const stream = scope.stream.declaration;
  return {
    connectorKey: scope.connectorKey,
    connection: record.connection,
    stream,
    recordId: record.key,
    version: String(record.revision),
    emittedAt: isoOf(record.emittedAt),
    data: project(scope, projection, data, record.connection),
    granted: projection,
    times: timesOf({ stream, data, granted: scope.fields }),
  };
}

export const cardOf = (scope: StreamScope, projection: Projection, record: ShownRecord): EvidenceCard =>
  evidenceCard(evidenceRecord(scope, projection, record));

/** The record as a text to read, in the place of its card. */
export function documentOf(
  scope: StreamScope,
  projection: Projection,
  record: ShownRecord,
  { limit_chars: limit, max_chars: most, after_field: after, fields }: Input<"fetch">,
): RecordDocument {
  const shown = evidenceRecord(scope, projection, record);
  let chars = Math.min(limit ?? budget.document.chars, budget.window.mostChars);
  for (;;) {
    const document = recordDocument(shown, { chars, after, fields });
    if (most === undefined || chars <= leastChars || documentFits(document, most)) return document;
    chars = Math.max(leastChars, Math.floor(chars * 0.8));
  }
}

/** When even this little does not fit, it is not the text that takes the room. */
const leastChars = 64;

/** A document is the same in both forms of a tool's result. */
function documentFits(document: RecordDocument, most: number): boolean {
  const object = documentObject(document);
  return holds(sizeOf({ lines: [documentText(object)], objects: [object] }), most);
}
