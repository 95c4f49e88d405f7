import type { OwnerCopies, OwnerSession, SignIn } from "@pdpp/console";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import { streamBackup } from "./backup/backup-stream.ts";
import { type Outgoing, streamBytes, streamNdjson } from "./http/request/answer-stream.ts";
import type { Outcome } from "./http/request/log-entry-draft.ts";
import { toProblem } from "./http/respond.ts";
import type { OpenEntry } from "./store/access/log/access-log.ts";
import type { AccessEntry } from "./store/access/log/log-entry.ts";
import type { Store } from "./store/store.ts";

interface CopyOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly signIn: SignIn;
  readonly getOwner: (session: OwnerSession) => OwnerApi;
  readonly onBug: (error: unknown, requestId: string) => void;
}

/**
 * Downloads of everything for a signed-in owner. Each is logged when it starts and ends, and stops when its browser is
 * signed out.
 */
export function createOwnerCopies({ store, now, signIn, getOwner, onBug }: CopyOptions): OwnerCopies {
  const outgoing = (session: OwnerSession, operation: string): Outgoing => {
    const checkStillValid = async (): Promise<void> => {
      const sessions = await signIn.listSessions(session);
      if (!sessions.some(({ sessionId }) => sessionId === session.sessionId))
        throw new PdppError("permission_error", "this browser was signed out");
    };
    const at = now();
    let open: OpenEntry | undefined;
    const entry = (status: number, bytes: number, { code, isCut }: Outcome = {}): AccessEntry => ({
      ownerNo: session.ownerNo,
      at,
      requestId: "-",
      client: "owner",
      grantIds: [],
      operation,
      connectionIds: [],
      stream: null,
      status,
      records: 0,
      bytes,
      kind: "act",
      ...(code === undefined ? {} : { code }),
      ...(isCut ? { outcome: "cut" } : {}),
      ...(open === undefined ? {} : { endedAt: now() }),
    });
    return {
      checkStillValid,
      toProblem: (error) => toProblem(error, (bug) => onBug(bug, operation)),
      begin: (sentBytes) => {
        open = store.log.begin(entry(200, 0), () => entry(200, sentBytes()));
      },
      finish: (status, bytes, ending) => open?.end(entry(status, bytes, ending)),
    };
  };
  return {
    async backup(session, passphrase) {
      const { is_only } = await getOwner(session).self();
      if (!is_only)
        throw new PdppError(
          "permission_error",
          "a backup holds the data of every owner, so whoever runs the server makes it: pdpp backup FILE",
        );
      return streamBytes(streamBackup(store, passphrase, now()), 200, outgoing(session, "backup"));
    },
    async exportRecords(session) {
      const reader = await getOwner(session).reader();
      return streamNdjson(reader.export({}), "-", outgoing(session, "export"));
    },
  };
}
