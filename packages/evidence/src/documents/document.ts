import type { Json } from "@pdpp/contract/declaration";
import type { DocumentPart, RecordDocument } from "@pdpp/contract/wire";
import { type EvidenceRecord, type GrantedField, getProvenance, listGrantedFields } from "../cards/record.ts";
import { getTitle } from "../cards/title.ts";
import { createShowing, cutPreview, presentField, toText } from "../fields/field.ts";
import { fetchAfter, readFieldFrom } from "../handles/continuation.ts";
import { budget } from "../sizes/budget.ts";
import { countChars } from "../text/text.ts";

interface Line {
  readonly name: string;
  readonly value: Json;
  readonly text: string;
}

/** A record as readable text: its body if it has exactly one, else one line per field. */
export function createDocument(record: EvidenceRecord, options: DocumentOptions = {}): RecordDocument {
  const { chars = budget.document.chars } = options;
  const showing = createShowing(record);
  const { place } = showing;
  const ordered = moveBodyFirst(listGrantedFields(record));
  const from = options.after === undefined ? 0 : ordered.findIndex(({ name }) => name === options.after) + 1;
  const all = ordered.slice(from);
  const kept = fitFields(all, chars);
  const presented = kept.map((each) => ({
    ...each,
    shown: presentField(showing, each.name, each.field, each.value),
  }));
  const texts = presented.filter(({ shown }) => shown.shown === "inline" || shown.shown === "preview");
  const bodies = texts.filter(isBody);
  const [body] = bodies.length === 1 ? bodies : [];
  const inText = body === undefined ? texts : [body];
  const others = presented.filter((each) => !inText.includes(each));
  const lines = inText.map(({ name, value }) => ({ name, value, text: toText(value) }));
  const taken = others.reduce((sum, each) => sum + estimateCost(each), 0);
  const rooms = allocateSpace(
    lines.map(({ text }) => text.length),
    Math.max(0, chars - taken - (lines.length - 1) * budget.document.fieldChars),
  );
  const parts = lines.map((line, i) => createPart(line, rooms[i]!));
  const fields = others.map(({ shown }) => shown);
  const truncated = parts.some(({ window }) => window.end_chars < window.total_chars);
  const provenance = getProvenance(record);
  const left = all.length - kept.length;
  return {
    object: "record_document",
    id: provenance.id,
    title: getTitle(record),
    text: body === undefined ? parts.map((part, i) => formatLine(part, inText[i]!.value)).join("\n") : parts[0]!.shown,
    metadata: {
      ...provenance,
      ...(body === undefined ? {} : { text_field: body.name }),
      complete: !truncated && left === 0 && fields.every(({ shown }) => shown === "inline"),
      truncated: truncated || left > 0,
      parts: parts.map(({ shown: _, ...part }) =>
        part.window.end_chars === part.window.total_chars
          ? part
          : { ...part, read: readFieldFrom(place, part.field_path, part.window.end_chars) },
      ),
      fields,
      ...(left === 0 ? {} : { omitted: { count: left, read: fetchAfter(place, kept.at(-1)!.name, options.fields) } }),
    },
  };
}

/** Characters that could break a line or be misread at its end. */
const unplain = /^\s|\s$|[\p{Cc}\u2028\u2029]/u;

/** One line per field: no value can add a line, and a text is never mistaken for a number. */
function formatLine({ field_path, window, shown }: DocumentPart & { readonly shown: string }, value: Json): string {
  const whole = window.end_chars === window.total_chars;
  const name = unplain.test(field_path) || /^"|: /.test(field_path) ? literal(field_path) : field_path;
  if (typeof value !== "string" && whole) return `${name}: ${literal(value)}`;
  return `${name}: ${unplain.test(shown) || isJson(shown) ? literal(shown) : shown}`;
}

const literal = (value: Json): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Most texts are not JSON, and the error of a failed parse costs more than this. */
const startOfJson = /^\s*(?:[[{"\d-]|true|false|null)/;

function isJson(text: string): boolean {
  if (!startOfJson.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface DocumentOptions {
  /** Approximate length of the document, including field descriptions. */
  readonly chars?: number;
  /** This field and the ones before it were in an earlier document. */
  readonly after?: string | undefined;
  /** The requested fields, for continuations. */
  readonly fields?: readonly string[] | undefined;
}

/** A single body is the text of the document, so it comes first. */
function moveBodyFirst(fields: readonly GrantedField[]): readonly GrantedField[] {
  const bodies = fields.filter(isBody);
  return bodies.length === 1 ? [bodies[0]!, ...fields.filter((each) => each !== bodies[0])] : fields;
}

/** The minimum a field takes: a short value or the start of a long one, and its description. */
const estimateCost = ({ value }: GrantedField): number =>
  Math.min(toText(value).length, budget.field.inlineChars) + budget.document.fieldChars;

/** The fields that fit; at least one, so that paging advances. */
function fitFields(fields: readonly GrantedField[], chars: number): readonly GrantedField[] {
  let used = 0;
  const end = fields.findIndex((each) => {
    used += estimateCost(each);
    return used > chars;
  });
  return end < 0 ? fields : fields.slice(0, Math.max(1, end));
}

const isBody = ({ field, value }: GrantedField): boolean => field?.role === "body" && typeof value === "string";

/** Short texts get what they need; long ones share the rest. */
function allocateSpace(lengths: readonly number[], most: number): number[] {
  const rooms = new Map<number, number>();
  let left = most;
  const byLength = [...lengths.entries()].sort((a, b) => a[1] - b[1]);
  for (const [done, [i, length]] of byLength.entries()) {
    const room = Math.min(length, Math.floor(left / (lengths.length - done)));
    rooms.set(i, room);
    left -= room;
  }
  return lengths.map((_, i) => rooms.get(i)!);
}

function createPart({ name, value, text }: Line, room: number): DocumentPart & { readonly shown: string } {
  const { preview, end } = cutPreview(text, room, value);
  return {
    field_path: name,
    window: { start_chars: 0, end_chars: end, total_chars: countChars(text) },
    shown: preview,
  };
}
