import { PdppError } from "@pdpp/contract/errors";
import { parseHandle } from "@pdpp/evidence/handles/handle";
import { parseUri } from "@pdpp/evidence/handles/uri";

export interface RecordPlace {
  readonly connection_id?: string;
  readonly stream: string;
  readonly record_id: string;
}

/**
 * Reads a record. Some servers repeat the stream in ids (`connection_id/stream:stream:key`); if no record has that
 * id, try the shorter one.
 */
export async function readRecord<T>(place: RecordPlace, read: (place: RecordPlace) => Promise<T>): Promise<T> {
  try {
    return await read(place);
  } catch (error) {
    const twice = `${place.stream}:`;
    const key = place.record_id.slice(twice.length);
    const missing = error instanceof PdppError && error.code === "not_found";
    if (!missing || !place.record_id.startsWith(twice) || key === "") throw error;
    return read({ ...place, record_id: key }).catch(() => {
      throw error;
    });
  }
}

/** Parses a record id: a handle, a record URI, or `stream:record_id` with a separate connection. */
export function parseRecordId(id: string, connectionId: string | undefined): RecordPlace {
  const uri = parseUri(id);
  const handle = uri === null ? parseHandle(id) : uri.kind === "blob" ? null : uri.name;
  if (handle !== null && (uri !== null || !handle.connectionId.includes(":"))) {
    if (connectionId !== undefined && connectionId !== handle.connectionId) {
      throw new PdppError(
        "invalid_argument",
        `the id belongs to connection ${handle.connectionId}, but connection_id names another; leave connection_id out`,
        { param: "connection_id" },
      );
    }
    return { connection_id: handle.connectionId, stream: handle.stream, record_id: handle.recordId };
  }
  const colon = id.indexOf(":");
  if (uri === null && colon > 0 && colon < id.length - 1 && !id.startsWith("pdpp://")) {
    const place = { stream: id.slice(0, colon), record_id: id.slice(colon + 1) };
    return connectionId === undefined ? place : { connection_id: connectionId, ...place };
  }
  throw new PdppError("invalid_argument", "id is not a record id; copy a whole one: connection_id/stream:record_id", {
    param: "id",
  });
}
