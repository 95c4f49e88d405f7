/**
 * Self-contained record ids: `connection_id/stream:record_id`. Connection ids contain no `/` and streams no `:`, so the first of
 * each is a separator and the rest is the record id, unchanged. A handle identifies a record but grants nothing.
 */
export interface RecordHandle {
  readonly connectionId: string;
  readonly stream: string;
  readonly recordId: string;
}

export const formatHandle = ({ connectionId, stream, recordId }: RecordHandle): string =>
  `${connectionId}/${stream}:${recordId}`;

export function parseHandle(text: string): RecordHandle | null {
  const slash = text.indexOf("/");
  const colon = text.indexOf(":", slash + 1);
  if (slash < 1 || colon <= slash + 1 || colon === text.length - 1) return null;
  return {
    connectionId: text.slice(0, slash),
    stream: text.slice(slash + 1, colon),
    recordId: text.slice(colon + 1),
  };
}
