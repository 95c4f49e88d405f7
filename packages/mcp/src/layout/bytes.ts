import type { Continuation } from "@pdpp/contract/continuation";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { formatUri } from "@pdpp/evidence/handles/uri";

/** No tool returns bytes, since models cannot use them. Results say how to get them over REST or on the command line. */

/** A word that needs no quoting in any shell. For anything else only the URL is shown. */
const plainWord = /^[A-Za-z0-9_@%+:./-]+$/;

function listCommandWords(read: Continuation): readonly string[] {
  if (read.operation === "readBlob")
    return ["blob", read.arguments.blob_id, "--connection-id", read.arguments.connection_id];
  if (read.operation !== "fetch") return [];
  const { connection_id: connectionId, stream, record_id: recordId, fields = [] } = read.arguments;
  return ["fetch", formatHandle({ connectionId, stream, recordId }), "--fields", ...fields, "--format", "json"];
}

function formatCommand(read: Continuation): string | undefined {
  const words = listCommandWords(read);
  const isPlain = words.length > 0 && words.every((word) => plainWord.test(word)) && !words[1]?.startsWith("-");
  return isPlain ? ["pdpp read", ...words].join(" ") : undefined;
}

/** `brief`: names are so long that only the URL fits. */
export function layOutBytes(read: Continuation, brief = false): JsonObject {
  const command = brief ? undefined : formatCommand(read);
  return { rest: `GET ${read.url}`, ...(command === undefined ? {} : { cli: command }) };
}

export function formatBytesLine(read: Continuation, brief = false): string {
  const command = brief ? undefined : formatCommand(read);
  return `bytes: GET ${read.url} with this token${command === undefined ? "" : `, or ${command}`}`;
}

/** Adds the server's origin, which readers of a tool result do not know. */
export const addOrigin = <C extends Continuation>(read: C, origin: string): C => ({
  ...read,
  url: new URL(origin).origin + read.url,
});

/** Adds the server's origin wherever a field leads to bytes. */
export function addOriginToField(field: FieldPresentation, origin: string): FieldPresentation {
  if (field.shown === "encoded") return { ...field, read: addOrigin(field.read, origin) };
  if (field.shown !== "blob") return field;
  return { ...field, references: field.references.map((blob) => ({ ...blob, read: addOrigin(blob.read, origin) })) };
}

/** Lists blobs as resources, for hosts that read resources. The result itself says the same. */
export const createBlobMeta = (uris: readonly string[]): { readonly meta?: JsonObject } =>
  uris.length === 0 ? {} : { meta: { "pdpp/blobs": [...uris] } };

export const listBlobUris = (reads: readonly Continuation[]): string[] =>
  reads.flatMap((read) => {
    if (read.operation !== "readBlob") return [];
    const { connection_id: connectionId, blob_id: blobId } = read.arguments;
    return [formatUri({ kind: "blob", name: { connectionId, blobId } })];
  });

/** Reads that return the bytes of stored files. */
export const listBlobReads = (fields: readonly FieldPresentation[]): Continuation[] =>
  fields.flatMap((field) => (field.shown === "blob" ? field.references.map(({ read }) => read) : []));

/** Whether a field of the card leads to bytes. */
export const hasBytes = ({ slots, fields }: EvidenceCard): boolean =>
  [...Object.values(slots).flatMap((each) => each ?? []), ...fields].some(
    ({ shown }) => shown === "blob" || shown === "encoded",
  );

export const addOriginToCard = (card: EvidenceCard, origin: string): EvidenceCard => ({
  ...card,
  slots: Object.fromEntries(
    Object.entries(card.slots).map(([role, fields]) => [role, fields?.map((field) => addOriginToField(field, origin))]),
  ),
  fields: card.fields.map((field) => addOriginToField(field, origin)),
});
