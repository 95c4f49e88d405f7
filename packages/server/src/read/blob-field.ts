import { addressOf } from "@pdpp/contract/address";
import { fieldOf, type JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { budget } from "@pdpp/evidence/budget";
import { type FieldPath, valueAt } from "@pdpp/evidence/field-path";
import { textKind } from "@pdpp/evidence/media-type";
import type { StreamScope } from "../store/access/scope.ts";
import { isBlobReference } from "../store/blobs/blob-fields.ts";
import { blobUsedBy } from "../store/blobs/blobs.ts";
import type { Reading } from "../store/engine/engine.ts";
import type { RecordHead } from "../store/records/record-versions.ts";
import type { Store } from "../store/store.ts";
import type { TextBlob } from "./blob-text.ts";

/** The blob that a record refers to, to be read as text. It is reached as its bytes are: by what the record refers to now. */

export interface BlobField extends TextBlob {
  readonly mediaType: string;
}

export function mustHoldBlobs(scope: StreamScope, field: string): void {
  const { declaration } = scope.stream;
  if (fieldOf(declaration, field)?.blob) return;
  throw new PdppError(
    "invalid_field_path",
    `{text} reads the text of a blob, but field ${field} of stream ${declaration.name} is not declared as a blob; leave {text} out`,
    { param: "field" },
  );
}

export async function blobAt(
  on: Reading,
  { blobs }: Store,
  scope: StreamScope,
  head: RecordHead,
  data: JsonObject,
  path: FieldPath,
): Promise<BlobField> {
  const reference = valueAt(data, path);
  if (!isBlobReference(reference))
    throw new PdppError("field_not_found", "the record refers to no blob there", { param: "field" });
  const { blob_id: id, mime_type: said } = reference;
  const stored = await blobUsedBy(on, scope, head, path[0], id);
  if (stored === undefined) throw notReachable(head);
  const isLabel = typeof said === "string" && said.length <= budget.field.blobTextChars;
  const mediaTypes = isLabel ? [said, stored.mimeType] : [stored.mimeType];
  const [mediaType] = mediaTypes as [string];
  const refuse = (why: string): PdppError => {
    const address = addressOf("readBlob", { blob_id: id, connection_id: head.connection.id });
    const bytes = `the blob is ${JSON.stringify(mediaType)} of ${stored.sizeBytes} bytes`;
    return new PdppError("field_not_text", `${bytes}, ${why}; get the bytes with readBlob: GET ${address}`, {
      param: "field",
    });
  };
  const kind = textKind(mediaType);
  if (kind === null) throw refuse("which is not text");
  return {
    id,
    sizeBytes: stored.sizeBytes,
    kind,
    mediaType,
    mediaTypes,
    bytes: (first, last) => blobs.read(scope.ownerNo, id, first, last),
    refuse: (why) => refuse(`and is not text: ${why}`),
  };
}

const notReachable = ({ from, revision }: RecordHead): PdppError =>
  from === "current"
    ? new PdppError("blob_not_found", "the vault does not have the blob that the record refers to", { param: "field" })
    : new PdppError(
        "stale_window",
        `the record no longer refers to the blob that it had at version ${revision}. ` +
          "Start over without cursor and version, and do not combine text of both versions",
        { param: "version" },
      );
