import { PdppError } from "@pdpp/contract/errors";
import { parseHandle } from "@pdpp/evidence/handle";
import { parseUri } from "@pdpp/evidence/uri";

export interface RecordPlace {
  readonly connection_id?: string;
  readonly stream: string;
  readonly record_id: string;
}

/** The record that an id names: a self-contained id, a record URI, or, with its connection beside it, `stream:record_id`. */
export function recordNamed(id: string, connectionId: string | undefined): RecordPlace {
  const uri = parseUri(id);
  const handle = uri === null ? parseHandle(id) : uri.kind === "blob" ? null : uri.name;
  if (handle !== null && (uri !== null || !handle.connectionId.includes(":"))) {
    if (connectionId !== undefined && connectionId !== handle.connectionId) {
      throw new PdppError(
        "invalid_argument",
        `the id names connection ${handle.connectionId}, and connection_id another; leave connection_id out`,
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
  throw new PdppError("invalid_argument", "id is not a record id; copy one whole, as connection_id/stream:record_id", {
    param: "id",
  });
}
