import { parseRecordId } from "../../input/record-id.ts";
import { UsageError } from "../../runtime/failure.ts";
import { requireArguments } from "./reading.ts";

/** Accepts a full record id, or a stream and an id. */
export function parseRecordArguments(
  words: readonly string[],
  connectionId: string | undefined,
): { stream: string; record_id: string; connection_id?: string } {
  const [only, ...others] = words;
  if (only === undefined || others.length > 0) {
    const [stream = "", id = ""] = requireArguments(words, "stream", "id");
    return { stream, record_id: id, ...(connectionId === undefined ? {} : { connection_id: connectionId }) };
  }
  const handle = parseRecordId(only);
  if (handle === null)
    throw new UsageError(
      `${JSON.stringify(only)} is not a record id; use connection_id/stream:record_id, or STREAM ID`,
    );
  if (connectionId !== undefined && connectionId !== handle.connectionId)
    throw new UsageError(`--connection-id ${connectionId} does not match the connection in the id; drop it`);
  return { stream: handle.stream, record_id: handle.recordId, connection_id: handle.connectionId };
}
