import type { AccessDocument } from "@pdpp/contract/owner";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { loadOwnerScope } from "../../../packages/server/src/auth/authenticate.ts";
import { decodeVersions } from "../../../packages/server/src/store/access/log/log-versions.ts";
import { sql } from "../../../packages/server/src/store/engine/sql.ts";
import {
  findRecordsByVersion,
  type RecordPlace,
} from "../../../packages/server/src/store/records/records-of-versions.ts";
import type { Store } from "../../../packages/server/src/store/store.ts";

/** The records that a log entry says were disclosed, as handles; "?" for a record that no longer exists. */
export async function listLoggedRecords(store: Store, { entry }: Pick<AccessDocument, "entry">): Promise<string[]> {
  const row = await store.engine.read((on) =>
    on.one<{ versions: string | null }>(sql`SELECT versions FROM access_log WHERE entry_no = ${entry}`),
  );
  const versions = row?.versions == null ? [] : decodeVersions(row.versions).listed;
  const { streams } = await loadOwnerScope(store, 1);
  const places = await store.engine.read(async (on) => {
    const found: [number, RecordPlace][] = [];
    for (const stream of streams) found.push(...(await findRecordsByVersion(on, stream, versions)));
    return new Map(found);
  });
  return versions
    .map((version) => {
      const place = places.get(version);
      return place === undefined ? "?" : formatHandle({ ...place, recordId: place.key });
    })
    .sort();
}
