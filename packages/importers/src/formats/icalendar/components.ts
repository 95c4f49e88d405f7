import { type ContentLine, parseContentLines } from "../../core/parsing/content-lines.ts";
import { readLines } from "../../core/parsing/lines.ts";

/** One component of a calendar file. A damaged one does not affect the others. */

export interface Component {
  /** VEVENT, VTIMEZONE, ...; empty for lines of the calendar itself. */
  readonly name: string;
  readonly offset: number;
  readonly end: number;
  readonly bytes: Buffer;
  /** The calendar or the file ends inside it. */
  readonly isCut: boolean;
}

/** More than an event with inline attachments needs. */
const maxBytes = 16 * 1024 * 1024;
const newline = Buffer.from("\n");

export async function* readComponents(chunks: AsyncIterable<Uint8Array>, from = 0): AsyncGenerator<Component> {
  let name = "";
  let depth = 0;
  let offset = from;
  let end = from;
  let parts: Buffer[] = [];
  let size = 0;
  const cut = (isCut: boolean): Component => {
    const component = { name, offset, end, bytes: Buffer.concat(parts), isCut: isCut || size > maxBytes };
    [name, depth, parts, size] = ["", 0, [], 0];
    return component;
  };
  for await (const line of readLines(chunks, from)) {
    const said = Buffer.from(line.bytes.subarray(0, 80))
      .toString("latin1")
      .trim()
      .toUpperCase()
      .replace(/^\u00ef\u00bb\u00bf/, "");
    const isCalendar = said === "BEGIN:VCALENDAR" || said === "END:VCALENDAR";
    if (isCalendar && depth > 0) yield cut(true);
    if (isCalendar || said === "") continue;
    if (depth === 0 && said.startsWith("BEGIN:")) [name, offset] = [said.slice(6), line.offset];
    if (said.startsWith("BEGIN:")) depth += 1;
    end = line.offset + line.bytes.length;
    if (depth === 0) {
      yield { name: "", offset: line.offset, end, bytes: Buffer.from(line.bytes), isCut: false };
      continue;
    }
    size += line.bytes.length + 1;
    if (size <= maxBytes) parts.push(Buffer.from(line.bytes), newline);
    if (said.startsWith("END:")) depth -= 1;
    if (depth === 0) yield cut(false);
  }
  if (depth > 0) yield cut(true);
}

/** The lines of a component, without those of nested components. */
export function listOwnLines(bytes: Buffer): ContentLine[] {
  let depth = 0;
  return parseContentLines(bytes).filter(({ name }) => {
    if (name === "BEGIN") depth += 1;
    if (name === "END") depth -= 1;
    return depth === 1 && name !== "BEGIN";
  });
}
