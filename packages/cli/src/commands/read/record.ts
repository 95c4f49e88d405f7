import { parseRecordId } from "../../record-id.ts";
import { exactly, usage } from "./reading.ts";

/** The record that the arguments name: a self-contained id, or a stream and an id in it. */
export function recordOf(
  words: readonly string[],
  connectionId: string | undefined,
): { stream: string; record_id: string; connection_id?: string } {
  if (words.length !== 1) {
    const [stream, id] = exactly(words, "stream", "id") as [string, string];
    return { stream, record_id: id, ...(connectionId === undefined ? {} : { connection_id: connectionId }) };
  }
  const handle = parseRecordId(words[0]!);
  if (handle === null)
    throw usage(
      `${JSON.stringify(words[0])} does not name a record; write connection_id/stream:record_id, or STREAM ID`,
    );
  if (connectionId !== undefined && connectionId !== handle.connectionId)
    throw usage(`--connection-id ${connectionId} is not the connection in the id; leave it out`);
  return { stream: handle.stream, record_id: handle.recordId, connection_id: handle.connectionId };
}
