import type { JsonObject } from "@pdpp/contract/declaration";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { EvidenceCard, RecordDocument } from "@pdpp/contract/wire";
import { createCard } from "@pdpp/evidence/cards/card";
import type { EvidenceRecord } from "@pdpp/evidence/cards/record";
import { type DocumentLeads, fitDocument } from "@pdpp/evidence/documents/fit-document";
import { type CitedPassage, formatCitationUrl } from "@pdpp/evidence/handles/citation";
import { getVisibleDeclaration, type ScopedConnection, type StreamScope } from "../../store/access/scope.ts";
import type { ReadContext } from "../context.ts";
import { flatten, type Projection, project } from "./projection.ts";

export interface ShownRecord {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly data: JsonObject;
}

export function toEvidenceRecord(
  { scope: { timeZone } }: ReadContext,
  scope: StreamScope,
  projection: Projection,
  record: ShownRecord,
): EvidenceRecord {
  const [data, granted] = flatten(scope, projection, project(scope, projection, record.data, record.connection));
  return {
    connectorKey: scope.connectorKey,
    connection: record.connection,
    stream: getVisibleDeclaration(scope),
    recordId: record.key,
    version: String(record.revision),
    emittedAt: formatInstant(record.emittedAt),
    data,
    granted,
    timeZone,
  };
}

export function buildCitation(
  { pagesUrl }: ReadContext,
  scope: StreamScope,
  { connection, key: recordId }: Pick<ShownRecord, "connection" | "key">,
  passage?: CitedPassage,
): { readonly citation_url?: string } {
  if (pagesUrl === undefined) return {};
  const record = { connectionId: connection.id, stream: scope.stream.declaration.name, recordId };
  const url = formatCitationUrl(pagesUrl, record, passage);
  return url === undefined ? {} : { citation_url: url };
}

export const buildCard = (
  context: ReadContext,
  scope: StreamScope,
  projection: Projection,
  record: ShownRecord,
): EvidenceCard => createCard(toEvidenceRecord(context, scope, projection, record));

export const buildDocument = (
  context: ReadContext,
  scope: StreamScope,
  projection: Projection,
  record: ShownRecord,
  input: Input<"fetch">,
  leads: DocumentLeads,
): RecordDocument => fitDocument(toEvidenceRecord(context, scope, projection, record), input, context.measure, leads);
