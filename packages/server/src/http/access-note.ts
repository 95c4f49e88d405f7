import type { Disclosure } from "../read/context.ts";
import type { Scope } from "../store/access/scope.ts";
import type { Store } from "../store/store.ts";

/** What one request let out, collected until its last byte has gone. */
export interface AccessNote {
  disclose(disclosure: Disclosure): void;
  done(status: number, bytes: number): void;
}

export function accessNote(
  { store, now }: { readonly store: Store; readonly now: () => number },
  scope: Scope,
  operation: string,
  streamAsked: string | undefined,
  requestId: string,
): AccessNote {
  const connectionIds = new Set<string>();
  // What was asked for is noted even when nothing was let out, as far as the client may know of it.
  const asked = scope.streams.some(({ stream }) => stream.declaration.name === streamAsked) ? streamAsked : null;
  let stream: string | null = asked ?? null;
  let records = 0;
  return {
    disclose(disclosure) {
      for (const id of disclosure.connectionIds) connectionIds.add(id);
      stream = disclosure.stream ?? stream;
      records += disclosure.records;
    },
    done(status, bytes) {
      store.log.note({
        ownerNo: scope.ownerNo,
        at: now(),
        requestId,
        client: scope.client,
        grantIds: scope.grantIds,
        operation,
        connectionIds: [...connectionIds].sort(),
        stream,
        status,
        records,
        bytes,
      });
    },
  };
}
