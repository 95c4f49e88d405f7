import type { Json, StreamKind } from "@pdpp/contract/declaration";
import type { BlobDescription, EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { formatCount } from "../frame/render/values.tsx";
import type { DayItem } from "./day-records.ts";
import type { Entry } from "./entries.ts";

/** The words and pictures of an entry, taken from declared roles. */

export interface EntryDescription {
  readonly title: string;
  /** Shown after the title: how many, who, where or how much. */
  readonly note: string;
  readonly amount: { readonly value: Json; readonly type: string; readonly unit: Json | undefined } | undefined;
  /** The first words of the text, and whose they are. */
  readonly words: string;
  readonly speaker: string;
  readonly pictures: readonly EntryPicture[];
}

export interface EntryPicture {
  readonly card: EvidenceCard;
  readonly blob: BlobDescription;
}

const maxWords = 160;
const maxPictures = 6;

const nouns: { readonly [kind in StreamKind]?: string } = {
  conversation: "message",
  mail: "mail",
  photo: "photo",
  place: "position",
};

export function describeEntry(entry: Entry<DayItem>, threadTitle: string | undefined): EntryDescription {
  const { first, items } = entry;
  const { card, kind } = first;
  const count = items.length;
  const actor = getActors(card)[0] ?? "";
  const words = getFirstWords(card, kind === "conversation" ? "" : card.title);
  const noun = nouns[kind ?? "document"];
  const pictures = kind === "photo" ? listPictures(items) : [];
  const base = { amount: undefined, words, speaker: "", pictures };
  if (kind === "conversation") {
    const title = threadTitle ?? getRoleText(card, "primary-title");
    return {
      ...base,
      title: title ?? (actor === "" ? card.title : actor),
      note: formatCount(count, "message"),
      speaker: first.isOwn ? "You" : title === undefined ? "" : actor,
    };
  }
  if (kind === "mail")
    return {
      ...base,
      title: card.title,
      note: count === 1 ? actor : `${actor} and ${formatCount(count - 1, "more mail")}`,
    };
  if (noun !== undefined && count > 1)
    return { ...base, title: formatCount(count, noun), note: getPlace(first) ?? "", words: "" };
  const [amount] = card.slots.amount ?? [];
  return {
    ...base,
    title: card.title,
    note: kind === "photo" ? "" : (getPlace(first) ?? (actor === card.title ? "" : actor)),
    amount:
      amount?.shown === "inline" && typeof amount.value === "number"
        ? { value: amount.value, type: amount.type, unit: amount.unit }
        : undefined,
  };
}

/** Everyone that the record declares as an actor. */
export const getActors = ({ slots }: EvidenceCard): string[] =>
  (slots.actor ?? []).flatMap((field) => {
    const value = field.shown === "inline" ? field.value : undefined;
    const all = Array.isArray(value) ? value : [value];
    return all.flatMap((name) => (typeof name === "string" && name.trim() !== "" ? [shorten(name, 80)] : []));
  });

function getPlace({ stream, card }: DayItem): string | undefined {
  const name = stream.declaration.presentation?.fields.place;
  if (name === undefined) return undefined;
  const fields = [...(card.slots.secondary ?? []), ...card.fields];
  return getText(
    fields.find(({ field_path }) => field_path === name),
    80,
  );
}

const getRoleText = ({ slots }: EvidenceCard, role: "primary-title"): string | undefined =>
  getText(slots[role]?.[0], 120);

function getText(field: FieldPresentation | undefined, most: number): string | undefined {
  const value = field?.shown === "inline" ? field.value : field?.shown === "preview" ? field.preview : undefined;
  if (typeof value !== "string") return undefined;
  const text = shorten(value, most);
  return text === "" ? undefined : text;
}

/** A title that was made from the text is not followed by the same text. */
function getFirstWords({ slots }: EvidenceCard, title: string): string {
  const words = getText(slots.body?.[0], maxWords) ?? "";
  return words !== "" && title.includes(words.replace(/…$/, "").slice(0, 40)) ? "" : words;
}

/** One line, cut between characters. */
function shorten(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

function listPictures(items: readonly DayItem[]): EntryPicture[] {
  return items
    .flatMap(({ card }) => {
      const blobs = [...Object.values(card.slots).flatMap((slot) => slot ?? []), ...card.fields].flatMap((field) =>
        field.shown === "blob" ? field.references : [],
      );
      const blob = blobs.find(({ mime_type = "" }) => mime_type.startsWith("image/"));
      return blob === undefined ? [] : [{ card, blob }];
    })
    .slice(0, maxPictures);
}
