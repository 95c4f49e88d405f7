import type { Json } from "@pdpp/contract/declaration";
import type { Call } from "../hosts/mcp-host.ts";
import { checkBack } from "./back.ts";
import { buildCallBefore, listCalls, readDocument, splitNamed, toBytesCall } from "./read-structured.ts";
import type { Rebuilt } from "./rebuilt.ts";

/** Parses a result as a host that shows only the text. Every character that ends a line anywhere ends one here. */

export const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

interface Parts {
  readonly lines: readonly string[];
  /** Text between the boundaries. */
  readonly quoted?: string;
}

/** Removes the text between the first opening line and its closing line. */
function splitParts(text: string): Parts {
  const rows = text.split("\n");
  const opens = rows.findIndex((row) => /^<<TEXT [0-9a-f]{12}$/.test(row));
  if (opens < 0) return { lines: text.split(lineEnds) };
  const closing = `${rows[opens]!.slice("<<TEXT ".length)} TEXT>>`;
  const closes = rows.indexOf(closing, opens + 1);
  if (closes < 0) throw new Error("a boundary is opened and never closed");
  const outside = [...rows.slice(0, opens), ...rows.slice(closes + 1)];
  return { lines: outside.join("\n").split(lineEnds), quoted: rows.slice(opens + 1, closes).join("\n") };
}

/** `-> TOOL {json}` on a line of text. */
function callOn(line: string): Call | undefined {
  const [, tool, args] = /^-> (\w+) (\{.*\})$/.exec(line) ?? [];
  return tool === undefined ? undefined : { tool, arguments: JSON.parse(args!) as Record<string, unknown> };
}

export function readContent(asked: Call, text: string, isError: boolean, into: Rebuilt): Call[] {
  const { tool } = asked;
  if (tool === "fetch" && !isError) return readFetched(JSON.parse(text) as Record<string, unknown>, into);
  const { lines, quoted } = splitParts(text);
  const start = quoted === undefined ? 0 : readWindow(asked, lines, quoted, into);
  if (quoted !== undefined) checkBounds(lines);
  else if (tool === "query_records" && !isError) readCards(lines, into);
  const back = { start, toBeginning: !lines.includes("next:") };
  return lines.flatMap((line, i) => {
    const [, end, version] = backLine.exec(line) ?? [];
    if (version !== undefined) return [buildCallBefore(asked, Number(end), version, back)];
    const [, address] = bytesForm.exec(line) ?? [];
    if (address !== undefined) return [toBytesCall(address)];
    if (!line.startsWith("-> ")) return [];
    const call = callOn(line);
    if (call === undefined)
      throw new Error(`a continuation that cannot be read: ${JSON.stringify(line.slice(0, 300))}`);
    const offer = quoted === undefined ? call : { ...call, toText: true };
    return [lines[i - 1] === "previous:" ? { ...offer, back } : offer];
  });
}

/** A document is the same in text and object; here it is parsed from the text. */
function readFetched(document: Record<string, unknown>, into: Rebuilt): Call[] {
  readDocument(document, into);
  const { fields: _, ...said } = document.metadata as Record<string, unknown>;
  return listCalls(said);
}

/** Ids so long that they would fill a window are given once. */
const backLine =
  /^previous: the same call with end_chars (\d+) and version "(\d+)", without cursor, offset_chars and q$/;

const windowHead =
  /^("(?:[^"\\]|\\.)*") of ("(?:[^"\\]|\\.)*"|that record): characters (\d+) to (\d+) of (\d+); (?:complete|not complete, ([\d,]+) chars before, ([\d,]+) after)$/;
const hiddenLine = /^characters (\d+) to (\d+) are base64, omitted$/;

/** Checks the stated offsets of the text and of what is omitted around it. */
function checkBounds([head = ""]: readonly string[]): void {
  const [, , , start, end, total, before = "0", after = "0"] = windowHead.exec(head) ?? [];
  const said = [before, after].map((each) => Number(each.replaceAll(",", "")));
  if (said[0] !== Number(start) || said[1] !== Number(total) - Number(end))
    throw new Error(`a window that miscounts what is around it: ${JSON.stringify(head)}`);
}

function readWindow(asked: Call, lines: readonly string[], quoted: string, into: Rebuilt): number {
  const [, path, id, ...numbers] = windowHead.exec(lines[0]!) ?? [];
  if (path === undefined) throw new Error(`a window without a headline: ${JSON.stringify(lines[0])}`);
  const [start, end, total] = numbers.slice(0, 3).map(Number) as [number, number, number];
  const at = id === "that record" ? String(asked.arguments.id) : (JSON.parse(id!) as string);
  const of = JSON.parse(path) as string;
  if (start === end && start < total && (asked.toText || !lines.some((line) => hiddenLine.test(line))))
    throw new Error(`a window at ${start} of ${total} shows nothing`);
  into.piece(at, of, { start, end, total }, quoted);
  const hidden = lines.flatMap((line) => {
    const [, from, to] = hiddenLine.exec(line) ?? [];
    return from === undefined ? [] : [{ start: Number(from), end: Number(to) }];
  });
  for (const span of hidden) into.hidden(at, of, { ...span, total });
  checkBack(asked.back, end, hidden);
  return start;
}

/** Cards start with a number and end with the fetch of the whole record. */
function readCards(lines: readonly string[], into: Rebuilt): void {
  let card: string[] = [];
  for (const line of lines) {
    if (/^\d+\. /.test(line)) {
      readCard(card, into);
      card = [line];
    } else if (card.length > 0) card.push(line);
  }
  readCard(card, into);
}

const bytesForm = /^bytes: (GET \S+) with this token(?:, or pdpp read [\w@%+:./ -]+)?$/;
const previewLine = / \(first (?:\d+ of \d+ items, )?(\d+) of (\d+) chars\): /;
const blobForm =
  /^file ("(?:[^"\\]|\\.)*")(?:, ("(?:[^"\\]|\\.)*"))?(?:, (\d+) bytes)?(?:, sha256 "(?:[^"\\]|\\.)*")?$/;
const encodedForm = /^[\w-]+(?: of "(?:[^"\\]|\\.)*")?, (\d+) chars, omitted$/;

const cardHead =
  /^\d+\. ("(?:[^"\\]|\\.)*")(?: \| (?:\d{4}-\d\d-\d\d(?: \d\d:\d\d (?:UTC|[+-]\d\d:\d\d))? \()?("(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*)\)?)?(?: \| |$)/;

function readCard([head, ...lines]: readonly string[], into: Rebuilt): void {
  if (head === undefined || /^\d+\. deleted /.test(head)) return;
  const [, title, time] = cardHead.exec(head) ?? [];
  if (title === undefined) throw new Error(`a card without a title: ${JSON.stringify(head.slice(0, 200))}`);
  if (lines[0] === "too large to show here; to read it:") {
    into.record(String(callOn(lines[1] ?? "")?.arguments.id));
    return;
  }
  const [, written] = /^id: ("(?:[^"\\]|\\.)*")$/.exec(lines[0] ?? "") ?? [];
  if (written === undefined) throw new Error(`a card without its id: ${JSON.stringify(lines[0])}`);
  const id = JSON.parse(written) as string;
  into.record(id);
  const end = lines.findIndex((line) => /^(?:complete(?: except for the bytes)?|not complete:)$/.test(line));
  if (end < 0) throw new Error("a card that does not say whether it is complete");
  const isCut = (line: string) => /^(?:"(?:[^"\\]|\\.)*"|[\w.-]+) \(first |^\d+ more fields?$/.test(line);
  if (lines.slice(1, end).some(isCut) && callOn(lines[end + 1] ?? "") === undefined)
    throw new Error("a part without the rest");
  const above = [title, ...(time === undefined ? [] : [time])].map((each) => JSON.parse(each) as Json);
  above.push(id.slice(id.indexOf(":", id.indexOf("/")) + 1));
  above.push(...lines.slice(1, end).flatMap((line) => parseUnit(line)));
  for (const [i, line] of lines.slice(0, end).entries()) {
    // Bytes must have their read on the next line.
    if (
      /^(?:"(?:[^"\\]|\\.)*"|[\w.-]+): (?:[\w-]+(?: of "(?:[^"\\]|\\.)*")?, \d+ chars, omitted$|file )/.test(line) &&
      !bytesForm.test(lines[i + 1] ?? "")
    )
      throw new Error(`bytes without a way to them: ${line.slice(0, 200)}`);
    if (i === 0 || bytesForm.test(line) || /^\d+ more fields?$/.test(line)) continue;
    if (i === end - 1 && notes.test(line)) readNotes(id, line, above, into);
    else if (i === end - 2 && /^\d+ more/.test(lines[end - 1] ?? "") && notes.test(line))
      readNotes(id, line, above, into);
    else readFieldLine(id, line, into);
  }
}

const noted = String.raw`(?:"(?:[^"\\]|\\.)*"|[\w.-]+)`;
const empties = String.raw`${noted} (?:null|""|\[\]|\{\})`;
const notes = new RegExp(
  `^(?:shown above: (${noted}(?:, ${noted})*))?(?:(?:^|; )empty: (${empties}(?:, ${empties})*))?$`,
);

/** Names of fields shown in the head of the card, and of empty ones. */
function readNotes(id: string, line: string, above: readonly Json[], into: Rebuilt): void {
  const [, inHead = "", empty = ""] = notes.exec(line) ?? [];
  const parseName = (name: string): string => (name.startsWith('"') ? (JSON.parse(name) as string) : name);
  for (const [name] of inHead.matchAll(new RegExp(noted, "g"))) into.above(id, parseName(name), above);
  for (const [, name, value] of empty.matchAll(new RegExp(`(${noted}) (null|""|\\[\\]|\\{\\})`, "g")))
    into.value(id, parseName(name ?? ""), JSON.parse(value ?? "") as Json);
}

const amountForm = /^(-?\d[\d.eE+-]*|"(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*"|[^\s"]\S*)$/;

/** A value is JSON; an amount is followed by its unit. */
export function parseValue(shown: string): Json {
  return JSON.parse(amountForm.exec(shown)?.[1] ?? shown) as Json;
}

/** The unit of an amount on a line. */
function parseUnit(line: string): string[] {
  const [, , unit] = amountForm.exec(line.replace(/^(?:"(?:[^"\\]|\\.)*"|[\w.-]+): /, "")) ?? [];
  return unit === undefined ? [] : [unit.startsWith('"') ? (JSON.parse(unit) as string) : unit];
}

function readFieldLine(id: string, line: string, into: Rebuilt): void {
  const quotedName = /^"(?:[^"\\]|\\.)*"/.exec(line)?.[0];
  const rest = line.slice(quotedName?.length ?? /^[\w.-]+/.exec(line)?.[0].length ?? 0);
  const preview = previewLine.exec(rest);
  if (preview?.index === 0) {
    const [, end, total] = preview.map(Number) as [number, number, number];
    const name = quotedName === undefined ? line.slice(0, line.length - rest.length) : JSON.parse(quotedName);
    const text = JSON.parse(rest.slice(preview[0].length)) as string;
    into.piece(id, name as string, { start: 0, end, total }, text);
    return;
  }
  const [name, shown] = splitNamed(line);
  const blob = blobForm.exec(shown);
  const encoded = encodedForm.exec(shown);
  if (encoded !== null) into.encoded(id, name, Number(encoded[1]));
  else if (blob === null) into.value(id, name, parseValue(shown));
  else {
    const [, blobId, mime, size] = blob;
    into.blob(id, name, {
      blob_id: JSON.parse(blobId!) as string,
      ...(mime === undefined ? {} : { mime_type: JSON.parse(mime) as string }),
      ...(size === undefined ? {} : { size_bytes: Number(size) }),
    });
  }
}
