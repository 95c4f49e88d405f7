import type { Continuation } from "@pdpp/contract/continuation";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { formatUri } from "@pdpp/evidence/handles/uri";

/** Bytes are not for a model, and no tool has them: whoever runs it gets them by REST or on the command line. */

/** A word that every shell takes as it stands. Anything else is left to the address, which needs no quoting. */
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

/** `brief`: names are so long that there is room for the address alone. */
export function layOutBytes(read: Continuation, brief = false): JsonObject {
  const command = brief ? undefined : formatCommand(read);
  return { rest: `GET ${read.url}`, ...(command === undefined ? {} : { cli: command }) };
}

export function formatBytesLine(read: Continuation, brief = false): string {
  const command = brief ? undefined : formatCommand(read);
  return `bytes: GET ${read.url} with this token${command === undefined ? "" : `, or ${command}`}`;
}

/** The way to the bytes with the server's address: whoever reads a tool's text knows no other. */
export const addOrigin = <C extends Continuation>(read: C, origin: string): C => ({
  ...read,
  url: new URL(origin).origin + read.url,
});

/** A field as it is shown, with the server's address wherever it leads to bytes. */
export function addOriginToField(field: FieldPresentation, origin: string): FieldPresentation {
  if (field.shown === "encoded") return { ...field, read: addOrigin(field.read, origin) };
  if (field.shown !== "blob") return field;
  return { ...field, references: field.references.map((blob) => ({ ...blob, read: addOrigin(blob.read, origin) })) };
}

/** The bytes of blobs as resources, for hosts that read resources; nothing is said only there. */
export const createBlobMeta = (uris: readonly string[]): { readonly meta?: JsonObject } =>
  uris.length === 0 ? {} : { meta: { "pdpp/blobs": [...uris] } };

export const listBlobUris = (reads: readonly Continuation[]): string[] =>
  reads.flatMap((read) => {
    if (read.operation !== "readBlob") return [];
    const { connection_id: connectionId, blob_id: blobId } = read.arguments;
    return [formatUri({ kind: "blob", name: { connectionId, blobId } })];
  });

/** Where the bytes of stored files are. */
export const listBlobReads = (fields: readonly FieldPresentation[]): Continuation[] =>
  fields.flatMap((field) => (field.shown === "blob" ? field.references.map(({ read }) => read) : []));

/** Whether a field of the card is read elsewhere as bytes. */
export const leadsToBytes = ({ slots, fields }: EvidenceCard): boolean =>
  [...Object.values(slots).flatMap((each) => each ?? []), ...fields].some(
    ({ shown }) => shown === "blob" || shown === "encoded",
  );

/** The same for every field of a card. */
export const addOriginToCard = (card: EvidenceCard, origin: string): EvidenceCard => ({
  ...card,
  slots: Object.fromEntries(
    Object.entries(card.slots).map(([role, fields]) => [role, fields?.map((field) => addOriginToField(field, origin))]),
  ),
  fields: card.fields.map((field) => addOriginToField(field, origin)),
});
