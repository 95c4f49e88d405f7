import { type FieldDeclaration, fieldOf, type Json, type Role } from "@pdpp/contract/declaration";
import { declaredEncoding, encodedRuns, isEncoded, plainUntil } from "./binary.ts";
import { budget } from "./budget.ts";
import { type Continuation, type RecordPlace, readBlobOf, readFieldFrom } from "./continuation.ts";
import { endWithin } from "./cut.ts";
import { type FieldPath, type IsField, spellFieldTarget } from "./field-path.ts";
import { textKind } from "./media-type.ts";
import { type EvidenceRecord, placeOf } from "./record.ts";
import { charIndex, charLength } from "./text.ts";

/** How one value of a record is shown: whole, by its beginning, or by what is known of it. */
export type FieldPresentation<C = Continuation> = {
  readonly field_path: string;
  readonly type: string;
  readonly role?: Role;
} & (
  | { readonly shown: "inline"; readonly value: Json }
  | {
      readonly shown: "preview";
      /** A text as it is, or any other value as JSON. */
      readonly format: "text" | "json";
      readonly preview: string;
      readonly window: { readonly start_chars: number; readonly end_chars: number; readonly total_chars: number };
      readonly truncated: true;
      readonly read: C;
    }
  | {
      readonly shown: "blob";
      readonly references: readonly BlobDescription<C>[];
      /** When a reference says more than is described, or there are more of them. */
      readonly read?: C;
    }
  | {
      readonly shown: "encoded";
      readonly encoding: string;
      readonly media_type?: string;
      readonly total_chars: number;
      readonly read: C;
    }
);

export interface BlobDescription<C = Continuation> {
  readonly blob_id: string;
  readonly mime_type?: string;
  readonly size_bytes?: number;
  readonly sha256?: string;
  /** The bytes. */
  readonly read: C;
  /** When they are text: the text, in windows. */
  readonly text?: C;
}

/** The record that values are shown of. */
export interface Showing<C> {
  readonly place: RecordPlace;
  readonly isField: IsField;
  readonly spell: (next: Continuation) => C;
}

export const showingOf = <C>(record: EvidenceRecord, spell: Showing<C>["spell"]): Showing<C> => ({
  place: placeOf(record),
  isField: (name) => fieldOf(record.stream, name) !== undefined,
  spell,
});

/** A value as the text that windows are cut from. */
export const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Presents a value of a top-level field; a field that is not declared has only its value to go by. */
export function presentField<C>(
  showing: Showing<C>,
  name: string,
  field: FieldDeclaration | undefined,
  value: Json,
): FieldPresentation<C> {
  const { place, spell } = showing;
  const head = {
    field_path: name,
    type: field?.type ?? field?.kind ?? "json",
    ...(field?.role === undefined ? {} : { role: field.role }),
  };
  const readFrom = (offset: number): C => spell(readFieldFrom(place, name, offset));
  if (field?.blob) {
    const blobs = blobsOf(showing, name, value);
    if (blobs !== null) {
      const { references, whole } = blobs;
      return { ...head, shown: "blob", references, ...(whole ? {} : { read: readFrom(0) }) };
    }
  }
  const text = textOf(value);
  const encoded = typeof value === "string" ? encodingOf(field, value) : null;
  if (encoded !== null) {
    return { ...head, shown: "encoded", ...encoded, total_chars: charLength(text), read: readFrom(0) };
  }
  if (isShort(text) && encodedRuns(text).length === 0) return { ...head, shown: "inline", value };
  const { preview, end } = beginningOf(text, budget.field.previewChars);
  const window = { start_chars: 0, end_chars: end, total_chars: charLength(text) };
  const format = typeof value === "string" ? "text" : "json";
  return { ...head, shown: "preview", format, preview, window, truncated: true, read: readFrom(end) };
}

const isShort = (text: string): boolean =>
  text.length <= 2 * budget.field.inlineChars && charLength(text) <= budget.field.inlineChars;

/** The beginning of a text without encoded bytes, cut between words; where it ends in characters. */
export function beginningOf(text: string, most: number): { readonly preview: string; readonly end: number } {
  const plain = plainUntil(text, most);
  const unit = plain < most ? plain : endWithin(text, 0, plain);
  return { preview: text.slice(0, unit), end: charIndex(text, unit) };
}

function encodingOf(
  field: FieldDeclaration | undefined,
  text: string,
): { encoding: string; media_type?: string } | null {
  const declared = field === undefined || text === "" ? null : declaredEncoding(field);
  const measured = isEncoded(text);
  if (declared === null && measured === null) return null;
  const written = field?.schema.contentMediaType;
  const mediaType = measured?.mediaType ?? (typeof written === "string" ? written : undefined);
  return { encoding: declared ?? "base64", ...(mediaType === undefined ? {} : { media_type: mediaType }) };
}

/** What a reference says is described; `fetch_url` is an address that the server adds on the wire. */
const describedKeys: ReadonlySet<string> = new Set(["blob_id", "mime_type", "size_bytes", "sha256", "fetch_url"]);

function blobsOf<C>(
  showing: Showing<C>,
  name: string,
  value: Json,
): { references: BlobDescription<C>[]; whole: boolean } | null {
  const items = Array.isArray(value) ? value : [value];
  const shown = items.slice(0, budget.field.blobReferences).flatMap((item, i) => {
    const described = describeBlob(showing, Array.isArray(value) ? [name, i] : [name], item);
    return described === null ? [] : [{ item, described }];
  });
  if (shown.length === 0) return null;
  const whole = shown.length === items.length && shown.every(({ item, described }) => saysAll(item, described));
  return { references: shown.map(({ described }) => described), whole };
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isLabel = (value: Json | undefined): value is string =>
  typeof value === "string" && value.length <= budget.field.blobTextChars;

function describeBlob<C>(
  { place, isField, spell }: Showing<C>,
  path: FieldPath,
  item: Json,
): BlobDescription<C> | null {
  if (!isObject(item) || !isLabel(item.blob_id)) return null;
  const { blob_id, mime_type, size_bytes, sha256 } = item;
  const isText = isLabel(mime_type) && textKind(mime_type) !== null;
  return {
    blob_id,
    ...(isLabel(mime_type) ? { mime_type } : {}),
    ...(typeof size_bytes === "number" ? { size_bytes } : {}),
    ...(isLabel(sha256) ? { sha256 } : {}),
    read: spell(readBlobOf(place, blob_id)),
    ...(isText ? { text: spell(readFieldFrom(place, spellFieldTarget({ path, of: "blob" }, isField), 0)) } : {}),
  };
}

function saysAll<C>(item: Json, described: BlobDescription<C>): boolean {
  return Object.keys(item as object).every(
    (key) => describedKeys.has(key) && (key === "fetch_url" || key in described),
  );
}
