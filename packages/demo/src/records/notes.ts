import type { BlobMaker, DemoRecord } from "../demo-types.ts";
import type { NoteDraft } from "../drafts.ts";
import { collectedAt, utc } from "../local-time.ts";

export function* noteRecords(notes: readonly NoteDraft[]): Iterable<DemoRecord> {
  for (const note of notes) {
    const updated = utc(note.updated);
    const data = {
      id: note.id,
      title: note.title,
      notebook: note.notebook,
      body: note.body,
      tags: note.tags,
      checklist: note.checklist,
      pinned: note.pinned,
      attachment_count: note.files.length,
      created_at: utc(note.at),
      updated_at: updated,
    };
    yield { key: note.id, emitted_at: collectedAt(updated), data };
  }
}

export function* attachmentRecords(notes: readonly NoteDraft[], blob: BlobMaker): Iterable<DemoRecord> {
  for (const note of notes) {
    for (const [index, file] of note.files.entries()) {
      const bytes = file.bytes();
      const addedAt = utc(note.updated);
      const data = {
        id: `${note.id}_${index + 1}`,
        note_id: note.id,
        filename: file.filename,
        mime_type: file.mimeType,
        caption: file.caption,
        size_bytes: bytes.length,
        added_at: addedAt,
        blob_ref: blob({ name: file.filename, mimeType: file.mimeType, bytes }),
      };
      yield { key: data.id, emitted_at: collectedAt(addedAt), data };
    }
  }
}
