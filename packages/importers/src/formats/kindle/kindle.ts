import { cleanText, withoutNulls } from "../../core/clean.ts";
import { englishTime } from "../../core/english-time.ts";
import { decodedText, placesIn } from "../../core/files.ts";
import { h1 } from "../../core/identity.ts";
import {
  type Answers,
  aside,
  type Claim,
  type Importer,
  type Item,
  type Mark,
  mark,
  newestOf,
} from "../../core/importer.ts";
import { lines } from "../../core/lines.ts";
import { noteItem, noteStreams } from "../../core/note-shape.ts";
import { manifest } from "../../core/shapes.ts";
import { zonedText } from "../../core/times.ts";

/** Kindle: what was marked and noted on the device, one after the other in one file. */
export const kindle: Importer = {
  key: "kindle",
  title: "Kindle clippings",
  version: "1",
  proof: "unproven",
  manifest: manifest("kindle", "Kindle", "1.0.0", noteStreams()),
  about: "notes",
  sniff: (path, { text }) =>
    /\.txt$/i.test(path) &&
    /^\ufeff?[^\n]+\n- [^\n]*\d[^\n]*\n\r?\n[\s\S]*?\n==========\r?\n/.test(text.replaceAll("\r\n", "\n")),
  claims: async (found) => [
    {
      format: "kindle",
      label: "Kindle clippings",
      entries: found,
      beside: [],
      exportedAt: newestOf(found),
      questions: [
        { key: "time_zone", text: "In which time zone was the Kindle? Its times say no zone.", usual: "UTC" },
      ],
    },
  ],
  read,
};

const longest = 1_000_000;

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const { index, entry, start } of placesIn(claim, from)) {
    let block: string[] = [];
    let size = 0;
    let offset = start;
    for await (const line of lines(entry.bytes(start), start)) {
      const text = decodedText(line.bytes).replace(/^\ufeff/, "");
      if (text.trim() !== "==========") {
        if (block.length === 0) offset = line.offset;
        size += text.length;
        if (size < longest) block.push(text);
        continue;
      }
      yield clipping(block, answers) ??
        aside(entry.path, offset, "not_a_clipping", "it does not say what was marked where", block.join("\n"));
      [block, size] = [[], 0];
      yield mark(index, line.offset + line.bytes.length);
    }
    const rest = block.join("\n").trim();
    if (rest !== "" && rest !== "\ufeff")
      yield aside(entry.path, offset, "truncated", "the file ends in the middle of it", rest);
    yield mark(index + 1, 0);
  }
}

const longestTitle = 1000;

/**
 * A title, where and when, an empty line, the text. What is marked again with another end comes again behind it: both begin at the
 * same place, and the last one counts.
 */
function clipping(block: readonly string[], answers: Answers): Item | undefined {
  const all = block[0]?.trim() === "" && block[1]?.startsWith("- ") !== true ? block.slice(1) : block;
  const [book = "", where = "", , ...text] = all;
  if (!where.startsWith("- ") || book.trim() === "") return undefined;
  const named = book.trim().slice(0, longestTitle);
  const [, title = book, author = null] = /^(.*?)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$/.exec(named) ?? [];
  const place =
    /(?:location|loc\.|position|posición|emplacement|posizione)\s*(\d+)/i.exec(where)?.[1] ?? /(\d+)/.exec(where)?.[1];
  const kind = /\b(note|notiz|nota)\b/i.test(where)
    ? "note"
    : /\b(bookmark|lesezeichen|marcador|signet)\b/i.test(where)
      ? "bookmark"
      : "highlight";
  const zone = answers.time_zone ?? "UTC";
  const when = englishTime(where.replace(/^.*\bAdded on /, "").replace(/(\d{4}),? (\d)/, "$1, $2"));
  const created = when === null ? null : zonedText(when.local, zone);
  return noteItem({
    id: h1("kindle", book.trim(), kind, place),
    title: cleanText(title),
    author,
    body: text.join("\n").trim(),
    created,
    updated: created,
    zone: created === null ? null : zone,
    folder: title,
    tags: [kind],
    extra: withoutNulls({ place: where.slice(2).split("|")[0]?.trim() ?? null, location: place ?? null }),
  });
}
