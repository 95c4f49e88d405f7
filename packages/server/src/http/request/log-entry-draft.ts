import { PdppError } from "@pdpp/contract/errors";
import type { Disclosure } from "../../read/context.ts";
import type { OpenEntry } from "../../store/access/log/access-log.ts";
import type { AccessEntry } from "../../store/access/log/log-entry.ts";
import { listLoggedVersions } from "../../store/access/log/log-versions.ts";
import type { Scope } from "../../store/access/scope.ts";
import type { Store } from "../../store/store.ts";

/** The access log entry of a call, collected until its answer is sent. */
export interface LogEntryDraft {
  /** `describe` is called when the entry is written, with whether it lists the records. */
  ask(describe: (isListed: boolean) => string): void;
  disclose(disclosure: Disclosure): void;
  begin(sentBytes: () => number): void;
  finish(status: number, bytes: number, ending?: Outcome): void;
}

export interface Outcome {
  readonly code?: string;
  readonly isCut?: boolean;
}

interface LogOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly strictLog?: boolean | undefined;
}

export function startLogEntry(
  { store, now, strictLog }: LogOptions,
  scope: Scope,
  operation: string,
  requestedStream: string | undefined,
  requestId: string,
): LogEntryDraft {
  const connectionIds = new Set<string>();
  const versions = listLoggedVersions();
  // A requested stream is logged even if nothing was disclosed, but only if the client may know that it exists.
  const isKnown = scope.streams.some(({ stream }) => stream.declaration.name === requestedStream);
  let stream: string | null = (isKnown ? requestedStream : null) ?? null;
  let records = 0;
  let describe: ((isListed: boolean) => string) | undefined;
  let begun: { readonly at: number; readonly open: OpenEntry } | undefined;
  const need = strictLog ? "must keep" : undefined;
  const toEntry = (status: number, bytes: number, { code, isCut }: Outcome = {}): AccessEntry => {
    const listed = versions.written();
    return {
      ownerNo: scope.ownerNo,
      at: begun?.at ?? now(),
      requestId,
      client: scope.client,
      grantIds: scope.grantIds,
      operation,
      connectionIds: [...connectionIds].sort(),
      stream,
      status,
      records,
      bytes,
      versions: listed,
      request: describe?.(listed !== undefined),
      ...(begun === undefined && (status === 401 || status === 403) ? { kind: "refusal" as const } : {}),
      ...(code === undefined ? {} : { code }),
      ...(isCut ? { outcome: "cut" as const } : {}),
      ...(begun === undefined ? {} : { endedAt: now() }),
    };
  };
  return {
    ask(described) {
      describe = described;
    },
    disclose(disclosure) {
      for (const id of disclosure.connectionIds) connectionIds.add(id);
      stream = disclosure.stream ?? stream;
      records += disclosure.records;
      versions.add(disclosure.versions);
    },
    begin(sentBytes) {
      const at = now();
      const open = store.log.begin(toEntry(200, 0), () => toEntry(200, sentBytes()), need);
      if (open === undefined) throw createLogError();
      begun = { at, open };
    },
    finish(status, bytes, ending) {
      const entry = toEntry(status, bytes, ending);
      if (begun !== undefined) begun.open.end(entry);
      else if (!store.log.note(entry, need) && strictLog) throw createLogError();
    },
  };
}

const createLogError = (): PdppError =>
  new PdppError("unavailable", "the access log cannot be written, so nothing is read; the owner must free disk space");
