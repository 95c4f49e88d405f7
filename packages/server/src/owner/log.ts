import { isoOf } from "@pdpp/contract/instant";
import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import { type LoggedAccess, readAccessLog } from "../store/access/access-log.ts";
import type { OwnerParts } from "./owner.ts";

/** What was read of the owner's records, by whom, under which grant. */
export const logOf = ({ store, ownerNo }: OwnerParts, grants: OwnerApi["grants"]): OwnerApi["log"] => ({
  async read({ grant, after, limit }) {
    const under = grant === undefined ? {} : { grantId: await firstGrant(grants, grant) };
    const from = after === undefined ? {} : { after };
    return (await store.engine.read((on) => readAccessLog(on, ownerNo, { ...under, ...from, limit }))).map(
      accessDocument,
    );
  },
});

/** A read under a package names every grant of it, so the first one finds it. A wrong id is refused: it would find nothing. */
async function firstGrant(grants: OwnerApi["grants"], id: string): Promise<string> {
  const named = await grants.get(id);
  return named.object === "grant" ? named.grant_id : (named.grants[0]?.grant_id ?? id);
}

const accessDocument = (entry: LoggedAccess): AccessDocument => ({
  object: "access",
  entry: entry.entryNo,
  at: isoOf(entry.at),
  request_id: entry.requestId,
  client: entry.client,
  grant_ids: entry.grantIds,
  operation: entry.operation,
  connection_ids: entry.connectionIds,
  stream: entry.stream,
  status: entry.status,
  records: entry.records,
  bytes: entry.bytes,
});
