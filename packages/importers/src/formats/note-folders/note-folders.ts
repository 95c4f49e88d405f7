import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readJsonObject } from "../../core/parsing/json.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { defineNoteFormat } from "../../core/records/note.ts";
import { cleanText, toObject, toText } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName, getFolder, isMedia } from "../../core/text/paths.ts";
import { findUnsupportedAdvice } from "../../core/unsupported-exports.ts";
import { readWhole } from "../../tree/damage.ts";
import type { Entry, Tree } from "../../tree/tree.ts";
import { readJournal } from "./journal.ts";
import { readMarkdownNote } from "./markdown-note.ts";

/** Folders of Markdown (Obsidian and others), TextBundle, Bear backups, and Day One journals. */
export const noteFolders: Importer = {
  ...defineNoteFormat("note-folders", "Notes in folders (Obsidian, Bear, TextBundle, Day One)", "Notes"),
  version: "2",
  testedWith: "real files",
  completeStreams: ["notes", "attachments"],
  placeFields: ["id", "title", "folder"],
  sniff: (path, head) =>
    isMarkdown(path)
      ? !path.includes("__MACOSX/") && !head.text.includes("\0") && findUnsupportedAdvice(path, head) === undefined
      : isJournal(path, head.text),
  createClaims,
  read,
};

const isJournal = (path: string, text: string): boolean =>
  /\.json$/i.test(path) && /^\s*\{/.test(text) && /"entries"\s*:\s*\[/.test(text) && /"creationDate"\s*:/.test(text);
const isMarkdown = (path: string): boolean => /\.(md|markdown)$/i.test(path);

async function createClaims(found: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const vaults = findRoots(tree, /^(.*?)\.obsidian\//);
  const claimed: Claim[] = [];
  const taken = new Set<Entry>();
  for (const root of vaults) {
    const inside = found.filter((entry) => entry.path.startsWith(root) && !taken.has(entry));
    claimed.push(claimNotes(root, inside, tree));
    for (const entry of inside) taken.add(entry);
  }
  const others = found.filter((entry) => !taken.has(entry));
  const journals = others.filter(({ path }) => !isMarkdown(path));
  for (const [root, entries] of Map.groupBy(journals, ({ path }) => getFolder(path)))
    claimed.push(claimNotes(root, entries, tree));
  const bundles = others.filter(({ path }) => isBundle(path));
  for (const [root, entries] of Map.groupBy(bundles, ({ path }) => getBundleRoot(path)))
    claimed.push(claimNotes(root, entries, tree));
  const full = findNoteFolders(others, tree);
  const plain = others.filter(({ path }) => isMarkdown(path) && !isBundle(path) && full.has(getFolder(path)));
  claimed.push(claimNotes(findCommonFolder(plain), plain, tree));
  return claimed.filter(({ entries }) => entries.length > 0);
}

const isBundle = (path: string): boolean => /\.textbundle\/text\.(md|markdown)$/i.test(path);

function findRoots(tree: Tree, sign: RegExp): string[] {
  const roots = new Set(tree.entries.flatMap(({ path }) => sign.exec(path)?.[1] ?? []));
  // Innermost first: a nested vault is separate.
  return [...roots].sort((a, b) => b.length - a.length);
}

/** Folders that are mostly Markdown, rather than README files next to other files. */
function findNoteFolders(found: readonly Entry[], tree: Tree): Set<string> {
  const count = (entries: readonly Entry[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { path } of entries) counts.set(getFolder(path), (counts.get(getFolder(path)) ?? 0) + 1);
    return counts;
  };
  const all = count(tree.entries.filter(({ path }) => !isMedia(path)));
  return new Set([...count(found)].flatMap(([folder, notes]) => (notes * 2 > (all.get(folder) ?? 0) ? [folder] : [])));
}

/** The archive or backup that contains a bundle, or else the bundle's parent folder. */
function getBundleRoot(path: string): string {
  return /^(.*\.(?:bear2bk|zip)\/)/i.exec(path)?.[1] ?? getFolder(getFolder(path).slice(0, -1));
}

/** The common folder; paths relative to it are ids. */
function findCommonFolder(entries: readonly Entry[]): string {
  let common = getFolder(entries[0]?.path ?? "");
  for (const { path } of entries) while (!path.startsWith(common)) common = getFolder(common.slice(0, -1));
  return common;
}

function claimNotes(root: string, entries: readonly Entry[], tree: Tree): Claim {
  const read = new Set(entries);
  const folders = new Set(entries.map(({ path }) => getFolder(path)));
  const isVault = tree.entries.some(({ path }) => path.startsWith(`${root}.obsidian/`));
  const companions = tree.entries.filter(
    (entry) =>
      !read.has(entry) &&
      ((entry.path.startsWith(root) && (isVault || isNear(entry.path, folders))) || isResource(entry.path, folders)),
  );
  const name = root.split("/").at(-2) ?? "";
  return createClaim("note-folders", name === "" ? "Notes" : `Notes in ${cleanText(name)}`, entries, {
    companions,
    questions: [
      {
        key: "time_zone",
        text: "Which time zone were the notes written in? Their dates do not say.",
        defaultAnswer: "UTC",
      },
    ],
    known: { root },
  });
}

/** Whether it is in Joplin's or Logseq's shared attachments folder, next to the notes' folders. */
function isResource(path: string, folders: ReadonlySet<string>): boolean {
  const above = /^(.*?)(?:_resources|assets)\/[^/]+$/.exec(path)?.[1];
  return above !== undefined && [...folders].some((folder) => folder !== above && folder.startsWith(above));
}

/** Whether it is in or below a folder of notes, or is metadata of a backup. */
const isNear = (path: string, folders: ReadonlySet<string>): boolean =>
  /\/(tags|info)\.json$|^__MACOSX\/|\/__MACOSX\//.test(`/${path}`) ||
  (folders.has(getFolder(path)) && (isMedia(path) || getFileName(path) === "info.json")) ||
  folders.has(getFolder(getFolder(path).slice(0, -1)));

const maxNoteBytes = 4 * 1024 * 1024;

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const root = claim.known?.root ?? "";
  const files = new Map(claim.companions.map((entry) => [entry.path, entry]));
  const byName = new Map(claim.companions.map((entry) => [getFileName(entry.path), entry]));
  const templates = await readTemplateFolder(files.get(`${root}.obsidian/templates.json`));
  for (const { index, entry } of listRemainingEntries(claim, from)) {
    const path = entry.path.slice(root.length);
    if (!isMarkdown(entry.path)) yield* readJournal({ entry, files, answers });
    else if (templates !== null && path.startsWith(`${templates}/`)) {
      yield { kind: "skipped", path: entry.path, reason: "note template" };
    } else {
      try {
        const text = decodeText(await readWhole(entry, maxNoteBytes));
        const info = isBundle(entry.path) ? await readBundleInfo(files.get(`${getFolder(entry.path)}info.json`)) : {};
        yield* readMarkdownNote({ path, folder: getFolder(entry.path), text, info, files, byName, answers });
      } catch (error) {
        yield reject(entry.path, 0, "malformed", `cannot read the note: ${describeError(error)}`);
      }
    }
    yield mark(index + 1, 0);
  }
}

async function readTemplateFolder(entry: Entry | undefined): Promise<string | null> {
  const settings = await readJsonObject(entry);
  const folder = toText(settings.folder)?.replace(/^\/+|\/+$/g, "") ?? "";
  return folder === "" ? null : folder;
}

/** Bear's part of a bundle's metadata. */
async function readBundleInfo(entry: Entry | undefined): Promise<Record<string, unknown>> {
  const info = await readJsonObject(entry);
  const own = Object.entries(info).find(([key]) => key === "net.shinyfrog.bear")?.[1];
  return toObject(own);
}
