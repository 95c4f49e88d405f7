import type { Continuation } from "@pdpp/contract/continuation";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { FieldPresentation } from "@pdpp/contract/wire";
import { formatHandle } from "../handle.ts";
import { formatUri } from "../uri.ts";

/** Bytes are not for a model, and no tool has them: whoever runs it gets them by REST or on the command line. */

/** A word that every shell takes as it stands. Anything else is left to the address, which needs no quoting. */
const plainWord = /^[A-Za-z0-9_@%+:./-]+$/;

function wordsOf(read: Continuation): readonly string[] {
  if (read.operation === "readBlob")
    return ["blob", read.arguments.blob_id, "--connection-id", read.arguments.connection_id];
  if (read.operation !== "fetch") return [];
  const { connection_id: connectionId, stream, record_id: recordId, fields = [] } = read.arguments;
  return ["fetch", formatHandle({ connectionId, stream, recordId }), "--fields", ...fields, "--format", "json"];
}

function commandOf(read: Continuation): string | undefined {
  const words = wordsOf(read);
  const isPlain = words.length > 0 && words.every((word) => plainWord.test(word)) && !words[1]?.startsWith("-");
  return isPlain ? ["pdpp read", ...words].join(" ") : undefined;
}

/** `brief`: names are so long that there is room for the address alone. */
export function bytesObject(read: Continuation, brief = false): JsonObject {
  const command = brief ? undefined : commandOf(read);
  return { rest: `GET ${read.url}`, ...(command === undefined ? {} : { cli: command }) };
}

export function bytesLine(read: Continuation, brief = false): string {
  const command = brief ? undefined : commandOf(read);
  return `bytes: GET ${read.url} with this token${command === undefined ? "" : `, or ${command}`}`;
}

/** The bytes of blobs as resources, for hosts that read resources; nothing is said only there. */
export const metaOf = (uris: readonly string[]): { readonly meta?: JsonObject } =>
  uris.length === 0 ? {} : { meta: { "pdpp/blobs": [...uris] } };

export const blobUris = (reads: readonly Continuation[]): string[] =>
  reads.flatMap((read) => {
    if (read.operation !== "readBlob") return [];
    const { connection_id: connectionId, blob_id: blobId } = read.arguments;
    return [formatUri({ kind: "blob", name: { connectionId, blobId } })];
  });

/** Where the bytes of stored files are. */
export const blobReads = (fields: readonly FieldPresentation[]): Continuation[] =>
  fields.flatMap((field) => (field.shown === "blob" ? field.references.map(({ read }) => read) : []));
