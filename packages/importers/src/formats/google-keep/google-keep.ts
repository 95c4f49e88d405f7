import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim, findCompanions, mark, reject } from "../../core/items.ts";
import { readFileElements } from "../../core/parsing/json-elements.ts";
import { readTogether, rejectElement } from "../../core/reading.ts";
import { createNoteEntryRecord, createNoteRecord, defineNoteFormat } from "../../core/records/note.ts";
import { dropNulls, isObject, toList, toNumber, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

const keepFormat = defineNoteFormat("google-keep", "Google Keep");

/** Google Keep from Takeout: a file for each note, and its pictures. */
export const googleKeep: Importer = {
  ...keepFormat,
  // One file for each note.
  mergeRules: { ...keepFormat.mergeRules, notes: { ...keepFormat.mergeRules.notes, is_single_version: true } },
  version: "2",
  testedWith: "real files",
  completeStreams: ["notes", "attachments"],
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /^\s*\{/.test(text) &&
    /"(userEdited|created)TimestampUsec"\s*:/.test(text) &&
    /"(isTrashed|textContent|listContent|isPinned)"\s*:/.test(text),
  async createClaims(found, tree) {
    const folders = new Set(found.map(({ path }) => getFolder(path)));
    const stems = new Set(found.map(({ path }) => path.replace(/\.json$/i, "")));
    const isBeside = ({ path }: Entry): boolean =>
      folders.has(getFolder(path)) &&
      (/\.(jpe?g|png|gif|webp|3gp|amr|mp4|heic)$/i.test(path) ||
        getFileName(path) === "Labels.txt" ||
        stems.has(path.replace(/\.html$/i, "")));
    return [createClaim("google-keep", "Google Keep", found, { companions: findCompanions(tree, found, isBeside) })];
  },
  read: (claim, answers, from) =>
    readTogether(claim, from, (entries, first) => readNotes(claim, answers, entries, first)),
};

async function* readNotes(
  claim: Claim,
  answers: Answers,
  entries: readonly Entry[],
  first: number,
): AsyncGenerator<Item> {
  const files = new Map(claim.companions.map((file) => [file.path, file]));
  const occurrences = new Occurrences();
  for (const [n, entry] of entries.entries()) {
    for await (const element of readFileElements(entry, 0)) {
      const { value, raw } = element;
      if (element.failure !== undefined) yield rejectElement(entry, element);
      else if (!isObject(value)) yield reject(entry.path, 0, "not_a_note", "not a JSON object", raw);
      else yield* createNote(value, entry, files, answers, occurrences);
    }
    yield mark(first + n, 1);
  }
}

const formatMicroseconds = (value: unknown): string | null => {
  const microseconds = toNumber(value);
  return microseconds === null ? null : formatInstant(microseconds / 1000);
};

function* createNote(
  value: Record<string, unknown>,
  entry: Entry,
  files: ReadonlyMap<string, Entry>,
  answers: Answers,
  occurrences: Occurrences,
): Generator<Item> {
  const created = formatMicroseconds(value.createdTimestampUsec);
  const title = toText(value.title);
  const body = renderBody(value);
  const pictures = toList(value.attachments).flatMap((each) => (isObject(each) ? (toText(each.filePath) ?? []) : []));
  // Keep has no ids, but the creation time never changes.
  const id = created === null ? deriveId("keep", title, body) : deriveId("keep", toNumber(value.createdTimestampUsec));
  const item = createNoteRecord({
    id: created === null ? occurrences.number(id) : id,
    title,
    body,
    created,
    updated: formatMicroseconds(value.userEditedTimestampUsec),
    tags: toList(value.labels).flatMap((each) => (isObject(each) ? (toText(each.name) ?? []) : [])),
    links: toList(value.annotations).flatMap((each) => (isObject(each) ? (toText(each.url) ?? []) : [])),
    isPinned: value.isPinned === true,
    isArchived: value.isArchived === true,
    isTrashed: value.isTrashed === true,
    attachments: pictures,
    extra: dropNulls({ color: value.color === "DEFAULT" ? null : value.color }),
  });
  yield item;
  for (const name of pictures) {
    const file = findFile(`${getFolder(entry.path)}${name}`, files);
    if (file !== undefined) yield createNoteEntryRecord(item, name, file, answers);
  }
}

/** Keep writes `.jpeg` for files named `.jpg`. */
const findFile = (path: string, files: ReadonlyMap<string, Entry>): Entry | undefined =>
  files.get(path) ?? files.get(path.replace(/\.jpeg$/, ".jpg")) ?? files.get(path.replace(/\.jpg$/, ".jpeg"));

function renderBody(value: Record<string, unknown>): string {
  const list = toObjects(value.listContent).map(
    ({ text, isChecked }) => `- [${isChecked === true ? "x" : " "}] ${toText(text) ?? ""}`,
  );
  return [toText(value.textContent) ?? "", list.join("\n")].filter((part) => part !== "").join("\n\n");
}
