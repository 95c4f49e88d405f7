import type { RecordItem } from "../importer.ts";
import { createDatedRecord } from "../items.ts";

/** A file that belongs to a message or a note. */
export interface Attachment {
  readonly id: string;
  /** The field that names the parent record, and the parent's id. */
  readonly parent: readonly [field: string, id: string];
  /** The stream's time field, and its value. */
  readonly time: readonly [field: string, time: string | null];
  readonly name: string | null;
  readonly mimeType: string | null;
  readonly sizeBytes: number | null;
  readonly text?: string | null;
  readonly note?: string | null;
  readonly changedAt?: number | undefined;
  /** Missing if the export has no bytes or the owner does not want attachments. */
  readonly bytes?: (() => AsyncIterable<Uint8Array>) | undefined;
}

export const missingFileNote = "the file is not in the export";

export function createAttachmentRecord(file: Attachment): RecordItem {
  const { bytes, text = null, mimeType } = file;
  const blob = bytes && { field: "blob_ref", mimeType: mimeType ?? "application/octet-stream", bytes };
  const record = createDatedRecord("attachments", file.changedAt, {
    id: file.id,
    [file.parent[0]]: file.parent[1],
    name: file.name,
    mime_type: mimeType,
    size_bytes: file.sizeBytes,
    [file.time[0]]: file.time[1],
    text,
    text_from: text === null ? null : "export",
    text_truncated: false,
    note: file.note ?? null,
    blob_ref: null,
  });
  return blob === undefined ? record : { ...record, blob };
}
