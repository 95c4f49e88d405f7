import type { Note, NoteFile } from "./household.ts";
import { createUuid } from "./ids.ts";
import { toLocalTime } from "./local-time.ts";

/** A Bear backup: one text bundle per note, with its text, files and metadata. */
export function writeNotes(
  notes: readonly Note[],
  noteFiles: readonly NoteFile[],
  fileBytes: ReadonlyMap<string, Uint8Array>,
  backup: string,
): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = {};
  for (const note of notes) {
    const folder = `${backup}/${buildFolderName(note)}.textbundle`;
    const attached = noteFiles.filter(({ note_id }) => note_id === note.id);
    files[`${folder}/text.md`] = formatText(note, attached);
    files[`${folder}/info.json`] = JSON.stringify(buildNoteInfo(note), null, 2);
    for (const { filename } of attached) {
      const bytes = fileBytes.get(filename);
      if (bytes === undefined) throw new Error(`the demo has no file ${filename}`);
      files[`${folder}/assets/${filename}`] = bytes;
    }
  }
  const tags = [...new Set(notes.flatMap(listTags))].sort();
  files[`${backup}/tags.json`] = JSON.stringify({ tags: tags.map((title) => ({ title, pinned: false })) }, null, 2);
  return files;
}

/** The creation date tells notes with the same title apart. */
const buildFolderName = ({ title, created_at }: Note): string =>
  `${title.replaceAll(/[/:\\]/g, "-")} ${toLocalTime(created_at).slice(0, 10)}`;

/** Bear has no notebooks; people use tags instead. */
const listTags = ({ notebook, tags }: Note): string[] => [notebook, ...tags];

const formatTag = (name: string): string => (/\s/.test(name) ? `#${name}#` : `#${name}`);

function formatText(note: Note, attached: readonly NoteFile[]): string {
  const checks = (note.checklist ?? []).map(({ text, done }) => `- [${done ? "x" : " "}] ${text}`);
  const files = attached.map(({ filename, mime_type, caption }) => {
    const target = `assets/${encodeURIComponent(filename)}`;
    return mime_type.startsWith("image/")
      ? `![](${target})\n${caption}`
      : `[${filename}](${target})<!-- {"embed":"true"} -->\n${caption}`;
  });
  return [`# ${note.title}`, note.body, checks.join("\n"), ...files, listTags(note).map(formatTag).join(" ")]
    .filter((part) => part !== "")
    .join("\n\n");
}

const buildNoteInfo = (note: Note): object => ({
  type: "net.daringfireball.markdown",
  version: 2,
  transient: false,
  creatorIdentifier: "net.shinyfrog.bear",
  "net.shinyfrog.bear": {
    modificationDate: note.updated_at,
    uniqueIdentifier: createUuid(note.id).toUpperCase(),
    pinned: note.pinned ? 1 : 0,
    trashedDate: null,
    pinnedDate: note.pinned ? note.updated_at : null,
    archivedDate: null,
    creationDate: note.created_at,
    lastEditingDevice: "Ada's laptop",
    trashed: 0,
    archived: 0,
  },
});
