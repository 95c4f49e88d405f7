import { parseRecordId } from "../../input/record-id.ts";
import { requireArguments, usage } from "./reading.ts";

/** The record that the arguments name: a self-contained id, or a stream and an id in it. */
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
    throw usage(`${JSON.stringify(only)} does not name a record; write connection_id/stream:record_id, or STREAM ID`);
  if (connectionId !== undefined && connectionId !== handle.connectionId)
    throw usage(`--connection-id ${connectionId} is not the connection in the id; leave it out`);
  return { stream: handle.stream, record_id: handle.recordId, connection_id: handle.connectionId };
}
