import { z } from "zod";
import { ConnectorFailure } from "./protocol.ts";

/** What a record says to refer to a stored file. */
const blobReference = z.object({
  blob_id: z.string(),
  mime_type: z.string(),
  size_bytes: z.number(),
  sha256: z.string(),
});
export type BlobReference = z.infer<typeof blobReference>;

export interface BlobPlace {
  readonly stream: string;
  readonly key: string;
  readonly mimeType: string;
}

export const canPutBlobs = (): boolean => Boolean(process.env.PDPP_RS_URL && process.env.PDPP_OWNER_TOKEN);

/** Stores a file with the token of the run, by the names of the public protocol; undefined if the host takes no files. */
export async function putBlob(place: BlobPlace, bytes: Uint8Array): Promise<BlobReference | undefined> {
  const { PDPP_RS_URL: address, PDPP_OWNER_TOKEN: token, PDPP_CONNECTOR_ID, PDPP_CONNECTOR_INSTANCE_ID } = process.env;
  if (!address || !token) return undefined;
  const url = new URL("/v1/blobs", address);
  url.searchParams.set("connector_id", PDPP_CONNECTOR_ID ?? "");
  if (PDPP_CONNECTOR_INSTANCE_ID) url.searchParams.set("connector_instance_id", PDPP_CONNECTOR_INSTANCE_ID);
  url.searchParams.set("stream", place.stream);
  url.searchParams.set("record_key", place.key);
  url.searchParams.set("mime_type", place.mimeType);
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": place.mimeType },
    body: new Blob([new Uint8Array(bytes)]),
  });
  if (!response.ok)
    throw new ConnectorFailure("blob_rejected", `the host rejected a file (${response.status})`, "retry_by_runtime");
  const { blob_id, mime_type, size_bytes, sha256 } = blobReference.parse(await response.json());
  return { blob_id, mime_type, size_bytes, sha256 };
}
