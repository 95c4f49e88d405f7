import { parseInstant } from "@pdpp/contract/instant";
import type { GrantDocument, OwnerApi, RecordReader, RecordReaders } from "@pdpp/contract/owner";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { buildUrl } from "../../frame/addresses.ts";
import type { Html } from "../../frame/frame.tsx";
import { renderOlderLink, renderReadCount } from "../../frame/render/reads.tsx";
import { renderAgo } from "../../frame/render/times.tsx";
import { formatNumber, renderName } from "../../frame/render/values.tsx";

/** Who has read a record. */

const maxReaders = 20;

export async function renderAccessHistory(
  owner: OwnerApi,
  { connectionId, stream, recordId }: RecordHandle,
  before: number | undefined,
  now: number,
): Promise<Html> {
  const asked = { connection_id: connectionId, stream, record_id: recordId, before };
  const found = await owner.log.listReaders(asked, maxReaders);
  const grants = found.readers.length === 0 ? [] : await owner.grants.list();
  const id = formatHandle({ connectionId, stream, recordId });
  const older = found.next === null ? undefined : `${buildUrl("record", { id, before: found.next })}#readers`;
  return (
    <section id="readers">
      <h2>Access history</h2>
      {found.readers.length === 0 ? (
        <p>{getEmptyText(found, before)}</p>
      ) : (
        <ul class="related">{found.readers.map((reader) => renderReader(reader, grants, now))}</ul>
      )}
      {found.more !== 0 && <p class="soft">and {formatNumber(found.more)} more</p>}
      {renderOlderLink(found, before, older)}
    </section>
  );
}

const getEmptyText = ({ next }: RecordReaders, before: number | undefined): string =>
  next === null && before === undefined ? "No agent has read this record." : "No reads in this part of the log.";

function renderReader(reader: RecordReader, grants: readonly GrantDocument[], now: number): Html {
  const { client, grant_ids: ids, times, last_at: lastAt, perhaps } = reader;
  const grant = grants.find(({ grant_id }) => ids.includes(grant_id));
  const name =
    grant === undefined ? (
      <>
        {renderName(client)} {ids.length === 0 && <span class="soft">your own token</span>}
      </>
    ) : (
      <a href={`/agents/${encodeURIComponent(grant.package_id ?? grant.grant_id)}`}>{renderName(client)}</a>
    );
  const sure = lastAt === undefined ? "" : <>, {renderReadCount(times, lastAt, now)}</>;
  const also = times === 0 ? "May have read it" : "Possibly more often";
  const maybe =
    perhaps === undefined ? (
      ""
    ) : (
      <>
        {" "}
        <span class="soft under">
          {also}:{" "}
          {perhaps.times === 1
            ? "one response isn't listed record by record,"
            : `${formatNumber(perhaps.times)} responses aren't listed record by record, the last`}{" "}
          {renderAgo(parseInstant(perhaps.last_at) ?? now, now)}
        </span>
      </>
    );
  return (
    <li>
      {name}
      {sure}
      {maybe}
    </li>
  );
}
