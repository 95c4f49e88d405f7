import type { NoteDraft } from "#demo/drafts";
import { utc } from "#demo/local-time";
import { uuid } from "./ids.ts";

/** Bear's backup: a bundle for each note, with its text, its files, and what Bear knows of it. */
export function bearFiles(notes: readonly NoteDraft[], backup: string): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = {};
  for (const note of notes) {
    const folder = `${backup}/${folderName(note)}.textbundle`;
    files[`${folder}/text.md`] = text(note);
    files[`${folder}/info.json`] = JSON.stringify(info(note), null, 2);
    for (const file of note.files) files[`${folder}/assets/${file.filename}`] = file.bytes();
  }
  const tags = [...new Set(notes.flatMap(tagsOf))].sort();
  files[`${backup}/tags.json`] = JSON.stringify({ tags: tags.map((title) => ({ title, pinned: false })) }, null, 2);
  return files;
}

/** Two notes of one name are kept apart by when they were made. */
const folderName = ({ title, at }: NoteDraft): string => `${title.replaceAll(/[/:\\]/g, "-")} ${at.slice(0, 10)}`;

/** Bear has no notebooks; its people use tags. */
const tagsOf = ({ notebook, tags }: NoteDraft): string[] => [notebook, ...tags];

const tag = (name: string): string => (/\s/.test(name) ? `#${name}#` : `#${name}`);

function text(note: NoteDraft): string {
  const checks = (note.checklist ?? []).map(({ text, done }) => `- [${done ? "x" : " "}] ${text}`);
  const files = note.files.map(({ filename, mimeType, caption }) => {
    const target = `assets/${encodeURIComponent(filename)}`;
    return mimeType.startsWith("image/")
      ? `![](${target})\n${caption}`
      : `[${filename}](${target})<!-- {"embed":"true"} -->\n${caption}`;
  });
  return [`# ${note.title}`, note.body, checks.join("\n"), ...files, tagsOf(note).map(tag).join(" ")]
    .filter((part) => part !== "")
    .join("\n\n");
}

const info = (note: NoteDraft): object => ({
  type: "net.daringfireball.markdown",
  version: 2,
  transient: false,
  creatorIdentifier: "net.shinyfrog.bear",
  "net.shinyfrog.bear": {
    modificationDate: utc(note.updated),
    uniqueIdentifier: uuid(note.id).toUpperCase(),
    pinned: note.pinned ? 1 : 0,
    trashedDate: null,
    pinnedDate: note.pinned ? utc(note.updated) : null,
    archivedDate: null,
    creationDate: utc(note.at),
    lastEditingDevice: "Ada's laptop",
    trashed: 0,
    archived: 0,
  },
});
