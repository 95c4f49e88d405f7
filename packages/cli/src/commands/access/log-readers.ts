import type { OwnerApi, RecordReader } from "@pdpp/contract/owner";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { showLabel } from "../../render/terminal/style.ts";
import { formatTable } from "../../render/terminal/table.ts";
import type { Output } from "../../runtime/output.ts";

export async function showReaders(
  owner: OwnerApi,
  out: Output,
  { connectionId, stream, recordId }: RecordHandle,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<void> {
  const asked = { connection_id: connectionId, stream, record_id: recordId, before };
  const found = await owner.log.listReaders(asked, limit);
  const { readers, next, more } = found;
  out.result(found, (style) =>
    readers.length === 0 ? describeNoReaders(next, before) : formatTable(style, headings, readers.map(toCells)),
  );
  if (more > 0) out.remark(`${more} more. Use --limit to show them.`);
  if (readers.some(({ perhaps }) => perhaps !== undefined))
    out.remark("MAYBE counts responses whose records were not all logged, such as exports.");
  if (next !== null) out.remark(`Searched the log back to ${found.since}. Continue with --before ${next}.`);
}

const describeNoReaders = (next: number | null, before: number | undefined): string =>
  next === null && before === undefined
    ? "No one has read this record."
    : "No one has read this record in this part of the log.";

const headings = ["CLIENT", "TIMES", "LAST", "MAYBE", "GRANTS"];

const toCells = ({ client, times, last_at, perhaps, grant_ids }: RecordReader): string[] => [
  showLabel(client),
  String(times),
  last_at ?? "-",
  perhaps === undefined ? "-" : `${perhaps.times}, last ${perhaps.last_at}`,
  grant_ids.join(",") || "-",
];
