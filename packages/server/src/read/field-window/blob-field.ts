import { buildUrl } from "@pdpp/contract/address";
import { findField, type JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { type FieldPath, getValue } from "@pdpp/evidence/fields/field-path";
import { getTextKind, isDocument, type TextKind } from "@pdpp/evidence/fields/media-type";
import type { StreamScope } from "../../store/access/scope.ts";
import { findBlobUsedBy } from "../../store/blobs/blob-access.ts";
import { isBlobReference, listMediaTypes } from "../../store/blobs/blob-fields.ts";
import { openBlobText, type TextBlob } from "../../store/blobs/blob-text.ts";
import type { TypedBlob } from "../../store/blobs/blob-texts.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import type { RecordHead } from "../../store/records/record-versions.ts";
import { createHeldText, type TextSource } from "../../store/records/text-source.ts";
import type { Store } from "../../store/store.ts";

/** A blob to be read as text. As for its bytes, the record's current reference decides whether it can be read. */

export interface BlobField extends Omit<TextBlob, "kind" | "mediaTypes"> {
  readonly kind: TextKind;
  readonly mediaType: string;
  readonly mediaTypes: TypedBlob["mediaTypes"];
}

export function requireBlobField(scope: StreamScope, field: string): void {
  const { declaration } = scope.stream;
  if (findField(declaration, field)?.blob) return;
  throw new PdppError(
    "invalid_field_path",
    `{text} reads the text of a blob, but field ${field} of stream ${declaration.name} is not declared as a blob; leave {text} out`,
    { param: "field" },
  );
}

export async function findBlob(
  on: ReadTransaction,
  { blobs }: Store,
  scope: StreamScope,
  head: RecordHead,
  data: JsonObject,
  path: FieldPath,
): Promise<BlobField> {
  const reference = getValue(data, path);
  if (!isBlobReference(reference))
    throw new PdppError("field_not_found", "the record has no blob at this path", { param: "field" });
  const { blob_id: id } = reference;
  const stored = await findBlobUsedBy(on, scope, head, path[0], id);
  if (stored === undefined) throw createBlobError(head);
  const mediaTypes = listMediaTypes(reference, stored.mimeType);
  const [mediaType] = mediaTypes;
  const refuse = (why: string, code: "field_not_text" | "resource_limit" = "field_not_text"): PdppError => {
    const address = buildUrl("readBlob", { blob_id: id, connection_id: head.connection.id });
    const what = `the blob is ${JSON.stringify(mediaType)} of ${stored.sizeBytes} bytes`;
    return new PdppError(code, `${what}, ${why}; its bytes: GET ${address}`, { param: "field" });
  };
  const kind = getTextKind(mediaType);
  if (kind === null) throw refuse("which is not text");
  return {
    id,
    sizeBytes: stored.sizeBytes,
    kind,
    mediaType,
    mediaTypes,
    bytes: (first, last) => blobs.read(scope.ownerNo, id, first, last),
    refuse: (why) => refuse(`and has no readable text: ${why}`),
    refuseSize: (why) => refuse(`and has no readable text: ${why}`, "resource_limit"),
  };
}

/** Documents are parsed once and their text is stored; other texts are read in place. */
export async function readBlobText(
  { blobTexts }: Store,
  ownerNo: number,
  blob: BlobField,
): Promise<{ source: TextSource; isCut: boolean }> {
  const { kind } = blob;
  if (!isDocument(kind)) return { source: await openBlobText({ ...blob, kind }), isCut: false };
  const found = await blobTexts.load(ownerNo, blob);
  if (found === null || "reason" in found) throw blob.refuse(found?.reason ?? "there is no text in it");
  return { source: createHeldText(found.text, found.chars), isCut: found.isCut };
}

const createBlobError = ({ from, revision }: RecordHead): PdppError =>
  from === "current"
    ? new PdppError("blob_not_found", "the vault does not have the blob that the record refers to", { param: "field" })
    : new PdppError(
        "stale_window",
        `the record no longer refers to the blob that it had at version ${revision}. ` +
          "Start over without cursor and version, and do not combine text of both versions",
        { param: "version" },
      );
