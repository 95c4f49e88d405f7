import type { OwnerApi, RecordReader } from "@pdpp/contract/owner";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { formatTable } from "../../render/terminal/table.ts";
import type { Output } from "../../runtime/output.ts";

/** `pdpp log --record`: who has read one record. */

export async function showReaders(
  owner: OwnerApi,
  out: Output,
  { connectionId, stream, recordId }: RecordHandle,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<void> {
  const asked = { connection_id: connectionId, stream, record_id: recordId, before };
  const found = await owner.log.readersOf(asked, limit);
  const { readers, next, more } = found;
  out.result(found, (style) =>
    readers.length === 0 ? describeNoReaders(next, before) : formatTable(style, headings, readers.map(toCells)),
  );
  if (more > 0) out.remark(`${more} more; --limit shows more of them`);
  if (readers.some(({ perhaps }) => perhaps !== undefined))
    out.remark("MAYBE counts answers that do not list all the records in them, such as an export");
  if (next !== null) out.remark(`the log was looked at back to ${found.since}; --before ${next} goes on`);
}

const describeNoReaders = (next: number | null, before: number | undefined): string =>
  next === null && before === undefined ? "nobody has read it" : "nobody has read it, in this part of the log";

const headings = ["CLIENT", "TIMES", "LAST", "MAYBE", "GRANTS"];

const toCells = ({ client, times, last_at, perhaps, grant_ids }: RecordReader): string[] => [
  client,
  String(times),
  last_at ?? "-",
  perhaps === undefined ? "-" : `${perhaps.times}, last ${perhaps.last_at}`,
  grant_ids.join(",") || "-",
];
