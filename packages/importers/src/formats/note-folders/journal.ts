import { parseInstant } from "@pdpp/contract/instant";
import { h1 } from "../../core/identity.ts";
import { type Answers, aside, type Item } from "../../core/importer.ts";
import { walk } from "../../core/parsing/json-elements.ts";
import { noteFileItem, noteItem } from "../../core/records/note.ts";
import { cleanText, isObject, listIn, numberIn, textIn } from "../../core/text/clean.ts";
import { folderOf, mimeTypeOf, nameOf } from "../../core/text/paths.ts";
import { instantText } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

interface Given {
  readonly entry: Entry;
  readonly files: ReadonlyMap<string, Entry>;
  readonly answers: Answers;
}

/** Day One: a journal in one file, its pictures in folders beside it, named by their digests. */
export async function* journal({ entry, files, answers }: Given): AsyncGenerator<Item> {
  const name = nameOf(entry.path).replace(/\.json$/i, "");
  const opens = (path: string): boolean => path === "" || path === "entries";
  for await (const step of walk((from) => entry.bytes(from), { opens })) {
    if (step.kind !== "value" || step.path !== "entries/*") continue;
    const { offset, fault, raw, value } = step.element;
    if (fault !== undefined) yield aside(entry.path, offset, fault.code, fault.reason, raw);
    else if (!isObject(value) || textIn(value.creationDate) === null)
      yield aside(entry.path, offset, "not_an_entry", "it has no date", raw);
    else yield* journalEntry(value, { name, folder: folderOf(entry.path), files, answers });
  }
}

const timeIn = (value: unknown): string | null => {
  const text = textIn(value);
  return text === null || parseInstant(text) === null ? null : instantText(Date.parse(text));
};

function* journalEntry(
  raw: Record<string, unknown>,
  { name, folder, files, answers }: { name: string; folder: string; files: Given["files"]; answers: Answers },
): Generator<Item> {
  const text = (textIn(raw.text) ?? "").replace(/\\([.()!#*_+\-[\]{}>])/g, "$1");
  const body = text.replace(/!\[\]\(dayone-moment:[^)]*\)\n*/g, "").trim();
  const created = timeIn(raw.creationDate);
  const id = textIn(raw.uuid) ?? h1("day-one", textIn(raw.creationDate), text.slice(0, 200));
  const media = ["photos", "videos", "audios", "pdfAttachments"].flatMap((kind) =>
    listIn(raw[kind])
      .filter(isObject)
      .map((file) => ({ kind: kind === "pdfAttachments" ? "pdfs" : kind, file })),
  );
  const location = isObject(raw.location) ? raw.location : {};
  const place = ["placeName", "localityName", "country"]
    .map((key) => textIn(location[key]) ?? "")
    .filter((each) => each !== "");
  const named = media.map(({ kind, file }) => ({
    kind,
    file,
    name: `${textIn(file.md5) ?? textIn(file.identifier) ?? "file"}.${textIn(file.type) ?? "bin"}`,
  }));
  yield noteItem({
    id,
    title: (body.split("\n")[0] ?? "").replace(/^#+ /, "").slice(0, 200),
    body,
    created,
    updated: timeIn(raw.modifiedDate),
    folder: name,
    tags: listIn(raw.tags).map((tag) => textIn(tag) ?? ""),
    isPinned: raw.pinned === true || raw.isPinned === true,
    attachments: named.map(({ name }) => name),
    extra: {
      ...(raw.starred === true ? { starred: true } : {}),
      ...(place.length === 0 ? {} : { place: cleanText(place.join(", ")) }),
      ...(numberIn(location.latitude) === null
        ? {}
        : { latitude: numberIn(location.latitude), longitude: numberIn(location.longitude) }),
      ...(textIn(raw.timeZone) === null ? {} : { time_zone: textIn(raw.timeZone) }),
    },
  });
  for (const { kind, file, name } of named) {
    const found = files.get(`${folder}${kind}/${name}`);
    yield noteFileItem(
      {
        id: `${id}/${textIn(file.identifier) ?? name}`,
        noteId: id,
        name: textIn(file.filename) ?? name,
        mimeType: mimeTypeOf(name),
        size: found?.size ?? null,
        time: created,
        note: found === undefined ? "the file is not in the export" : null,
        ...(found === undefined ? {} : { bytes: () => found.bytes() }),
      },
      answers,
    );
  }
}
