import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import { type LoggedRequest, loggedRequest } from "@pdpp/contract/logged-request";
import type { AccessDocument, GrantDocument, OwnerApi } from "@pdpp/contract/owner";
import { readAccessLog } from "../store/access/log/access-log.ts";
import { findLastReads } from "../store/access/log/last-reads.ts";
import { logOwnerAction, pruneLog } from "../store/access/log/log-chain.ts";
import type { LoggedAccess } from "../store/access/log/log-entry.ts";
import { countReadsByDay, findEntry, loadLogPage } from "../store/access/log/log-page.ts";
import { verifyLog } from "../store/access/log/log-verification.ts";
import { parseJsonAs } from "../store/engine/json.ts";
import type { OwnerContext } from "./owner-context.ts";
import { findRecordReaders, listRecordsOfEntry, listRecordsRead } from "./record-reads.ts";

export function createLogApi(parts: OwnerContext, grants: OwnerApi["grants"]): OwnerApi["log"] {
  const { store, ownerNo, now } = parts;
  /** Adds the entries that a killed server left in its journal. A full disk must not hide the rest. */
  const adoptLeftovers = (): Promise<void> => store.log.adopt().catch(() => undefined);
  return {
    async read({ grant, after, limit }) {
      const under = grant === undefined ? {} : { grantIds: await listGrantIds(grants, grant) };
      const from = after === undefined ? {} : { after };
      await adoptLeftovers();
      const entries = await store.engine.read((on) => readAccessLog(on, ownerNo, { ...under, ...from, limit }));
      return entries.map(describeAccess);
    },
    async page({ grant, ...query }) {
      const grantIds = grant === undefined ? undefined : await listGrantIds(grants, grant);
      await adoptLeftovers();
      await store.log.flush();
      const { entries, ...place } = await store.engine.read((on) => loadLogPage(on, ownerNo, { ...query, grantIds }));
      return { entries: entries.map(describeAccess), ...place };
    },
    async get(entryNo) {
      await adoptLeftovers();
      await store.log.flush();
      const entry = await store.engine.read((on) => findEntry(on, ownerNo, entryNo));
      if (entry === undefined) throw new PdppError("not_found", `the log has no entry ${entryNo}`);
      return { entry: describeAccess(entry), ...(await listRecordsOfEntry(parts, entry)) };
    },
    async lastReads() {
      // Recent reads may not be in the log yet.
      await store.log.flush();
      return store.engine.read((on) => findLastReads(on, ownerNo));
    },
    async countByDay(since, grant) {
      const grantIds = grant === undefined ? undefined : await listGrantIds(grants, grant);
      await store.log.flush();
      const days = await store.engine.read((on) => countReadsByDay(on, ownerNo, since, grantIds));
      return days.map(({ client, day, reads, records }) => ({
        client,
        day: formatInstant(Number(day) * 86_400_000).slice(0, 10),
        reads: Number(reads),
        records: Number(records),
      }));
    },
    async listReaders(query, limit) {
      await adoptLeftovers();
      await store.log.flush();
      return findRecordReaders(parts, query, limit);
    },
    async listRecordsRead(grant, limit, before) {
      const ids = await listGrantIds(grants, grant);
      await adoptLeftovers();
      await store.log.flush();
      return listRecordsRead(parts, ids, limit, before);
    },
    async verify(kept) {
      await adoptLeftovers();
      const { fault, entries, unchained, last, hash } = await store.engine.read((on) => verifyLog(on, ownerNo, kept));
      return {
        object: "log_verification",
        valid: fault === null,
        entries,
        entries_without_hash: unchained,
        last_entry: last,
        hash,
        ...(fault === null ? {} : { fault }),
      };
    },
    async prune(before) {
      await adoptLeftovers();
      const removed = await store.engine.write(async (on) => {
        const count = await pruneLog(on, ownerNo, before);
        await logOwnerAction(on, {
          ownerNo,
          at: now(),
          operation: "log.prune",
          subject: formatInstant(before),
          records: count,
        });
        return count;
      });
      await store.engine.reclaimSpace();
      return { object: "log_pruning", before: formatInstant(before), entries_pruned: removed };
    },
  };
}

/** A statement has room for this many. For more, the latest are used. */
const maxGrants = 200;

/** The ids of a package's grants, or of a grant and those it replaced. Throws for an unknown id, which would match nothing. */
async function listGrantIds(grants: OwnerApi["grants"], id: string): Promise<string[]> {
  const named = await grants.get(id);
  if (named.object === "package") return named.grants.map(({ grant_id }) => grant_id).slice(-maxGrants);
  const byId = new Map((await grants.list()).map((grant) => [grant.grant_id, grant]));
  const found: string[] = [];
  for (let at: GrantDocument | undefined = named; at !== undefined && found.length < maxGrants; ) {
    found.push(at.grant_id);
    at = at.replaces === undefined ? undefined : byId.get(at.replaces);
  }
  return found;
}

/** Someone who changed the table must not be able to hide the log; `verify` names the entry. */
function parseRequest(text: string): LoggedRequest | null {
  try {
    return parseJsonAs(loggedRequest, text);
  } catch {
    return null;
  }
}

const describeAccess = (entry: LoggedAccess): AccessDocument => ({
  object: "access",
  entry: entry.entryNo,
  kind: entry.kind,
  at: formatInstant(entry.at),
  ...(entry.endedAt === undefined ? {} : { ended_at: formatInstant(entry.endedAt) }),
  request_id: entry.requestId,
  client: entry.client,
  grant_ids: entry.grantIds,
  operation: entry.operation,
  ...(entry.subject === undefined ? {} : { subject: entry.subject }),
  connection_ids: entry.connectionIds,
  stream: entry.stream,
  ...(entry.request === undefined ? {} : { request: entry.request === null ? null : parseRequest(entry.request) }),
  outcome: entry.outcome,
  status: entry.status,
  ...(entry.code === undefined ? {} : { code: entry.code }),
  records: entry.records,
  bytes: entry.bytes,
  ...(entry.times === undefined ? {} : { times: entry.times }),
});
