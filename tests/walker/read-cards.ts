import type { Json } from "@pdpp/contract/declaration";
import { type Back, checkBack } from "./back.ts";
import { lineEnds } from "./read-content.ts";
import { readDocument } from "./read-structured.ts";
import type { Rebuilt } from "./rebuilt.ts";

/** What a command prints as cards, read by somebody who knows only the form. */

export interface Offer {
  /** As it is printed, without the arrow. */
  readonly command: string;
  /** It leads back to what came before. */
  readonly back?: Back;
}

const literal = '"(?:[^"\\\\]|\\\\.)*"';
const name = `(${literal}|[^\\s"]\\S*)`;
const isOffer = (line: string | undefined): boolean => line?.startsWith("-> ") === true;
const nameOf = (shown: string): string => (shown.startsWith('"') ? (JSON.parse(shown) as string) : shown);

export function readPrinted(command: string, text: string, into: Rebuilt, asked?: Back): Offer[] {
  const { before, quoted, after } = partsOf(text);
  if (command === "query-records") {
    for (const block of blocksOf(before)) if (block[0]!.startsWith('"')) readCard(block, into);
  } else if (command === "fetch") readFetched(before, quoted, after, into);
  else if (command === "field-window") readWindow(before, quoted, after, into, asked);
  const outside = [...before, ...after];
  const start = Number(rangeForm.exec(after[0] ?? "")?.[1] ?? 0);
  const back = { start, toBeginning: !after.includes("next") };
  return outside.flatMap((line, i) =>
    isOffer(line) ? [{ command: line.slice(3), ...(outside[i - 1] === "previous" ? { back } : {}) }] : [],
  );
}

interface Parts {
  readonly before: readonly string[];
  readonly quoted: string;
  readonly after: readonly string[];
}

/** What stands between the boundaries is a record's. Outside, every sign that ends a line somewhere ends one. */
function partsOf(text: string): Parts {
  const rows = text.replace(/\n$/, "").split("\n");
  const opens = rows.findIndex((row) => /^<<TEXT [0-9a-f]{16}$/.test(row));
  const split = (some: readonly string[]) => some.flatMap((row) => row.split(lineEnds));
  if (opens < 0) return { before: split(rows), quoted: "", after: [] };
  const closes = rows.indexOf(`${rows[opens]!.slice("<<TEXT ".length)} TEXT>>`, opens + 1);
  if (closes < 0) throw new Error("a boundary is opened and never closed");
  const quoted = rows.slice(opens + 1, closes).join("\n");
  return { before: split(rows.slice(0, opens)), quoted, after: split(rows.slice(closes + 1)) };
}

function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (line === "") blocks.push([]);
    else blocks.at(-1)!.push(line);
  }
  return blocks;
}

/** The id, from the lines that tell the source, and what follows them. */
function sourceOf(lines: readonly string[]): { id: string; rest: readonly string[] } {
  const last = lines.findIndex((line) => /^ {2}(?:.*, )?received \d{4}-\d\d-\d\dT[\d:.]+Z$/.test(line));
  if (last < 0) throw new Error(`no source in ${JSON.stringify(lines.slice(0, 5))}`);
  const head = lines.slice(0, last + 1).map((line) => line.slice(2));
  const tail = head.splice(/^received /.test(head.at(-1)!) ? -2 : -1).join(" ");
  const what = /^version \d+, /.test(tail) ? `${head.pop()} ${tail}` : tail;
  const id = /^(.*), version \d+, received \S+$/s.exec(what)?.[1];
  if (id === undefined || head.length === 0) throw new Error(`no id in ${JSON.stringify(what)}`);
  const uri = /^pdpp:\/\/record\/(.*)$/.exec(id)?.[1];
  return { id: uri === undefined ? id : decodeURIComponent(uri), rest: lines.slice(last + 1) };
}

function readCard([title, ...lines]: readonly string[], into: Rebuilt): void {
  JSON.parse(title!);
  const { id, rest } = sourceOf(lines);
  into.record(id);
  readFields(id, rest, into);
}

const fieldLine = new RegExp(`^ {2}${name} +(.*)$`);
const previewForm = new RegExp(`^(${literal}) \\((\\d+) of (\\d+) characters\\)$`);
const blobForm = new RegExp(`^(bytes|${literal})(?:, (\\d+) bytes?)?(?:, sha256 (${literal}))?$`);
const ownLine = /^(?:and \d+ more fields?|not all of it is shown here; the commands read the rest)$/;

function readFields(id: string, lines: readonly string[], into: Rebuilt): void {
  for (const [i, line] of lines.entries()) {
    if (isOffer(line) || ownLine.test(line)) continue;
    const [, shownName, shown] = fieldLine.exec(line) ?? [];
    if (shownName === undefined) throw new Error(`a line that cannot be read: ${JSON.stringify(line.slice(0, 300))}`);
    readField(id, nameOf(shownName), shown!, lines[i + 1], into);
  }
}

function readField(id: string, path: string, shown: string, next: string | undefined, into: Rebuilt): void {
  const [, preview, end, total] = previewForm.exec(shown) ?? [];
  const encoded = /^[\w-]+(?:, [^"]*)?, (\d+) characters$/.exec(shown)?.[1];
  const blobId = /^-> pdpp read blob (?:.* -- )?(\S+)/.exec(next ?? "")?.[1];
  const blob = blobId === undefined ? null : blobForm.exec(shown);
  if ((preview ?? encoded) !== undefined && !/^-> pdpp read field-window /.test(next ?? ""))
    throw new Error(`a part without the rest: ${path} ${shown.slice(0, 200)}`);
  if (preview !== undefined)
    into.piece(id, path, { start: 0, end: Number(end), total: Number(total) }, JSON.parse(preview) as string);
  else if (encoded !== undefined) into.encoded(id, path, Number(encoded));
  else if (blob !== null) {
    const [, mime, size, digest] = blob;
    const sha256 = digest === undefined ? /[0-9a-f]{64}$/.exec(blobId!)?.[0] : (JSON.parse(digest) as string);
    into.blob(id, path, {
      blob_id: blobId!,
      ...(mime === "bytes" ? {} : { mime_type: JSON.parse(mime!) as string }),
      ...(size === undefined ? {} : { size_bytes: Number(size) }),
      ...(sha256 === undefined ? {} : { sha256 }),
    });
  } else into.value(id, path, JSON.parse(shown) as Json);
}

const partLine = new RegExp(`^${name}: characters (\\d+) to (\\d+) of (\\d+)$`);

/** A document: its text is one field's if that is told, else a line for each. */
function readFetched(before: readonly string[], text: string, after: readonly string[], into: Rebuilt): void {
  JSON.parse(before[0]!);
  const { id, rest } = sourceOf(before.slice(1));
  const textField = /^text of (.*)$/.exec(rest[0] ?? "")?.[1];
  const cut = after.flatMap((line, i) => {
    const [, path, start, end, total] = partLine.exec(line) ?? [];
    if (path === undefined) return [];
    if (!isOffer(after[i + 1])) throw new Error(`a part without the rest: ${line.slice(0, 200)}`);
    const window = { start_chars: Number(start), end_chars: Number(end), total_chars: Number(total) };
    return [{ field_path: nameOf(path), window, read: { tool: "field-window", arguments: {} } }];
  });
  const metadata = { ...(textField === undefined ? {} : { text_field: nameOf(textField) }), continues: cut };
  readDocument({ id, text, metadata }, into);
  readFields(
    id,
    after.filter((line) => !partLine.test(line)),
    into,
  );
}

const rangeForm =
  /^characters (\d+) to (\d+) of (\d+)(?: of \w+ as JSON)?(?:, all of it|, [\d,]+ before, [\d,]+ after)(?:, match at \d+ to \d+)?$/;

function readWindow(
  [path, ...lines]: readonly string[],
  text: string,
  after: readonly string[],
  into: Rebuilt,
  back: Back | undefined,
): void {
  const { id } = sourceOf(lines);
  const [, ...numbers] = rangeForm.exec(after[0] ?? "") ?? [];
  if (numbers.length === 0) throw new Error(`a window without its range: ${JSON.stringify(after[0])}`);
  const [start, end, total] = numbers.map(Number) as [number, number, number];
  if (start === end && start < total) throw new Error(`a window at ${start} of ${total} shows nothing`);
  if (end < total && after[1] !== "next") throw new Error("a part without the rest");
  into.piece(id, nameOf(path!), { start, end, total }, text);
  checkBack(back, end, []);
}
