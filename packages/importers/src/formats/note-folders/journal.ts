import { deriveId } from "../../core/identity.ts";
import type { Answers, Item } from "../../core/importer.ts";
import { reject } from "../../core/items.ts";
import { readListElements } from "../../core/parsing/json-elements.ts";
import { rejectElement } from "../../core/reading.ts";
import { missingFileNote } from "../../core/records/attachment.ts";
import { createNoteFileRecord, createNoteRecord } from "../../core/records/note.ts";
import { cleanText, isObject, toList, toNumber, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder, guessMimeType } from "../../core/text/paths.ts";
import { toInstantText } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

interface JournalSource {
  readonly entry: Entry;
  readonly files: ReadonlyMap<string, Entry>;
  readonly answers: Answers;
}

/** Day One: a journal in one file, and media in folders, named by digest. */
export async function* readJournal({ entry, files, answers }: JournalSource): AsyncGenerator<Item> {
  const name = getFileName(entry.path).replace(/\.json$/i, "");
  for await (const element of readListElements(entry, "entries")) {
    const { offset, raw, value } = element;
    if (element.failure !== undefined) yield rejectElement(entry, element);
    else if (!isObject(value) || toText(value.creationDate) === null)
      yield reject(entry.path, offset, "not_an_entry", "no date", raw);
    else yield* createJournalEntry(value, { name, folder: getFolder(entry.path), files, answers });
  }
}

function* createJournalEntry(
  raw: Record<string, unknown>,
  { name, folder, files, answers }: { name: string; folder: string; files: JournalSource["files"]; answers: Answers },
): Generator<Item> {
  const text = (toText(raw.text) ?? "").replace(/\\([.()!#*_+\-[\]{}>])/g, "$1");
  const body = text.replace(/!\[\]\(dayone-moment:[^)]*\)\n*/g, "").trim();
  const created = toInstantText(raw.creationDate);
  const id = toText(raw.uuid) ?? deriveId("day-one", toText(raw.creationDate), text.slice(0, 200));
  const media = ["photos", "videos", "audios", "pdfAttachments"].flatMap((kind) =>
    toObjects(raw[kind]).map((file) => ({ kind: kind === "pdfAttachments" ? "pdfs" : kind, file })),
  );
  const location = toObject(raw.location);
  const place = ["placeName", "localityName", "country"]
    .map((key) => toText(location[key]) ?? "")
    .filter((each) => each !== "");
  const named = media.map(({ kind, file }) => ({
    kind,
    file,
    name: `${toText(file.md5) ?? toText(file.identifier) ?? "file"}.${toText(file.type) ?? "bin"}`,
  }));
  yield createNoteRecord({
    id,
    title: (body.split("\n")[0] ?? "").replace(/^#+ /, "").slice(0, 200),
    body,
    created,
    updated: toInstantText(raw.modifiedDate),
    folder: name,
    tags: toList(raw.tags).map((tag) => toText(tag) ?? ""),
    isPinned: raw.pinned === true || raw.isPinned === true,
    attachments: named.map(({ name }) => name),
    extra: {
      ...(raw.starred === true ? { starred: true } : {}),
      ...(place.length === 0 ? {} : { place: cleanText(place.join(", ")) }),
      ...(toNumber(location.latitude) === null
        ? {}
        : { latitude: toNumber(location.latitude), longitude: toNumber(location.longitude) }),
      ...(toText(raw.timeZone) === null ? {} : { time_zone: toText(raw.timeZone) }),
    },
  });
  for (const { kind, file, name } of named) {
    const found = files.get(`${folder}${kind}/${name}`);
    yield createNoteFileRecord(
      {
        id: `${id}/${toText(file.identifier) ?? name}`,
        noteId: id,
        name: toText(file.filename) ?? name,
        mimeType: guessMimeType(name),
        size: found?.size ?? null,
        time: created,
        note: found === undefined ? missingFileNote : null,
        bytes: found === undefined ? undefined : () => found.bytes(),
      },
      answers,
    );
  }
}
