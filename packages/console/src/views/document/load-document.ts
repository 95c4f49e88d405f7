import type { StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, FieldWindow, SingleCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { toReadInput } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { type AttachedFile, createFile, findFilePlace, listAttachedFiles } from "../attached-files.ts";
import { findRoleField, readTexts } from "../field-values.ts";

/** Reads a document: its card, its file or the files attached to it, and the start of its text. */

export interface Document {
  readonly declaration: StreamDeclaration;
  readonly card: SingleCard;
  /** Its parent, such as the note that has this file. */
  readonly parents: readonly EvidenceCard[];
  /** The document itself, if it is a file. */
  readonly file: AttachedFile | undefined;
  readonly attached: readonly AttachedFile[];
  readonly labels: readonly string[];
  readonly texts: readonly DocumentText[];
}

export interface DocumentText {
  readonly window: FieldWindow;
  readonly isMarkdown: boolean;
}

const maxFiles = 20;
const maxParents = 4;
const maxTextChars = 8000;

export async function loadDocument(
  { reader, names }: Viewpoint,
  declaration: StreamDeclaration,
  handle: RecordHandle,
): Promise<Document | undefined> {
  const { connectionId: connection_id, stream } = handle;
  const { expand_capabilities } = await reader.stream({ stream, connection_id });
  const usable = new Set(expand_capabilities.filter((each) => each.usable).map(({ name }) => name));
  const above = declaration.relationships
    .filter(({ name, cardinality }) => cardinality === "has_one" && usable.has(name))
    .map(({ name }) => name)
    .slice(0, maxParents);
  const card = await reader.fetch({ ...toReadInput(handle), view: "evidence", ...withExpanded(above) });
  if (card.object !== "evidence_card") return undefined;
  const place = findFilePlace(names, connection_id, declaration);
  const below = place !== undefined && usable.has(place.relationship) ? [place.relationship] : [];
  const { fields: parts = {} } = declaration.presentation ?? {};
  const blobField = declaration.fields.find(({ blob }) => blob);
  const title = findRoleField(declaration, "primary-title");
  const wanted = [title, parts.media_type, parts.size, parts.labels, parts.attachments, blobField?.name];
  const record = await reader.fetch({
    ...toReadInput(handle),
    fields: [...new Set([...declaration.primaryKey, ...wanted.filter((name) => name !== undefined)])],
    ...withExpanded(below, maxFiles),
  });
  if (record.object !== "record") return undefined;
  const file = blobField === undefined ? undefined : createFile(record.data, connection_id, declaration);
  return {
    declaration,
    card,
    parents: above.flatMap((name) => listCards(card, name)),
    file,
    attached: listAttachedFiles(record, place, parts.attachments),
    labels: readTexts(record.data, parts.labels),
    texts: await loadTexts(reader, declaration, handle, card, file),
  };
}

const withExpanded = (relationships: readonly string[], limit?: number) =>
  relationships.length === 0
    ? {}
    : {
        expand: [...relationships],
        ...(limit === undefined
          ? {}
          : { expand_limit: Object.fromEntries(relationships.map((name) => [name, limit])) }),
      };

function listCards({ expanded }: SingleCard, relationship: string): EvidenceCard[] {
  const found = expanded?.[relationship];
  return found?.object === "evidence_card" ? [found] : [];
}

/** The text of the record, and that of its file where the record doesn't hold it. */
async function loadTexts(
  reader: ReadApi,
  { fields }: StreamDeclaration,
  handle: RecordHandle,
  card: EvidenceCard,
  file: AttachedFile | undefined,
): Promise<DocumentText[]> {
  const read = async (field: string, isMarkdown: boolean): Promise<DocumentText[]> => {
    const window = await readText(reader, handle, field);
    return window === undefined || window.window.total_chars === 0 ? [] : [{ window, isMarkdown }];
  };
  const body = fields.find(({ role }) => role === "body");
  const blob = fields.find((field) => field.blob);
  const isNote = blob === undefined;
  const presented = listPresentedFields(card).find(({ field_path }) => field_path === body?.name);
  const isEmpty = presented?.shown === "inline" && typeof presented.value !== "string";
  const own =
    body === undefined || isEmpty
      ? []
      : await read(body.name, body.type === "markdown" || (isNote && body.type === "text"));
  const isElsewhere = own.length === 0 || blob?.blobText === true;
  if (blob === undefined || file?.blob === undefined || !isElsewhere) return own;
  return [...own, ...(await read(`${blob.name}{text}`, file.mediaType === "text/markdown"))];
}

async function readText(reader: ReadApi, handle: RecordHandle, field: string): Promise<FieldWindow | undefined> {
  try {
    return await reader.readField({ ...toReadInput(handle), field, limit_chars: maxTextChars });
  } catch (error) {
    // It has no text, or none that can be read.
    if (error instanceof PdppError && error.status < 500) return undefined;
    throw error;
  }
}
