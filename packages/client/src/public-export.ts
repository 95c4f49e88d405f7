import type { ApiClient } from "@pdpp/contract/client";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import * as pub from "@pdpp/contract/public-wire";
import type { WireRecord } from "@pdpp/contract/wire";
import { parseHandle, type RecordHandle } from "@pdpp/evidence/handles/handle";
import { isTombstone, toRecord } from "./public-answers.ts";
import type { KnownStream } from "./public-schema.ts";

const pageSize = 100;

/** The public protocol has no export, so this pages through every stream. `after` skips what was already received. */
export async function* exportRecords(
  client: ApiClient,
  loadStreams: () => Promise<KnownStream[]>,
  { stream, connection_id, after }: Input<"export">,
): AsyncGenerator<WireRecord> {
  const known = await loadStreams();
  let skipping = after === undefined ? null : parseResumeHandle(after);
  const rows = await client.answer(
    "streams",
    pub.publicStreamList,
    connection_id === undefined ? {} : { connection_id },
  );
  for (const row of rows.data.filter(({ name }) => stream === undefined || name === stream)) {
    if (skipping !== null && (skipping.stream !== row.name || skipping.connectionId !== row.connection_id)) continue;
    let cursor: string | undefined;
    do {
      const place = { stream: row.name, connection_id: row.connection_id, order: "asc", limit: pageSize };
      const page = await client.answer("queryRecords", pub.publicRecordList, { ...place, cursor });
      for (const item of page.data) {
        if (skipping !== null) {
          if (item.id === skipping.recordId) skipping = null;
        } else if (!isTombstone(item)) yield toRecord(known, item);
      }
      cursor = page.has_more ? page.next_cursor : undefined;
    } while (cursor !== undefined);
  }
  if (skipping !== null)
    throw new PdppError("invalid_cursor", `there is no record ${after} to continue after`, { param: "after" });
}

function parseResumeHandle(text: string): RecordHandle {
  const handle = parseHandle(text);
  if (handle === null)
    throw new PdppError("invalid_cursor", "after is not connection_id/stream:record_id", { param: "after" });
  return handle;
}
