import { type FieldDeclaration, findField, type Json } from "@pdpp/contract/declaration";
import type { BlobDescription, FieldPresentation, FieldWindow } from "@pdpp/contract/wire";
import { type EvidenceRecord, getPlace, isShown } from "../cards/record.ts";
import { fetchFields, type RecordPlace, readBlob, readFieldFrom } from "../handles/continuation.ts";
import { budget } from "../sizes/budget.ts";
import { chooseEnd, findEndWithin } from "../text/cut.ts";
import { countChars, toCharIndex } from "../text/text.ts";
import { detectAllBytes, findEncodedRuns, findPlainEnd, getDeclaredEncoding } from "./binary.ts";
import { type FieldPath, formatFieldTarget, type IsField } from "./field-path.ts";
import { cutBetweenItems, type ItemCount } from "./json-preview.ts";
import { getTextKind } from "./media-type.ts";

/** The record whose values are presented. */
export interface Showing {
  readonly place: RecordPlace;
  readonly isField: IsField;
  /** The value of another field if the grant covers it. */
  readonly shownValue?: (name: string) => Json | undefined;
}

export const createShowing = (record: EvidenceRecord): Showing => ({
  place: getPlace(record),
  isField: (name) => findField(record.stream, name) !== undefined,
  shownValue: (name) => (isShown(record, name) ? record.data[name] : undefined),
});

/** The text that windows of a value are cut from. */
export const toText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

export function getType(value: Json): FieldWindow["field"]["type"] {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "object";
  if (typeof value === "string") return "string";
  return typeof value === "number" ? "number" : "boolean";
}

/** Presents a value of a top-level field, which may be undeclared. */
export function presentField(
  showing: Showing,
  name: string,
  field: FieldDeclaration | undefined,
  value: Json,
): FieldPresentation {
  const { place } = showing;
  const type = field?.type ?? field?.kind ?? "json";
  const head = field?.role === undefined ? { field_path: name, type } : { field_path: name, type, role: field.role };
  if (field?.blob) {
    const blobs = describeBlobs(showing, [name], value);
    if (blobs !== null) {
      const { references, whole } = blobs;
      return { ...head, shown: "blob", references, ...(whole ? {} : { read: readFieldFrom(place, name, 0) }) };
    }
  }
  const text = toText(value);
  const encoded = typeof value === "string" ? detectEncoding(field, value) : null;
  if (encoded !== null) {
    return { ...head, shown: "encoded", ...encoded, total_chars: countChars(text), read: fetchFields(place, [name]) };
  }
  if (isShort(text) && findEncodedRuns(text).length === 0) {
    const unit = field?.unitField === undefined ? undefined : showing.shownValue?.(field.unitField);
    return value !== null && isUnit(unit)
      ? { ...head, shown: "inline", value, unit }
      : { ...head, shown: "inline", value };
  }
  const { preview, end, items } = cutPreview(text, budget.field.previewChars, value);
  const window = { start_chars: 0, end_chars: end, total_chars: countChars(text) };
  const format = typeof value === "string" ? "text" : "json";
  return {
    ...head,
    shown: "preview",
    format,
    preview,
    window,
    ...(items === undefined ? {} : { items }),
    truncated: true,
    read: readFieldFrom(place, name, end),
  };
}

/** Whether a value can be shown as a unit; a unit field may contain anything. */
export const isUnit = (value: Json | undefined): value is string | number | boolean =>
  typeof value === "string"
    ? value.length <= budget.field.unitChars && detectAllBytes(value) === null
    : typeof value === "number" || typeof value === "boolean";

const isShort = (text: string): boolean =>
  text.length <= 2 * budget.field.inlineChars && countChars(text) <= budget.field.inlineChars;

interface Beginning {
  readonly preview: string;
  /** In characters. */
  readonly end: number;
  /** For lists and objects. */
  readonly items?: ItemCount;
}

/** The start of a value without encoded bytes: text is cut between words, JSON between items. */
export function cutPreview(text: string, most: number, value: Json = text): Beginning {
  const plain = findPlainEnd(text, most);
  const unit = plain < most ? plain : findStopBefore(text, findEndWithin(text, 0, plain));
  if (typeof value === "string" || text.length <= plain) return createPreview(text, unit);
  const cut = cutBetweenItems(value, text, plain);
  // A long text inside the value may leave no item boundary.
  const isBetween = plain === most && cut.unit >= Math.min(unit, most / 2);
  return isBetween
    ? { ...createPreview(text, cut.unit), items: cut.items }
    : { ...createPreview(text, unit), items: cut.itemsAnyway };
}

const createPreview = (text: string, unit: number): Beginning => ({
  preview: text.slice(0, unit),
  end: toCharIndex(text, unit),
});

const findStopBefore = (text: string, at: number): number =>
  chooseEnd(text, { at, shortest: Math.max(Math.ceil(at / 2), at - budget.match.giveUpChars), longest: at });

function detectEncoding(
  field: FieldDeclaration | undefined,
  text: string,
): { encoding: string; media_type?: string } | null {
  const declared = field === undefined || text === "" ? null : getDeclaredEncoding(field);
  const measured = detectAllBytes(text);
  if (declared === null && measured === null) return null;
  const written = field?.schema.contentMediaType;
  const mediaType = measured?.mediaType ?? (typeof written === "string" ? written : undefined);
  return { encoding: declared ?? "base64", ...(mediaType === undefined ? {} : { media_type: mediaType }) };
}

/** Keys that a blob description covers; the server adds `fetch_url` on the wire. */
const describedKeys: ReadonlySet<string> = new Set(["blob_id", "mime_type", "size_bytes", "sha256", "fetch_url"]);

/** The blobs that a value refers to; null without any. */
export function describeBlobs(
  showing: Showing,
  path: FieldPath,
  value: Json,
): { references: BlobDescription[]; whole: boolean } | null {
  const items = Array.isArray(value) ? value : [value];
  const shown = items.slice(0, budget.field.blobReferences).flatMap((item, i) => {
    const described = describeBlob(showing, Array.isArray(value) ? [...path, i] : path, item);
    return described === null ? [] : [{ item, described }];
  });
  if (shown.length === 0) return null;
  const whole =
    shown.length === items.length && shown.every(({ item, described }) => isFullyDescribed(item, described));
  return { references: shown.map(({ described }) => described), whole };
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isLabel = (value: Json | undefined): value is string =>
  typeof value === "string" && value.length <= budget.field.blobTextChars;

function describeBlob({ place, isField }: Showing, path: FieldPath, item: Json): BlobDescription | null {
  if (!isObject(item) || !isLabel(item.blob_id)) return null;
  const { blob_id, mime_type, size_bytes, sha256 } = item;
  // Other servers have no versions, and do not read the text of blobs.
  const isText = place.version !== "" && isLabel(mime_type) && getTextKind(mime_type) !== null;
  return {
    blob_id,
    ...(isLabel(mime_type) ? { mime_type } : {}),
    ...(typeof size_bytes === "number" ? { size_bytes } : {}),
    ...(isLabel(sha256) ? { sha256 } : {}),
    read: readBlob(place, blob_id),
    ...(isText ? { text: readFieldFrom(place, formatFieldTarget({ path, of: "blob" }, isField), 0) } : {}),
  };
}

function isFullyDescribed(item: Json, described: BlobDescription): boolean {
  return Object.keys(item as object).every(
    (key) => describedKeys.has(key) && (key === "fetch_url" || key in described),
  );
}

export const isEmpty = (value: Json): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
