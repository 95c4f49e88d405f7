import { h1, Occurrences } from "../../core/identity.ts";
import {
  type Answers,
  aside,
  besideOf,
  type Claim,
  type Importer,
  type Item,
  mark,
  newestOf,
} from "../../core/importer.ts";
import { elementsOf } from "../../core/parsing/json-elements.ts";
import { eachPart, faulty } from "../../core/reading.ts";
import { noteEntryItem, noteItem, noteStreams } from "../../core/records/note.ts";
import { manifest } from "../../core/records/schema.ts";
import { isObject, listIn, numberIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import { folderOf, nameOf } from "../../core/text/paths.ts";
import { instantText } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Google Keep in Takeout: a file for each note, with its pictures beside it. */
export const googleKeep: Importer = {
  key: "google-keep",
  title: "Google Keep",
  version: "1",
  proof: "real files",
  manifest: manifest("google-keep", "Google Keep", "1.0.0", noteStreams()),
  complete: ["notes", "attachments"],
  merge: { attachments: { fill: ["blob_ref"] } },
  about: "notes",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /^\s*\{/.test(text) &&
    /"(userEdited|created)TimestampUsec"\s*:/.test(text) &&
    /"(isTrashed|textContent|listContent|isPinned)"\s*:/.test(text),
  async claims(found, tree) {
    const folders = new Set(found.map(({ path }) => folderOf(path)));
    const stems = new Set(found.map(({ path }) => path.replace(/\.json$/i, "")));
    const isBeside = ({ path }: Entry): boolean =>
      folders.has(folderOf(path)) &&
      (/\.(jpe?g|png|gif|webp|3gp|amr|mp4|heic)$/i.test(path) ||
        nameOf(path) === "Labels.txt" ||
        stems.has(path.replace(/\.html$/i, "")));
    return [
      {
        format: "google-keep",
        label: "Google Keep",
        entries: found,
        beside: besideOf(tree, found, isBeside),
        exportedAt: newestOf(found),
        questions: [],
      },
    ];
  },
  read: (claim, answers, from) =>
    eachPart(
      claim,
      from,
      (entries, first) => readNotes(claim, answers, entries, first),
      () => "",
    ),
};

async function* readNotes(
  claim: Claim,
  answers: Answers,
  entries: readonly Entry[],
  first: number,
): AsyncGenerator<Item> {
  const files = new Map(claim.beside.map((file) => [file.path, file]));
  const occurrences = new Occurrences();
  for (const [n, entry] of entries.entries()) {
    for await (const element of elementsOf(entry, 0)) {
      const { value, raw } = element;
      if (element.fault !== undefined) yield faulty(entry, element);
      else if (!isObject(value)) yield aside(entry.path, 0, "not_a_note", "it is not an object", raw);
      else yield* note(value, entry, files, answers, occurrences);
    }
    yield mark(first + n, 1);
  }
}

const usecText = (value: unknown): string | null => {
  const microseconds = numberIn(value);
  return microseconds === null ? null : instantText(microseconds / 1000);
};

function* note(
  value: Record<string, unknown>,
  entry: Entry,
  files: ReadonlyMap<string, Entry>,
  answers: Answers,
  occurrences: Occurrences,
): Generator<Item> {
  const created = usecText(value.createdTimestampUsec);
  const title = textIn(value.title);
  const body = bodyOf(value);
  const pictures = listIn(value.attachments).flatMap((each) => (isObject(each) ? (textIn(each.filePath) ?? []) : []));
  // Keep has no ids: when a note was made is what no edit changes.
  const id = created === null ? h1("keep", title, body) : h1("keep", numberIn(value.createdTimestampUsec));
  const item = noteItem({
    id: occurrences.of(id),
    title,
    body,
    created,
    updated: usecText(value.userEditedTimestampUsec),
    tags: listIn(value.labels).flatMap((each) => (isObject(each) ? (textIn(each.name) ?? []) : [])),
    links: listIn(value.annotations).flatMap((each) => (isObject(each) ? (textIn(each.url) ?? []) : [])),
    isPinned: value.isPinned === true,
    isArchived: value.isArchived === true,
    isTrashed: value.isTrashed === true,
    attachments: pictures,
    extra: withoutNulls({ color: value.color === "DEFAULT" ? null : value.color }),
  });
  yield item;
  for (const name of pictures) {
    const file = fileNamed(`${folderOf(entry.path)}${name}`, files);
    if (file !== undefined) yield noteEntryItem(item, name, file, answers);
  }
}

/** Keep says `.jpeg` where the file is called `.jpg`. */
const fileNamed = (path: string, files: ReadonlyMap<string, Entry>): Entry | undefined =>
  files.get(path) ?? files.get(path.replace(/\.jpeg$/, ".jpg")) ?? files.get(path.replace(/\.jpg$/, ".jpeg"));

function bodyOf(value: Record<string, unknown>): string {
  const list = listIn(value.listContent)
    .filter(isObject)
    .map(({ text, isChecked }) => `- [${isChecked === true ? "x" : " "}] ${textIn(text) ?? ""}`);
  return [textIn(value.textContent) ?? "", list.join("\n")].filter((part) => part !== "").join("\n\n");
}
