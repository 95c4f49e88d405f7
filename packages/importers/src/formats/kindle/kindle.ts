import { deriveId } from "../../core/identity.ts";
import type { Answers, Importer, Item } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { readFiles } from "../../core/reading.ts";
import { createNoteRecord, defineNoteFormat } from "../../core/records/note.ts";
import { cleanText, dropNulls } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import { formatInZone } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { detectKind, findLocation, parseClippingTime } from "./clipping-line.ts";

/** Kindle highlights and notes, one after the other in one file. */
export const kindle: Importer = {
  ...defineNoteFormat("kindle", "Kindle clippings", "Kindle"),
  version: "3",
  testedWith: "unproven",
  sniff: (path, { text }) =>
    /\.txt$/i.test(path) &&
    /^\ufeff?[^\n]+\n- [^\n]*\d[^\n]*\n\r?\n[\s\S]*?\n==========\r?\n/.test(text.replaceAll("\r\n", "\n")),
  createClaims: async (found) => [
    createClaim("kindle", "Kindle clippings", found, {
      questions: [
        {
          key: "time_zone",
          text: "Which time zone was the Kindle set to? Its times do not say.",
          defaultAnswer: "UTC",
        },
      ],
    }),
  ],
  read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readFile(entry, index, answers)),
};

const maxBlockChars = 1_000_000;

async function* readFile(entry: Entry, index: number, answers: Answers): AsyncGenerator<Item> {
  const marks = new HighlightIds();
  let block: string[] = [];
  let size = 0;
  let offset = 0;
  for await (const line of readLines(entry.bytes())) {
    const text = decodeText(line.bytes).replace(/^\ufeff/, "");
    if (text.trim() !== "==========") {
      if (block.length === 0) offset = line.offset;
      size += text.length;
      if (size < maxBlockChars) block.push(text);
      continue;
    }
    yield createClipping(block, answers, marks) ??
      reject(entry.path, offset, "not_a_clipping", "no place in a book", block.join("\n"));
    [block, size] = [[], 0];
    yield mark(index, line.offset + line.bytes.length);
  }
  const rest = block.join("\n").trim();
  if (rest !== "" && rest !== "\ufeff")
    yield reject(entry.path, offset, "truncated", "the file ends before this item does", rest);
}

/**
 * Extending a highlight writes it again with the same start; the last one wins. If the place is a whole page, two highlights are the same
 * only if one contains the other.
 */
class HighlightIds {
  readonly #texts = new Map<string, string[]>();

  assign(id: string, text: string): string {
    const held = this.#texts.get(id) ?? [];
    this.#texts.set(id, held);
    const same = held.findIndex((each) => each.includes(text) || text.includes(each));
    const n = same < 0 ? held.length : same;
    held[n] = text.slice(0, maxComparedChars);
    return n === 0 ? id : `${id}_${n + 1}`;
  }
}

const maxComparedChars = 2000;
const maxTitleChars = 1000;

/** The kind as the first version knew it, in few languages: ids must not change. */
function getKindInId(where: string): string {
  if (/\b(note|notiz|nota)\b/i.test(where)) return "note";
  return /\b(bookmark|lesezeichen|marcador|signet)\b/i.test(where) ? "bookmark" : "highlight";
}

/** A block: title, place and time, an empty line, the text. */
function createClipping(block: readonly string[], answers: Answers, marks: HighlightIds): Item | undefined {
  const all = block[0]?.trim() === "" && block[1]?.startsWith("- ") !== true ? block.slice(1) : block;
  const [book = "", where = "", , ...text] = all;
  if (!where.startsWith("- ") || book.trim() === "") return undefined;
  const named = book.trim().slice(0, maxTitleChars);
  const [, title = book, author = null] = /^(.*?)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$/.exec(named) ?? [];
  const location = /(?:location|loc\.|position|posición|emplacement|posizione)\s*(\d+)/i.exec(where)?.[1];
  const place = location ?? /(\d+)/.exec(where)?.[1];
  const zone = answers.time_zone ?? "UTC";
  const when = parseClippingTime(where);
  const created = when === null ? null : formatInZone(when, zone);
  const body = text.join("\n").trim();
  const kind = detectKind(where);
  const id = deriveId("kindle", book.trim(), getKindInId(where), place);
  return createNoteRecord({
    id: location === undefined ? marks.assign(id, body) : id,
    title: cleanText(title),
    author,
    body,
    created,
    updated: created,
    zone: created === null ? null : zone,
    folder: title,
    tags: [kind],
    extra: dropNulls({
      place: where.slice(2).split("|")[0]?.trim() ?? null,
      location: findLocation(where) ?? place ?? null,
      time_as_written: created === null ? (where.split("|").at(-1)?.trim() ?? null) : null,
    }),
  });
}
