import type { JsonObject } from "@pdpp/contract/declaration";
import type { Entry } from "../../tree/tree.ts";
import type { Answers, RecordItem } from "../importer.ts";
import { createDatedRecord } from "../items.ts";
import { cleanText, trimToNull } from "../text/clean.ts";
import { getFileName, guessMimeType } from "../text/paths.ts";
import { createAttachmentRecord } from "./attachment.ts";
import * as field from "./field.ts";
import { createFormatDefiner, defineAttachmentStream, defineStream } from "./schema.ts";

/** Notes and journal entries of any app, and their files. */
export const defineNoteStreams = (): JsonObject[] => [
  defineStream({
    name: "notes",
    label: "Notes",
    description: "Notes, pages, journal entries and saved links.",
    time: "updated_at",
    fields: {
      id: field.text(),
      title: field.title(),
      author: field.actor(),
      body: field.body(),
      created_at: field.time("When it was created."),
      updated_at: field.eventTime(),
      time_source: field.maybeText({
        description: "Source of updated_at: note, created or name; null if there is no time.",
      }),
      time_zone_assumed: field.timeZone("Time zone assumed for times without one."),
      folder: field.maybeText({ x_pdpp_role: "secondary", description: "Its notebook or folder." }),
      tags: field.texts(),
      links: field.texts({ description: "Linked notes and URLs." }),
      source_url: field.maybeText({ x_pdpp_type: "url", description: "Where it was clipped from." }),
      is_pinned: field.flag("Pinned to the top."),
      is_archived: field.flag("Archived by the owner."),
      is_trashed: field.flag("In the app's trash."),
      attachments: field.texts({ description: "Names of attached files." }),
      extra: field.extra(),
    },
    presentation: { kind: "document", fields: { labels: "tags" } },
    search: ["title", "body"],
    ranges: ["created_at"],
    groups: ["folder", "author", "is_archived", "is_trashed"],
    relationships: [{ name: "files", stream: "attachments", foreign_key: "note_id", cardinality: "has_many" }],
  }),
  defineAttachmentStream("notes", "note_id", "created_at"),
];

export const defineNoteFormat = createFormatDefiner(defineNoteStreams(), "notes", {
  notes: { owns: { stream: "attachments", field: "note_id" } },
  attachments: { fill: ["blob_ref"] },
});

interface Note {
  readonly id: string;
  readonly title: string | null;
  readonly author?: string | null | undefined;
  readonly body: string;
  readonly created?: string | null | undefined;
  readonly updated?: string | null | undefined;
  /** A date in the note's name, used if neither time is known. */
  readonly dateFromName?: string | null | undefined;
  readonly zone?: string | null | undefined;
  readonly folder?: string | null | undefined;
  readonly tags?: readonly string[];
  readonly links?: readonly string[];
  readonly sourceUrl?: string | null | undefined;
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
  readonly isTrashed?: boolean;
  readonly attachments?: readonly string[];
  readonly extra?: JsonObject;
}

const dedupeTexts = (values: readonly string[] = []): string[] => [
  ...new Set(values.map((value) => cleanText(value).trim()).filter((value) => value !== "")),
];

export function createNoteRecord(note: Note): RecordItem {
  const { created = null, updated = null, dateFromName: named = null } = note;
  const time = updated ?? created ?? named;
  return createDatedRecord("notes", updated === null ? undefined : Date.parse(updated), {
    id: cleanText(note.id),
    title: trimToNull(note.title),
    author: trimToNull(note.author),
    body: cleanText(note.body.replaceAll("\r\n", "\n")).trimEnd(),
    created_at: created ?? named,
    updated_at: time,
    time_source: updated !== null ? "note" : created !== null ? "created" : named !== null ? "name" : null,
    time_zone_assumed: note.zone ?? null,
    folder: trimToNull(note.folder),
    tags: dedupeTexts(note.tags).sort(),
    links: dedupeTexts(note.links),
    source_url: trimToNull(note.sourceUrl),
    is_pinned: note.isPinned === true,
    is_archived: note.isArchived === true,
    is_trashed: note.isTrashed === true,
    attachments: dedupeTexts(note.attachments),
    extra: note.extra ?? {},
  });
}

interface NoteFile {
  readonly id: string;
  readonly noteId: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number | null;
  readonly time: string | null;
  readonly note?: string | null;
  readonly bytes?: (() => AsyncIterable<Uint8Array>) | undefined;
}

export const createNoteFileRecord = (file: NoteFile, answers: Answers): RecordItem =>
  createAttachmentRecord({
    id: cleanText(file.id),
    parent: ["note_id", cleanText(file.noteId)],
    time: ["created_at", file.time],
    name: cleanText(file.name),
    mimeType: cleanText(file.mimeType),
    sizeBytes: file.size,
    note: file.note ?? null,
    bytes: answers.attachments && file.size !== 0 ? file.bytes : undefined,
  });

/** A note's file that is an entry of the export. */
export const createNoteEntryRecord = (note: RecordItem, path: string, entry: Entry, answers: Answers): RecordItem => {
  const { id, created_at: created } = note.data;
  return createNoteFileRecord(
    {
      id: `${id}/${path}`,
      noteId: String(id),
      name: getFileName(path),
      mimeType: guessMimeType(path),
      size: entry.size,
      time: typeof created === "string" ? created : null,
      bytes: () => entry.bytes(),
    },
    answers,
  );
};
