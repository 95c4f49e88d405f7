import { deriveId } from "../../core/identity.ts";
import type { Importer, Item } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { NestingError, parseHtml } from "../../core/parsing/html-steps.ts";
import { readFiles } from "../../core/reading.ts";
import { createNoteRecord, defineNoteFormat } from "../../core/records/note.ts";
import { cleanText } from "../../core/text/clean.ts";
import { redactSecrets } from "../../core/text/urls.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Bookmarks in the Netscape format that every browser exports. */
export const bookmarks: Importer = {
  ...defineNoteFormat("bookmarks", "Bookmarks"),
  version: "1",
  testedWith: "unproven",
  sniff: (_path, { text }) => /^\s*<!DOCTYPE NETSCAPE-Bookmark-file-1>/i.test(text),
  createClaims: async (found) => [createClaim("bookmarks", "Bookmarks", found)],
  read: (claim, _answers, from) => readFiles(claim, from, readFile),
};

interface Draft {
  readonly at: number;
  readonly url: string;
  readonly attributes: Readonly<Record<string, string>>;
  title: string;
  text: string;
}

const maxTextChars = 100_000;

async function* readFile(entry: Entry, index: number): AsyncGenerator<Item> {
  const folders: string[] = [];
  let heading: string | null = null;
  let draft: Draft | undefined;
  let inside: "heading" | "link" | "text" | undefined;
  const finishDraft = (): Item[] => {
    const items = draft === undefined ? [] : [createBookmark(draft, folders, entry.path), mark(index, draft.at)];
    draft = undefined;
    return items;
  };
  try {
    for await (const step of parseHtml(entry.bytes())) {
      if (step.kind === "text") {
        if (inside === "heading" && heading !== null) heading += step.text;
        else if (inside === "link" && draft !== undefined) draft.title += step.text;
        else if (inside === "text" && draft !== undefined && draft.text.length < maxTextChars) draft.text += step.text;
      } else if (step.kind === "open") {
        if (["dt", "dl", "h3", "a"].includes(step.name)) yield* finishDraft();
        inside = step.name === "h3" ? "heading" : step.name === "a" ? "link" : step.name === "dd" ? "text" : undefined;
        if (step.name === "h3") heading = "";
        if (step.name === "dl") {
          folders.push((heading ?? "").trim());
          heading = null;
        }
        if (step.name === "a")
          draft = { at: step.at, url: step.attributes.href ?? "", attributes: step.attributes, title: "", text: "" };
      } else {
        if (step.name === "a" || step.name === "h3" || step.name === "dd") inside = undefined;
        if (step.name === "dl") {
          yield* finishDraft();
          folders.pop();
        }
      }
    }
  } catch (error) {
    if (!(error instanceof NestingError)) throw error;
    yield reject(entry.path, 0, "nested_too_deep", error.message);
  }
  yield* finishDraft();
}

/** Seconds, but some programs write milliseconds or microseconds. */
function parseTime(written: string | undefined): string | null {
  const number = Number(written ?? "");
  if (!/^\d{1,17}$/.test(written ?? "") || number === 0) return null;
  return formatInstant(number > 1e14 ? number / 1000 : number > 1e11 ? number : number * 1000);
}

function createBookmark({ at, url, attributes, title, text }: Draft, folders: readonly string[], path: string): Item {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url.trim()))
    return reject(path, at, "no_address", "the bookmark has no address", `${title} ${url}`);
  const folder = folders.filter((name) => name !== "").join("/");
  const added = attributes.add_date;
  const shown = redactSecrets(url.trim());
  return createNoteRecord({
    id: deriveId("bookmark", url, added),
    title: title.trim() === "" ? shown : title,
    body: cleanText(text).trim(),
    created: parseTime(added),
    updated: parseTime(attributes.last_modified),
    folder,
    tags: (attributes.tags ?? "").split(","),
    links: [shown],
    sourceUrl: shown,
  });
}
