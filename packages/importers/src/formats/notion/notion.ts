import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, getLatestModification, mark, reject } from "../../core/items.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { createNoteEntryRecord, createNoteRecord, defineNoteFormat } from "../../core/records/note.ts";
import { cleanText } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { findMarkdownLinks } from "../../core/text/markdown.ts";
import { getFileName, getFolder, isMedia } from "../../core/text/paths.ts";
import { decodeUri } from "../../core/text/urls.ts";
import { formatInstant } from "../../core/time/times.ts";
import { readWhole } from "../../tree/damage.ts";
import type { Entry } from "../../tree/tree.ts";

/** Notion: one HTML or Markdown file per page, whose name ends with the page's id; databases as CSV. */
export const notion: Importer = {
  ...defineNoteFormat("notion", "Notion"),
  version: "2",
  testedWith: "real files",
  sniff: (path, { text }) => pageName.test(getFileName(path)) && isNotionPage(path, text),
  async createClaims(found, tree) {
    const folders = new Set(found.map(({ path }) => getFolder(path)));
    const read = new Set(found);
    // Attachments, database tables and the index are in folders next to the pages.
    const companions = tree.entries.filter(
      (entry) =>
        !read.has(entry) &&
        (folders.has(getFolder(entry.path)) ||
          entry.path
            .split("/")
            .slice(0, -1)
            .some((folder) => pageFolder.test(folder))),
    );
    const { true: tables = [], false: pages = [] } = Object.groupBy(found, ({ path }) => `${/\.csv$/i.test(path)}`);
    const exportedAt = getLatestModification(found);
    if (pages.length === 0) return [];
    return [createClaim("notion", "Notion", pages, { companions: [...companions, ...tables], exportedAt })];
  },
  read,
};

/** `Reading list 15f0080aa5a380c6b16cfed449a03a8b.md`, or `..._all.csv` for databases. */
const pageName = /^(.*?) ?([0-9a-f]{32})(?:_all)?\.(html|md|csv)$/i;
/** Other apps name files after 32 hexadecimal digits, too: only a title before them and the content make it a page of Notion. */
function isNotionPage(path: string, text: string): boolean {
  if (/\.html$/i.test(path))
    return (
      /^\s*(<!doctype html>\s*)?<html\b/i.test(text) && /<article\b[^>]*\bid="|class="page-body"|notion/i.test(text)
    );
  if (!/ [0-9a-f]{32}(?:_all)?\.\w+$/i.test(path)) return false;
  return /\.csv$/i.test(path) || /^\ufeff?\s*(#|$)/.test(text);
}

const pageFolder = / [0-9a-f]{32}$/i;
const maxPageBytes = 32 * 1024 * 1024;

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const files = new Map(claim.companions.map((entry) => [entry.path, entry]));
  for (const { index, entry } of listRemainingEntries(claim, from)) {
    try {
      yield* readPage(entry, files, answers);
    } catch (error) {
      yield reject(entry.path, 0, "malformed", `cannot read the page: ${describeError(error)}`);
    }
    yield mark(index + 1, 0);
  }
}

async function* readPage(entry: Entry, files: ReadonlyMap<string, Entry>, answers: Answers): AsyncGenerator<Item> {
  const [, name = "", id = "", ending = ""] = pageName.exec(getFileName(entry.path)) ?? [];
  const text = decodeText(await readWhole(entry, maxPageBytes));
  if (text.trim() === "") return yield reject(entry.path, 0, "empty", "the page is empty");
  const found = ending.toLowerCase() === "html" ? await parseHtmlPage(text) : parseMarkdownPage(text);
  const folder = getFolder(entry.path);
  const above = folder.split("/").at(-2) ?? "";
  const media = found.links.flatMap((link) => findFile(folder, link, files));
  const note = createNoteRecord({
    id: id.toLowerCase(),
    title: found.title ?? name,
    body: found.body,
    created: parseTime(found.properties, /^(created( time)?|date created|created at)$/i),
    updated: parseTime(found.properties, /^(last edited( time)?|updated( at)?|last updated)$/i),
    folder: pageFolder.test(above) ? above.replace(pageFolder, "") : null,
    tags: [...found.properties].flatMap(([key, value]) => (/^tags?$/i.test(key) ? value.split(",") : [])),
    links: found.links.filter((link) => /^https?:/i.test(link)),
    attachments: media.map(({ path }) => getFileName(path)),
    extra: found.properties.size === 0 ? {} : { properties: Object.fromEntries(found.properties) },
  });
  yield note;
  for (const file of media) yield createNoteEntryRecord(note, getFileName(file.path), file, answers);
}

/** The file that a link refers to. Either side may be percent-encoded. */
function findFile(folder: string, link: string, files: ReadonlyMap<string, Entry>): Entry[] {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith("#")) return [];
  const forms = [link, decodeUri(link)].map((each) => each.split("#")[0] ?? "");
  for (const form of forms) {
    const entry = files.get(`${folder}${form}`);
    if (entry !== undefined && isMediaOrFile(entry.path)) return [entry];
  }
  return [];
}

const isMediaOrFile = (path: string): boolean => isMedia(path) || !pageName.test(getFileName(path));

interface Page {
  readonly title: string | null;
  readonly body: string;
  readonly links: readonly string[];
  readonly properties: ReadonlyMap<string, string>;
}

async function parseHtmlPage(html: string): Promise<Page> {
  const title = /<title>([^<]*)<\/title>/i.exec(html)?.[1];
  const properties = new Map<string, string>();
  for (const [, key = "", value = ""] of html.matchAll(
    /<tr class="property-row[^"]*">\s*<th>((?:(?!<\/th>)[\s\S]){0,2000})<\/th>\s*<td>((?:(?!<\/td>)[\s\S]){0,20000})<\/td>/g,
  )) {
    properties.set((await extractHtmlText(key, false)).trim(), (await extractHtmlText(value, false)).trim());
  }
  const start = html.search(/<div class="page-body"/);
  const body = await extractHtmlText(start < 0 ? html : html.slice(start), false);
  const links = [...html.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
  return {
    title: title === undefined ? null : (await extractHtmlText(title, false)).trim(),
    body: body.trim(),
    links,
    properties,
  };
}

/** A heading, then properties of database pages, one per line, then the text. */
function parseMarkdownPage(text: string): Page {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const heading = /^# (.*)$/.exec(lines[0] ?? "")?.[1];
  const properties = new Map<string, string>();
  let at = heading === undefined ? 0 : 1;
  if (heading !== undefined) {
    while ((lines[at] ?? "").trim() === "" && at < lines.length) at += 1;
    const first = at;
    for (; /^[^:#\s][^:]{0,60}: /.test(lines[at] ?? ""); at += 1) {
      const line = lines[at] ?? "";
      properties.set(cleanText(line.slice(0, line.indexOf(":"))), cleanText(line.slice(line.indexOf(":") + 2)));
    }
    // Properties end with an empty line; without one it is text.
    if (at < lines.length && (lines[at] ?? "").trim() !== "") {
      properties.clear();
      at = first;
    }
  }
  const body = lines.slice(at).join("\n").trim();
  return {
    title: heading?.trim() ?? null,
    body,
    links: findMarkdownLinks(body).map(({ target }) => target),
    properties,
  };
}

/** Parses `February 5, 2025 3:04 PM`, `5 February 2025 15:04` and `2025/02/05 15:04`, in UTC unless an offset is given. */
function parseTime(properties: ReadonlyMap<string, string>, name: RegExp): string | null {
  for (const [key, value] of properties) {
    if (!name.test(key)) continue;
    const [, text = "", ahead = "0", more = "0"] =
      /^@?(.*?)(?: \((?:GMT|UTC)(?:([+-]\d{1,2})(?::(\d\d))?)?\))?$/.exec(value.replaceAll("\u202f", " ")) ?? [];
    const [, day, clock = "0:00", half = ""] =
      /^(.*?\b\d{4}|\d{4}[/-]\d\d[/-]\d\d)(?: (\d{1,2}:\d{2})(?: ?([AP]M))?)?$/.exec(text) ?? [];
    // Numeric dates with the year last are ambiguous.
    if (day === undefined || /^\d+[/.-]\d+[/.-]\d{4}$/.test(day)) return null;
    const offset = Number(ahead) * 60 + (ahead.startsWith("-") ? -1 : 1) * Number(more);
    return formatInstant(Date.parse(`${day} ${clock} ${half} UTC`) - offset * 60_000);
  }
  return null;
}
