import { detectEncoded } from "../fields/binary.ts";
import { budget } from "../sizes/budget.ts";
import { cutBetweenWords, takeFirstWords } from "../text/first-words.ts";
import { formatEventTime } from "../text/local-time.ts";
import { countChars } from "../text/text.ts";
import { type EvidenceRecord, getLocalTime, isShown, listEventTimes } from "./record.ts";
import { findActor, findTitleWords } from "./title-parts.ts";

/** A declared title, else one made from declared parts: "Ada in Book club: I thought it was the foghorn". */
export const getTitle = (record: EvidenceRecord, beside?: ShownBeside): string => makeTitle(record, beside).title;

/** The title without words of the record's text: its declared title, else its stream and time. */
export function getPlainTitle(record: EvidenceRecord): string {
  return findDeclaredTitle(record)?.text ?? makeTimeTitle(record, getLabel(record)).title;
}

/** Shown next to the title, which therefore does not repeat it. */
export interface ShownBeside {
  readonly snippet?: string | undefined;
  readonly fields?: ReadonlySet<string>;
}

export interface Title {
  readonly title: string;
  /** The declared field that the title is or contains. */
  readonly field?: string;
  /** The part of the title from that field, and where it starts, in characters. */
  readonly fieldText?: string;
  readonly fieldStart?: number;
  readonly madeFrom?: "parts" | "time" | "id";
}

export function makeTitle(record: EvidenceRecord, beside: ShownBeside = {}): Title {
  const declared = findDeclaredTitle(record);
  if (declared !== null && record.stream.conversation === undefined)
    return { title: declared.text, field: declared.field, fieldText: declared.text, fieldStart: 0 };
  const title = makeFromParts(record, declared, beside.fields);
  if (title !== undefined && title.title !== beside.snippet?.trim()) return title;
  const byTime = makeTimeTitle(record, findActor(record) ?? getLabel(record));
  if (byTime.title !== beside.snippet?.trim()) return byTime;
  return { ...byTime, title: `${byTime.title} (${limitTitle(record.recordId)})` };
}

interface DeclaredTitle {
  readonly field: string;
  readonly text: string;
}

/** In a conversation the declared title is the conversation's, so the title says who wrote what in it. */
function makeFromParts(
  record: EvidenceRecord,
  conversation: DeclaredTitle | null,
  shown: ReadonlySet<string> | undefined,
): Title | undefined {
  const actor = findActor(record);
  const words = findTitleWords(record, shown);
  if (conversation === null) {
    if (words === undefined) return undefined;
    return { title: limitTitle(`${actor ?? getLabel(record)}: ${words}`), madeFrom: "parts" };
  }
  const { field } = conversation;
  if (actor === undefined && words === undefined)
    return { title: conversation.text, field, fieldText: conversation.text, fieldStart: 0 };
  const lead = actor === undefined || actor === conversation.text ? "" : `${actor} in `;
  const { titleChars, titlePartChars } = budget.card;
  const room = words === undefined ? titleChars - lead.length : titlePartChars;
  const name = takeFirstWords(conversation.text, room) ?? conversation.text;
  return {
    title: limitTitle(`${lead}${name}${words === undefined ? "" : `: ${words}`}`),
    field,
    fieldText: name,
    fieldStart: countChars(lead),
    ...(lead === "" && words === undefined ? {} : { madeFrom: "parts" as const }),
  };
}

function makeTimeTitle(record: EvidenceRecord, subject: string): Title {
  const time = formatRecordTime(record);
  return {
    title: `${subject}, ${time ?? limitTitle(record.recordId)}`,
    madeFrom: time === undefined ? "id" : "time",
  };
}

const getLabel = ({ stream }: EvidenceRecord): string => limitTitle(stream.display?.label ?? "") || stream.name;

function findDeclaredTitle(record: EvidenceRecord): DeclaredTitle | null {
  const field = record.stream.fields.find(({ name, role }) => role === "primary-title" && isShown(record, name));
  const value = field && record.data[field.name];
  if (typeof value !== "string" || detectEncoded(value) !== null) return null;
  const text = limitTitle(value);
  return text === "" ? null : { text, field: field!.name };
}

const limitTitle = (text: string): string => cutBetweenWords(text, budget.card.titleChars);

/** A hit needs its title several times, and formatting the time takes longest. */
const recordTimes = new WeakMap<EvidenceRecord, { readonly time: string | undefined }>();

function formatRecordTime(record: EvidenceRecord): string | undefined {
  const known = recordTimes.get(record);
  if (known !== undefined) return known.time;
  const time = computeRecordTime(record);
  recordTimes.set(record, { time });
  return time;
}

function computeRecordTime(record: EvidenceRecord): string | undefined {
  const written = listEventTimes(record).find((time) => typeof time === "string");
  if (written === undefined) return undefined;
  return formatEventTime({ event_time: written, local_time: getLocalTime(record, written) }) ?? written;
}
