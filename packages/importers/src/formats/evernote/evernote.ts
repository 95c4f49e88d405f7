import { createHash } from "node:crypto";
import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createClaim, mark, reject, yieldBytes } from "../../core/items.ts";
import { readXmlElements } from "../../core/parsing/xml-elements.ts";
import { findChild, findChildren, getChildText, parseXml, type XmlNode } from "../../core/parsing/xml-tree.ts";
import { listRemainingEntries, rejectElement } from "../../core/reading.ts";
import { createNoteFileRecord, createNoteRecord, defineNoteFormat } from "../../core/records/note.ts";
import { cleanText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName } from "../../core/text/paths.ts";
import { formatInstant } from "../../core/time/times.ts";
import { insertTasks } from "./tasks.ts";

/** Evernote: one XML file per notebook, with the attachments inside. */
export const evernote: Importer = {
  ...defineNoteFormat("evernote", "Evernote"),
  version: "2",
  testedWith: "real files",
  sniff: (_path, { text }) => /^\s*(<\?xml[^>]*>\s*)?(<!DOCTYPE en-export\b|<en-export\b)/i.test(text),
  async createClaims(found) {
    return [createClaim("evernote", "Evernote", found)];
  },
  read,
};

const childNames = ["note", "task"];
/** Maximum size of a note with its files. */
const maxNoteBytes = 400 * 1024 * 1024;

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    const folder = getFileName(entry.path).replace(/\.enex$/i, "");
    for await (const element of readXmlElements(entry, { from: start, maxBytes: maxNoteBytes, childNames })) {
      const { offset, raw } = element;
      if (element.failure !== undefined) yield rejectElement(entry, element);
      else if (element.name !== "note")
        yield { kind: "skipped", path: entry.path, reason: `${element.name} outside a note` };
      else {
        try {
          yield* readNote(parseXml(raw), folder, answers);
        } catch (error) {
          yield reject(entry.path, offset, "malformed", `cannot read the note: ${describeError(error)}`, raw);
        }
      }
      yield mark(index, element.end);
    }
    yield mark(index + 1, 0);
  }
}

/** Parses `20181006T114658Z`. */
function parseTime(text: string | null): string | null {
  const found = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z?$/.exec(text ?? "");
  if (found === null) return null;
  const [, year, month, day, hour, minute, second] = found;
  return formatInstant(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
}

async function* readNote(node: XmlNode, folder: string, answers: Answers): AsyncGenerator<Item> {
  const title = getChildText(node, "title");
  const written = getChildText(node, "created");
  const created = parseTime(written);
  const updated = parseTime(getChildText(node, "updated"));
  const content = findChild(node, "content")?.text ?? "";
  const attributes = findChild(node, "note-attributes");
  const files = findChildren(node, "resource").map(parseFile);
  const plain = await renderBody(content, files);
  const full = insertTasks(content, node);
  const rendered = full === content ? plain : await renderBody(full, files);
  // Notes have no ids. Those without a title or a time are identified by their beginning.
  const isPlain = written !== null && title !== null && !/^untitled( note)?$/i.test(title);
  const id = isPlain
    ? deriveId("evernote", written, title)
    : deriveId("evernote", written, title, plain.body.slice(0, 200));
  yield createNoteRecord({
    id,
    title,
    author: getChildText(attributes, "author"),
    body: rendered.body,
    created,
    updated,
    folder,
    tags: findChildren(node, "tag").map(({ text }) => text),
    links: rendered.links,
    sourceUrl: getChildText(attributes, "source-url"),
    attachments: files.map(({ name }) => name),
    extra: readExtra(attributes),
  });
  const numbers = new Occurrences();
  for (const { name, mimeType, bytes, digest, isEncoded } of files) {
    yield createNoteFileRecord(
      {
        id: numbers.number(`${id}/${digest}`),
        noteId: id,
        name,
        mimeType,
        size: bytes.length,
        time: created,
        note: isEncoded ? null : "its encoding is not supported",
        bytes: () => yieldBytes(bytes),
      },
      answers,
    );
  }
}

interface NoteFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
  readonly digest: string;
  readonly isEncoded: boolean;
}

function parseFile(node: XmlNode, n: number): NoteFile {
  const data = findChild(node, "data");
  const mimeType = cleanText(getChildText(node, "mime") ?? "application/octet-stream");
  const isEncoded = (data?.attributes.encoding ?? "base64") === "base64";
  const bytes = Buffer.from(isEncoded ? (data?.text ?? "") : "", "base64");
  return {
    name: cleanText(getChildText(findChild(node, "resource-attributes"), "file-name") ?? `file-${n + 1}`),
    mimeType,
    bytes,
    // Notes refer to their files by this digest.
    digest: createHash("md5").update(bytes).digest("hex"),
    isEncoded,
  };
}

/** Note text with check boxes as in Markdown, and files by name. */
async function renderBody(content: string, files: readonly NoteFile[]): Promise<{ body: string; links: string[] }> {
  const byDigest = new Map(files.map(({ digest, name }) => [digest, name]));
  // Bounded and without `<`, so the pattern cannot backtrack.
  const links = [...content.matchAll(/<a\b[^<>]{0,2000}?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(
    ([, double, single]) => (double ?? single ?? "").replaceAll("&amp;", "&"),
  );
  const marked = maskEncrypted(content)
    .replace(/<en-media\b[^<>]{0,2000}>/gi, (tag) => {
      const name = byDigest.get(/\bhash\s*=\s*["']([0-9a-f]{32})["']/i.exec(tag)?.[1]?.toLowerCase() ?? "");
      return name === undefined ? "" : `[${name.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}]`;
    })
    .replace(/<\/en-media>/gi, "")
    .replace(
      /<li\b[^<>]{0,2000}--en-checked:\s*(true|false)[^<>]{0,2000}>/gi,
      (_, done) => `<li>[${done === "true" ? "x" : " "}] `,
    )
    .replace(/<en-todo\b[^<>]{0,2000}\bchecked\s*=\s*["']true["'][^<>]{0,2000}>/gi, "[x] ")
    .replace(/<en-todo\b[^<>]{0,2000}>/gi, "[ ] ");
  return {
    body: (await extractHtmlText(marked, true)).trim(),
    links: links.filter((link) => /^(https?|evernote|mailto):/i.test(link)),
  };
}

const [cryptOpens, cryptEnds] = ["<en-crypt", "</en-crypt>"];

function maskEncrypted(content: string): string {
  let plain = "";
  let at = 0;
  for (let open = content.indexOf(cryptOpens); open >= 0; open = content.indexOf(cryptOpens, at)) {
    const end = content.indexOf(cryptEnds, open);
    if (end < 0) break;
    plain += `${content.slice(at, open)}[encrypted]`;
    at = end + cryptEnds.length;
  }
  return plain + content.slice(at);
}

function readExtra(attributes: XmlNode | undefined): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of [
    "source",
    "source-application",
    "latitude",
    "longitude",
    "place-name",
    "reminder-time",
    "reminder-done-time",
  ]) {
    const value = getChildText(attributes, name);
    if (value !== null) kept[name.replaceAll("-", "_")] = cleanText(value);
  }
  return kept;
}
