import type { JsonObject } from "@pdpp/contract/declaration";

export interface DemoBlob {
  name: string;
  mimeType: string;
  bytes: Uint8Array;
}

/** Turns bytes into the blob_ref object ({blob_id, mime_type, size_bytes, sha256}) to be put into a record. */
export type BlobMaker = (blob: DemoBlob) => JsonObject;

export interface DemoRecord {
  key?: string | string[];
  data: JsonObject;
  emitted_at: string;
}

interface DemoConnection {
  connectorKey: string;
  connectionId: string;
  label: string;
  streams(blob: BlobMaker): { stream: string; records: Iterable<DemoRecord> }[];
}

export interface DemoVault {
  /** Where the household lives. */
  timeZone: string;
  manifests: JsonObject[];
  connections: DemoConnection[];
}
