/**
 * Names of records that say all: `connection_id/stream:record_id`. Connection ids have no `/`, streams no `:`, so the first of each
 * ends its part, and the record id is whatever follows, unchanged. A handle is a name, never authority.
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
