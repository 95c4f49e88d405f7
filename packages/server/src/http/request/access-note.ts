import { PdppError } from "@pdpp/contract/errors";
import type { Disclosure } from "../../read/context.ts";
import type { OpenEntry } from "../../store/access/access-log.ts";
import type { AccessEntry } from "../../store/access/log-entry.ts";
import { versionsNoted } from "../../store/access/log-versions.ts";
import type { Scope } from "../../store/access/scope.ts";
import type { Store } from "../../store/store.ts";

/** What one request let out, collected until its answer is noted. */
export interface AccessNote {
  disclose(disclosure: Disclosure): void;
  /** The answer is about to go out bit by bit; `bytes` says how much has gone. */
  begin(bytes: () => number): void;
  /** The answer is about to go out, or what began has ended. */
  done(status: number, bytes: number, ending?: Ending): void;
}

/** How an answer ended that was not given in full. */
export interface Ending {
  readonly code?: string;
  readonly isCut?: boolean;
}

interface NoteParts {
  readonly store: Store;
  readonly now: () => number;
  /** Nothing goes out that cannot be noted. */
  readonly strictLog?: boolean | undefined;
}

export function accessNote(
  { store, now, strictLog }: NoteParts,
  scope: Scope,
  operation: string,
  streamAsked: string | undefined,
  requestId: string,
): AccessNote {
  const connectionIds = new Set<string>();
  const versions = versionsNoted();
  // What was asked for is noted even when nothing was let out, as far as the client may know of it.
  const asked = scope.streams.some(({ stream }) => stream.declaration.name === streamAsked) ? streamAsked : null;
  let stream: string | null = asked ?? null;
  let records = 0;
  let begun: { readonly at: number; readonly open: OpenEntry } | undefined;
  const need = strictLog ? "must keep" : undefined;
  const entry = (status: number, bytes: number, { code, isCut }: Ending = {}): AccessEntry => ({
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
    versions: versions.written(),
    ...(begun === undefined && (status === 401 || status === 403) ? { kind: "refusal" as const } : {}),
    ...(code === undefined ? {} : { code }),
    ...(isCut ? { outcome: "cut" as const } : {}),
    ...(begun === undefined ? {} : { endedAt: now() }),
  });
  return {
    disclose(disclosure) {
      for (const id of disclosure.connectionIds) connectionIds.add(id);
      stream = disclosure.stream ?? stream;
      records += disclosure.records;
      versions.add(disclosure.versions);
    },
    begin(bytes) {
      const at = now();
      const open = store.log.begin(entry(200, 0), () => entry(200, bytes()), need);
      if (open === undefined) throw notNoted();
      begun = { at, open };
    },
    done(status, bytes, ending) {
      const said = entry(status, bytes, ending);
      if (begun !== undefined) begun.open.end(said);
      else if (!store.log.note(said, need) && strictLog) throw notNoted();
    },
  };
}

const notNoted = (): PdppError =>
  new PdppError("unavailable", "the access log cannot be written, so nothing is read; the owner must free disk space");
