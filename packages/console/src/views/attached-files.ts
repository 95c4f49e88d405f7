import type { Json, JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import type { Expanded, WireRecord } from "@pdpp/contract/wire";
import type { Names } from "../frame/names.ts";
import { findRoleField, readString } from "./field-values.ts";

/** Files of a message or mail: related records with blobs, or just their names. */

export interface AttachedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number | undefined;
  /** Its content id in the HTML of a mail. */
  readonly contentId?: string | undefined;
  /** Undefined if the vault doesn't have the file. */
  readonly blob: { readonly id: string; readonly connection: string } | undefined;
}

const maxFiles = 20;

/** Where the files of a stream's records are. */
export interface FilePlace {
  readonly relationship: string;
  readonly declaration: StreamDeclaration;
}

/** The relationship to the files of a record: to many records of a stream that has blobs. */
export function findFilePlace(
  names: Names,
  source: string,
  { relationships, name }: StreamDeclaration,
): FilePlace | undefined {
  for (const relationship of relationships) {
    const declaration = names.declaration(source, relationship.stream);
    const isUsable = relationship.cardinality === "has_many" && relationship.expand !== undefined;
    if (isUsable && relationship.stream !== name && declaration?.fields.some(({ blob }) => blob))
      return { relationship: relationship.name, declaration };
  }
  return undefined;
}

export function listAttachedFiles(
  record: WireRecord & { readonly expanded?: Expanded | undefined },
  place: FilePlace | undefined,
  namesField: string | undefined,
): AttachedFile[] {
  const related = place === undefined ? undefined : record.expanded?.[place.relationship];
  const items = related?.object === "list" ? related.data : [];
  const files = items.flatMap((item) =>
    item.object === "record" && place !== undefined
      ? [createFile(item.data as JsonObject, item.connection_id, place.declaration)]
      : [],
  );
  if (files.length > 0) return files;
  const named = namesField === undefined ? null : (record.data[namesField] ?? null);
  return (Array.isArray(named) ? named : []).slice(0, maxFiles).flatMap(describeNamedFile);
}

export function createFile(data: JsonObject, connection: string, declaration: StreamDeclaration): AttachedFile {
  const { fields = {} } = declaration.presentation ?? {};
  const blob = declaration.fields
    .flatMap((field) => (field.blob ? [data[field.name] ?? null] : []))
    .find(isBlobReference);
  const size = fields.size === undefined ? undefined : data[fields.size];
  const sizes = [size, blob?.size_bytes].filter((each) => typeof each === "number");
  return {
    name: readString(data, findRoleField(declaration, "primary-title")) ?? "File",
    mediaType:
      readString(data, fields.media_type) ?? (blob === undefined ? undefined : readString(blob, "mime_type")) ?? "",
    sizeBytes: sizes[0],
    contentId: readString(data, fields.content_id),
    blob: blob === undefined ? undefined : { id: String(blob.blob_id), connection },
  };
}

const isBlobReference = (value: Json): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value) && typeof value.blob_id === "string";

const mediaTypePattern = /^(?:application|audio|font|image|message|model|multipart|text|video)\/[\w.+-]+$/;

/** A name, or an object whose parts are told by their values. */
function describeNamedFile(value: Json): AttachedFile[] {
  if (typeof value === "string")
    return value === "" ? [] : [{ name: value, mediaType: "", sizeBytes: undefined, blob: undefined }];
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
  const texts = Object.values(value).filter((each): each is string => typeof each === "string" && each !== "");
  const mediaType = texts.find((text) => mediaTypePattern.test(text)) ?? "";
  const name = texts.find((text) => text !== mediaType);
  const sizeBytes = Object.values(value).find((each): each is number => typeof each === "number" && each >= 0);
  return name === undefined ? [] : [{ name, mediaType, sizeBytes, blob: undefined }];
}
