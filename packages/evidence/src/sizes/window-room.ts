import { literal } from "../forms/call.ts";
import { formatHandle } from "../handles/handle.ts";
import { budget } from "./budget.ts";
import { tokensOf } from "./tokens.ts";
import { bytesOf } from "./utf8.ts";

/**
 * How much text a window may have so that the result of a tool does not exceed its size. The result holds the text twice, as
 * text and in the structured form, both written as JSON; beside it stand names, numbers and the calls that lead on.
 */

export interface WindowRoom {
  /** The text in both forms together, as JSON. */
  readonly chars: number;
  /** The text in one form. */
  readonly bytes: number;
  readonly tokens: number;
}

/** What a result says beside the text. */
export interface WindowNames {
  readonly id: string;
  readonly fieldPath: string;
  /** Whatever stands once in each form: the connection's label, the time, a media type. */
  readonly others: readonly string[];
  /** The addresses and commands that lead to the bytes that are left out. */
  readonly waysOut: readonly string[];
}

/** What a window says of itself. */
export interface WindowSubject {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
  readonly field: {
    readonly path: string;
    readonly blob_id?: string | undefined;
    readonly media_type?: string | undefined;
  };
  readonly bytes?: { readonly url: string } | undefined;
  readonly blobs?: readonly DescribedBlob[] | undefined;
}

interface DescribedBlob {
  readonly mime_type?: string | undefined;
  readonly read: { readonly url: string };
  readonly text?: { readonly url: string } | undefined;
}

/** The server measures with these names before it cuts a window, and the adapter that shows it afterwards. */
export function windowNames(of: WindowSubject): WindowNames {
  const { connection_id: connectionId, stream, record_id: recordId, field } = of;
  const others = [of.connector_key, of.display_name, of.event_time, of.local_time, field.blob_id, field.media_type];
  return {
    id: formatHandle({ connectionId, stream, recordId }),
    fieldPath: field.path,
    others: others.flatMap((each) => (each === undefined ? [] : [String(each)])),
    waysOut: [...(of.bytes === undefined ? [] : waysOut(of.bytes, field)), ...(of.blobs ?? []).flatMap(wordsOfBlob)],
  };
}

/** Its type, the address, the command and the URI of its bytes, and the call for its text, which is about as long as that address. */
const wordsOfBlob = ({ mime_type = "", read, text }: DescribedBlob): string[] => [
  mime_type,
  serverAddress,
  ...Array.from({ length: 5 }, () => read.url),
  ...(text === undefined ? [] : [text.url, text.url]),
];

/** Tools write addresses with the server's own before them, which is not known here; seldom is it longer. */
const serverAddress = "x".repeat(48);

/** The address, and a command that is about as long; of a blob the URI too, which is twice as long. */
const waysOut = ({ url }: { readonly url: string }, field: WindowSubject["field"]): string[] =>
  Array.from({ length: field.blob_id === undefined ? 2 : 4 }, (_, n) => (n === 0 ? serverAddress + url : url));

/** Keys, numbers, dates and words of a result, without the names; a test holds it against real results. */
const restChars = { full: 1250, brief: 1100 };
/** How often each form says the id and the path: at its head, in the next call and in the one before. */
const copies = {
  full: { text: { id: 3, path: 3 }, object: { id: 3, path: 3 } },
  brief: { text: { id: 1, path: 2 }, object: { id: 2, path: 2 } },
};
/** With less room than this for the text, the id is said only where it is needed. */
const leastChars = 800;

const written = (text: string): number => JSON.stringify(text).length;
const twiceWritten = (text: string): number => written(literal(text));

function restOf({ id, fieldPath, others, waysOut }: WindowNames, how: "full" | "brief") {
  // A brief result has no command beside the address.
  const once = [...others, ...(how === "brief" ? waysOut.slice(1) : waysOut)];
  const names = (form: "text" | "object", of: (text: string) => number): number =>
    copies[how][form].id * of(id) +
    copies[how][form].path * of(fieldPath) +
    once.reduce((sum, each) => sum + of(each), 0);
  const longer = (of: (text: string) => number): number => Math.max(names("text", of), names("object", of));
  const tokens = (text: string): number => tokensOf(literal(text)) + 2;
  return {
    chars: restChars[how] + names("text", twiceWritten) + names("object", written) + budget.result.envelopeChars,
    bytes: restChars[how] + longer((text) => 3 * literal(text).length),
    tokens: Math.ceil(restChars[how] / 2) + longer(tokens),
  };
}

/** The room for the text in a result of `most` characters, and whether the result says its names only once. */
export function windowRoom(names: WindowNames, most: number): WindowRoom & { readonly isBrief: boolean } {
  const full = roomBeside(restOf(names, "full"), most);
  if (full.chars >= leastChars && full.bytes >= leastChars && full.tokens >= leastChars)
    return { ...full, isBrief: false };
  return { ...roomBeside(restOf(names, "brief"), most), isBrief: true };
}

const roomBeside = (rest: WindowRoom, most: number): WindowRoom => ({
  chars: most - rest.chars,
  bytes: budget.result.formBytes - rest.bytes,
  tokens: budget.result.formTokens - rest.tokens,
});

/** A share of a room, for what stands before a match. */
export const shareOf = ({ chars, bytes, tokens }: WindowRoom, share: number): WindowRoom => ({
  chars: chars * share,
  bytes: bytes * share,
  tokens: tokens * share,
});

/** By length. */
function isShortEnough(text: string, room: WindowRoom): boolean {
  const json = JSON.stringify(text);
  return (
    2 * (json.length - 2) <= room.chars &&
    bytesOf(json) <= room.bytes &&
    text.split("\n").every((line) => line.length <= budget.result.lineChars)
  );
}

const hasFewTokens = (text: string, { tokens }: WindowRoom): boolean =>
  tokensOf(text) <= tokens && tokensOf(JSON.stringify(text)) <= tokens;

const isInsidePair = (text: string, unit: number): boolean => unit > 0 && (text.codePointAt(unit - 1) ?? 0) > 0xffff;

/** How far a text fits, in UTF-16 units; one character always does, or a walk would not end. */
export const fittingEnd = (text: string, room: WindowRoom): number =>
  mostFitting(text, room, (units) => {
    const end = isInsidePair(text, units) ? units - 1 : units;
    return { place: end, part: text.slice(0, end) };
  });

/** From where on a text fits, up to its end. */
export const fittingStart = (text: string, room: WindowRoom): number =>
  mostFitting(text, room, (units) => {
    const start = isInsidePair(text, text.length - units) ? text.length - units + 1 : text.length - units;
    return { place: start, part: text.slice(start) };
  });

interface Taken {
  readonly place: number;
  readonly part: string;
}

function mostFitting(text: string, room: WindowRoom, take: (units: number) => Taken): number {
  const units = mostUnits(Math.min(text.length, Math.floor(room.chars / 2)), (n) => isShortEnough(take(n).part, room));
  // To count tokens costs more than to count characters, and is seldom what a window ends by.
  const few = hasFewTokens(take(units).part, room) ? units : mostUnits(units, (n) => hasFewTokens(take(n).part, room));
  const [fitting, first, second] = [take(few), take(1), take(2)];
  return [fitting, first, second].find(({ part }) => part !== "")?.place ?? fitting.place;
}

/** The greatest number up to `most` that holds, if it is taken that all below hold too; 0 when none does. */
function mostUnits(most: number, holds: (units: number) => boolean): number {
  let [low, high] = [0, Math.max(0, most)];
  if (holds(high)) return high;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
