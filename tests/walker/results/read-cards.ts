import type { Json } from "@pdpp/contract/declaration";
import { type Back, checkBack } from "./back.ts";
import { lineEnds, parseValue } from "./read-content.ts";
import { readDocument } from "./read-structured.ts";
import type { Rebuilt } from "./rebuilt.ts";

/** Parses the cards a command prints, knowing only their format. */

export interface Offer {
  /** As printed, without the arrow. */
  readonly command: string;
  /** Leads back to earlier text. */
  readonly back?: Back;
}

const literal = '"(?:[^"\\\\]|\\\\.)*"';
const name = `(${literal}|[^\\s"]\\S*)`;
const isOffer = (line: string | undefined): boolean => line?.startsWith("-> ") === true;
const parseName = (shown: string): string => (shown.startsWith('"') ? (JSON.parse(shown) as string) : shown);

export function readPrinted(command: string, text: string, into: Rebuilt, asked?: Back): Offer[] {
  const { before, quoted, after } = splitParts(text);
  if (command === "query-records") {
    for (const block of splitBlocks(before)) if (block[0]!.startsWith('"')) readCard(block, into);
  } else if (command === "fetch") readFetched(before, quoted, after, into);
  else if (command === "field-window") readWindow(before, quoted, after, into, asked);
  const outside = [...before, ...after];
  const start = Number(rangeForm.exec(after[0] ?? "")?.[1] ?? 0);
  const back = { start, toBeginning: !after.includes("next") };
  return outside.flatMap((line, i) =>
    isOffer(line)
      ? [{ command: line.slice(3), ...(outside[i - 1] === "previous" ? { back } : {}) }]
      : bytesCommands(line).map((way) => ({ command: way })),
  );
}

interface Parts {
  readonly before: readonly string[];
  readonly quoted: string;
  readonly after: readonly string[];
}

/** Text between the boundaries is a record's. Outside, every character that ends a line anywhere ends one here. */
function splitParts(text: string): Parts {
  const rows = text.replace(/\n$/, "").split("\n");
  const opens = rows.findIndex((row) => /^<<TEXT [0-9a-f]{16}$/.test(row));
  const split = (some: readonly string[]) => some.flatMap((row) => row.split(lineEnds));
  if (opens < 0) return { before: split(rows), quoted: "", after: [] };
  const closes = rows.indexOf(`${rows[opens]!.slice("<<TEXT ".length)} TEXT>>`, opens + 1);
  if (closes < 0) throw new Error("a boundary is opened and never closed");
  const quoted = rows.slice(opens + 1, closes).join("\n");
  return { before: split(rows.slice(0, opens)), quoted, after: split(rows.slice(closes + 1)) };
}

function splitBlocks(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (line === "") blocks.push([]);
    else blocks.at(-1)!.push(line);
  }
  return blocks;
}

interface Source {
  readonly id: string;
  /** The event time, from the line before the id. */
  readonly time: Json;
  readonly rest: readonly string[];
}

/** The id has its own line, before the version. */
function parseSource(lines: readonly string[]): Source {
  const last = lines.findIndex((line) => /^ {2}version \d+, stored \d{4}-\d\d-\d\dT[\d:.]+Z$/.test(line));
  const id = lines[last - 1]?.slice(2);
  const place = lines[last - 2];
  if (id === undefined || place === undefined) throw new Error(`no source in ${JSON.stringify(lines.slice(0, 5))}`);
  const uri = /^pdpp:\/\/record\/(.*)$/.exec(id)?.[1];
  // If the line shows the local time, the value is in brackets.
  const [, inBrackets, plain = ""] = new RegExp(`(?:\\((${literal}|\\S+)\\)|(${literal}|\\S+))$`).exec(place) ?? [];
  const time = inBrackets ?? plain;
  return {
    id: uri === undefined ? id : decodeURIComponent(uri),
    time: time.startsWith('"') ? (JSON.parse(time) as string) : /^-?\d+(?:\.\d+)?$/.test(time) ? Number(time) : time,
    rest: lines.slice(last + 1),
  };
}

function readCard([title, ...lines]: readonly string[], into: Rebuilt): void {
  const head = JSON.parse(title!) as string;
  const { id, time, rest } = parseSource(lines);
  into.record(id);
  if (rest.filter(isOffer).length > 1) throw new Error("a card with several ways on");
  const recordId = id.slice(id.indexOf(":", id.indexOf("/")) + 1);
  const as = { title: head, time, id: recordId, unit: parseUnit(rest) };
  readFields(
    id,
    rest.filter((line) => !readNotes(id, line, as, into)),
    into,
    false,
  );
}

const noteForm = new RegExp(`^(title|time|id|unit): ${name}(?:; |$)`);
const emptyForm = new RegExp(`^${name} (null|""|\\[\\]|\\{\\})(?:, |$)`);

/** Fields shown elsewhere on the card, and empty ones. */
function readNotes(id: string, line: string, as: { readonly [kind: string]: Json }, into: Rebuilt): boolean {
  if (!/^(?:title|time|id|unit|empty): /.test(line)) return false;
  let rest = line;
  for (let each = noteForm.exec(rest); each !== null; each = noteForm.exec(rest)) {
    // A name may end with the separator itself.
    const shownName = each[2]!.replace(/;$/, "");
    into.value(id, parseName(shownName), as[each[1]!]!);
    rest = rest.slice(each[1]!.length + 2 + shownName.length).replace(/^; /, "");
  }
  for (rest = rest.replace(/^empty: /, ""); rest !== ""; ) {
    const each = emptyForm.exec(rest);
    if (each === null) throw new Error(`fields that cannot be read: ${JSON.stringify(rest.slice(0, 200))}`);
    into.value(id, parseName(each[1]!), JSON.parse(each[2]!) as Json);
    rest = rest.slice(each[0].length);
  }
  return true;
}

/** The unit of an amount on the card. */
function parseUnit(lines: readonly string[]): string {
  for (const line of lines) {
    const [, unit] = new RegExp(`^ {2}${name} +-?[\\d.eE+-]+ (${literal}|\\S+)$`).exec(line)?.slice(1) ?? [];
    if (unit !== undefined) return parseName(unit);
  }
  return "";
}

const fieldLine = new RegExp(`^ {2}${name} +(.*)$`);
const previewForm = new RegExp(`^(${literal}) \\((?:\\d+ of \\d+ items, )?(\\d+) of (\\d+) characters\\)$`);
const blobForm = new RegExp(
  `^(bytes|${literal})(?:, (\\d+) bytes?)?(?:, sha256 (${literal}))?: pdpp read blob (?:.* -- )?(\\S+)`,
);
const ownLine = /^(?:and \d+ more fields?|(?:not )?complete|complete except for the bytes)$/;

/** `offered`: in a document every part has a command for its rest; a card has one at the end. */
function readFields(id: string, lines: readonly string[], into: Rebuilt, offered: boolean): void {
  for (const [i, line] of lines.entries()) {
    if (isOffer(line) || ownLine.test(line)) continue;
    const [, shownName, shown] = fieldLine.exec(line) ?? [];
    if (shownName === undefined) throw new Error(`a line that cannot be read: ${JSON.stringify(line.slice(0, 300))}`);
    const next = offered ? lines[i + 1] : lines.find(isOffer);
    readField(id, parseName(shownName), shown!, next, into);
  }
}

const encodedForm = /^[\w-]+(?:, [^"]*)?, (\d+) characters: (pdpp read fetch .*--format json.*)$/;

/** The command that reads a field's bytes, after their description. */
function bytesCommands(line: string): string[] {
  const shown = fieldLine.exec(line)?.[2] ?? "";
  const encoded = encodedForm.exec(shown)?.[2];
  if (encoded !== undefined) return [encoded];
  return blobForm.test(shown) ? [shown.slice(shown.indexOf(": pdpp read blob ") + 2)] : [];
}

function readField(id: string, path: string, shown: string, next: string | undefined, into: Rebuilt): void {
  const [, preview, end, total] = previewForm.exec(shown) ?? [];
  const encoded = encodedForm.exec(shown)?.[1];
  const blob = blobForm.exec(shown);
  if (preview !== undefined && !/^-> pdpp read (?:field-window|fetch) /.test(next ?? ""))
    throw new Error(`a part without the rest: ${path} ${shown.slice(0, 200)}`);
  if (preview !== undefined)
    into.piece(id, path, { start: 0, end: Number(end), total: Number(total) }, JSON.parse(preview) as string);
  else if (encoded !== undefined) into.encoded(id, path, Number(encoded));
  else if (blob !== null) {
    const [, mime, size, digest, blobId] = blob;
    const sha256 = digest === undefined ? /[0-9a-f]{64}$/.exec(blobId!)?.[0] : (JSON.parse(digest) as string);
    into.blob(id, path, {
      blob_id: blobId!,
      ...(mime === "bytes" ? {} : { mime_type: JSON.parse(mime!) as string }),
      ...(size === undefined ? {} : { size_bytes: Number(size) }),
      ...(sha256 === undefined ? {} : { sha256 }),
    });
  } else into.value(id, path, parseValue(shown));
}

const partLine = new RegExp(`^${name}: characters (\\d+) to (\\d+) of (\\d+)$`);

/** A document: the text of one named field, or one line per field. */
function readFetched(before: readonly string[], text: string, after: readonly string[], into: Rebuilt): void {
  JSON.parse(before[0]!);
  const { id, rest } = parseSource(before.slice(1));
  const textField = /^text of (.*)$/.exec(rest[0] ?? "")?.[1];
  const cut = after.flatMap((line, i) => {
    const [, path, start, end, total] = partLine.exec(line) ?? [];
    if (path === undefined) return [];
    if (!isOffer(after[i + 1])) throw new Error(`a part without the rest: ${line.slice(0, 200)}`);
    const window = { start_chars: Number(start), end_chars: Number(end), total_chars: Number(total) };
    return [{ field_path: parseName(path), window, read: { tool: "field-window", arguments: {} } }];
  });
  const metadata = { ...(textField === undefined ? {} : { text_field: parseName(textField) }), continues: cut };
  readDocument({ id, text, metadata }, into);
  const end = after.findIndex((line) => /^(?:not )?complete$/.test(line));
  if (end < 0) throw new Error("a document that does not say whether it is complete");
  readFields(
    id,
    after.slice(0, end).filter((line) => !partLine.test(line)),
    into,
    true,
  );
  for (const [i, line] of after.entries()) {
    if (i <= end || isOffer(line) || /^page: https?:\/\/\S+$/.test(line)) continue;
    const [, count = "1", shownName] = linkForm.exec(line) ?? [];
    if (shownName === undefined || !isOffer(after[i + 1])) throw new Error(`a line that cannot be read: ${line}`);
    into.link(id, parseName(shownName), Number(count));
  }
}

/** The count of a relationship, or the name of a single record. */
const linkForm = new RegExp(`^(?:(\\d+)\\+? )?${name}$`);

const rangeForm =
  /^characters (\d+) to (\d+) of (\d+)(?: of \w+ as JSON)?(?:, all of it|, [\d,]+ before, [\d,]+ after)(?:, match at \d+ to \d+)?$/;

function readWindow(
  [path, ...lines]: readonly string[],
  text: string,
  after: readonly string[],
  into: Rebuilt,
  back: Back | undefined,
): void {
  const { id } = parseSource(lines);
  const [, ...numbers] = rangeForm.exec(after[0] ?? "") ?? [];
  if (numbers.length === 0) throw new Error(`a window without its range: ${JSON.stringify(after[0])}`);
  const [start, end, total] = numbers.map(Number) as [number, number, number];
  if (start === end && start < total) throw new Error(`a window at ${start} of ${total} shows nothing`);
  if (end < total && !after.includes("next")) throw new Error("a part without the rest");
  into.piece(id, parseName(path!), { start, end, total }, text);
  checkBack(back, end, []);
}
