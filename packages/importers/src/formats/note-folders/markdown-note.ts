import type { JsonObject } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import { parse } from "yaml";
import type { Answers, Item } from "../../core/importer.ts";
import { createNoteEntryRecord, createNoteRecord } from "../../core/records/note.ts";
import { cleanText, cleanValue, isObject, toList, toObject, toText } from "../../core/text/clean.ts";
import { findMarkdownLinks, findMarkdownTags } from "../../core/text/markdown.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { decodeUri } from "../../core/text/urls.ts";
import { formatInZone, isValidTime, type LocalTime, toInstantText } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

interface NoteSource {
  /** Relative to the root of the notes; `folder` is relative to the root of the tree. */
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  /** Bear's metadata. */
  readonly info: Record<string, unknown>;
  readonly files: ReadonlyMap<string, Entry>;
  readonly byName: ReadonlyMap<string, Entry>;
  readonly answers: Answers;
}

/** Reads a Markdown file as a note, with its embedded files. */
export function* readMarkdownNote({ path, folder, text, info, files, byName, answers }: NoteSource): Generator<Item> {
  const { properties, body, isBroken } = parseFrontMatter(text);
  const zone = answers.time_zone ?? "UTC";
  const bundle = /([^/]+)\.textbundle\/text\.\w+$/i.exec(path)?.[1];
  const name = bundle ?? getFileName(path).replace(/\.\w+$/, "");
  const times = {
    created: findTime(properties, ["created", "created_at", "date_created", "creation_date", "date", "clipped"], zone),
    updated: findTime(properties, ["updated", "updated_at", "modified", "last_modified", "date_modified"], zone),
    named: parseDay(name, zone),
  };
  const links = findMarkdownLinks(body);
  // Bundles, Joplin and Logseq keep files in one folder, including those that are linked but not embedded.
  const isFile = ({ target, isEmbedded }: (typeof links)[number]): boolean =>
    isEmbedded ||
    (bundle !== undefined && target.startsWith("assets/")) ||
    /^(\.\.\/)+(_resources|assets)\//.test(target);
  const root = folder.slice(0, folder.length - getFolder(path).length);
  const shown = links.filter(isFile).flatMap(({ target }) => findFile(folder, root, target, files, byName));
  const media = [...new Map(shown.map((entry) => [entry.path, entry])).values()];
  const isEncrypted = info.encrypted === 1;
  const note = createNoteRecord({
    id: toText(info.uniqueIdentifier) ?? path,
    title: toText(info.title) ?? toText(properties.title) ?? findHeading(body, bundle) ?? name,
    author: parseNames(properties.author).join(", "),
    body: isEncrypted ? "" : body,
    created: toInstantText(info.creationDate) ?? times.created.at,
    updated: toInstantText(info.modificationDate) ?? times.updated.at,
    dateFromName: times.named,
    zone: [times.created, times.updated].some(({ isAssumed }) => isAssumed) || isDatedByName(times) ? zone : null,
    folder: bundle === undefined ? getFolder(path).replace(/\/$/, "") : null,
    tags: [...parseNames(properties.tags ?? properties.tag), ...findMarkdownTags(body)].map((tag) =>
      tag.replace(/^#/, ""),
    ),
    links: links.filter((link) => !isFile(link)).map(({ target }) => target),
    sourceUrl: [properties.source, properties.url].map(toText).find((each) => /^https?:/i.test(each ?? "")) ?? null,
    isPinned: info.pinned === 1,
    isArchived: info.archived === 1,
    isTrashed: info.trashed === 1,
    attachments: media.map((entry) => getFileName(entry.path)),
    extra: buildExtra(properties, isBroken, isEncrypted),
  });
  yield note;
  const names = new Set<string>();
  for (const entry of media) {
    // If two files have the same name, the second is identified by its path.
    const own = names.has(getFileName(entry.path)) ? entry.path.slice(root.length) : getFileName(entry.path);
    names.add(own);
    yield createNoteEntryRecord(note, own, entry, answers);
  }
}

const isDatedByName = ({ created, updated, named }: { created: Time; updated: Time; named: string | null }): boolean =>
  created.at === null && updated.at === null && named !== null;

interface FrontMatter {
  readonly properties: Record<string, unknown>;
  readonly body: string;
  readonly isBroken: boolean;
}

const maxFrontMatterChars = 65_536;

/** YAML front matter between two lines of dashes. If it is not valid YAML it is text: a line of dashes is also a rule. */
function parseFrontMatter(text: string): FrontMatter {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const found = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/.exec(plain.slice(0, maxFrontMatterChars));
  if (found === null) return { properties: {}, body: plain, isBroken: false };
  try {
    const value: unknown = parse(found[1] ?? "", { maxAliasCount: 50, logLevel: "silent" });
    if (!isObject(value) && value !== null) return { properties: {}, body: plain, isBroken: false };
    return { properties: toObject(value), body: plain.slice(found[0].length), isBroken: false };
  } catch {
    return { properties: {}, body: plain, isBroken: true };
  }
}

interface Time {
  readonly at: string | null;
  readonly isAssumed: boolean;
}

function findTime(properties: Record<string, unknown>, names: readonly string[], zone: string): Time {
  for (const [key, value] of Object.entries(properties)) {
    if (!names.includes(key.toLowerCase().replaceAll(/[ -]/g, "_"))) continue;
    const text = value instanceof Date ? value.toISOString() : toText(value);
    if (text === null) continue;
    if (/(Z|[+-]\d{2}:?\d{2})$/.test(text) && parseInstant(text) !== null)
      return { at: toInstantText(text), isAssumed: false };
    const local = parseLocal(text);
    if (local !== null) return { at: formatInZone(local, zone), isAssumed: true };
  }
  return { at: null, isAssumed: false };
}

/** Parses `2023-09-12`, with or without a time. */
function parseLocal(text: string): LocalTime | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?)?$/.exec(text.trim());
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const local = { year, month, day, hour, minute, second };
  return isValidTime(local) ? local : null;
}

/** The date in a daily note's name: `2024-01-31`, or `2024_01_31` in Logseq. */
function parseDay(name: string, zone: string): string | null {
  const local = parseLocal(/^\d{4}([-_])\d{2}\1\d{2}(?=$|\D)/.exec(name)?.[0].replaceAll("_", "-") ?? "");
  return local === null ? null : formatInZone(local, zone);
}

/** In a bundle the first heading is the title; elsewhere the file name is. */
const findHeading = (body: string, bundle: string | undefined): string | null =>
  bundle === undefined ? null : (/^\s*# (.+)$/m.exec(body.slice(0, 2000))?.[1]?.trim() ?? null);

/** Names in properties: one, a list, or links. */
function parseNames(value: unknown): string[] {
  const all = typeof value === "string" ? value.split(",") : toList(value).map((each) => toText(each) ?? "");
  return all
    .map((name) =>
      cleanText(name)
        .trim()
        .replace(/^\[\[|\]\]$/g, "")
        .replace(/^.*\|/, ""),
    )
    .filter((name) => name !== "");
}

/** Looks in the note's folder, then at the root, then by name anywhere. */
function findFile(
  folder: string,
  root: string,
  target: string,
  files: ReadonlyMap<string, Entry>,
  byName: ReadonlyMap<string, Entry>,
): Entry[] {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
  const plain = decodeUri(target);
  const entry =
    files.get(resolvePath(folder, plain)) ??
    files.get(resolvePath(folder, target)) ??
    files.get(resolvePath(root, plain)) ??
    byName.get(getFileName(plain));
  return entry === undefined || /\.(base|canvas)$/i.test(entry.path) ? [] : [entry];
}

/** Resolves `.` and `..`. */
function resolvePath(folder: string, target: string): string {
  const parts: string[] = [];
  for (const part of `${folder}${target}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

function buildExtra(properties: Record<string, unknown>, isBroken: boolean, isEncrypted: boolean): JsonObject {
  const kept = cleanValue(formatDates(properties));
  return {
    ...(isObject(kept) && Object.keys(properties).length > 0 ? { properties: kept } : {}),
    ...(isBroken ? { note: "its properties cannot be read" } : {}),
    ...(isEncrypted ? { note: "it is encrypted" } : {}),
  };
}

/** Turns dates back into text. */
const formatDates = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, each instanceof Date ? each.toISOString() : each]),
  );
