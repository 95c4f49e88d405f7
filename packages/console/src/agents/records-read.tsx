import type { OwnerApi, ReadRecord, RecordsRead } from "@pdpp/contract/owner";
import { buildUrl, getRecordUrl, toAbsoluteUrl } from "../frame/addresses.ts";
import type { Html } from "../frame/frame.tsx";
import { loadNames, type Names } from "../frame/names.ts";
import { writeTitle } from "../frame/render/own-titles.ts";
import { renderOlderLink, renderReadCount } from "../frame/render/reads.tsx";
import { formatNumber, renderText } from "../frame/render/values.tsx";

/** The records an agent has read, in their current version. */

const maxRecords = 20;

export async function renderRecordsRead(
  owner: OwnerApi,
  id: string,
  asked: string | undefined,
  now: number,
): Promise<Html> {
  const before = /^\d{1,15}$/.test(asked ?? "") ? Number(asked) : undefined;
  const found = await owner.log.listRecordsRead(id, maxRecords, before);
  const names = await loadNames(owner);
  const { records, next } = found;
  const here = `/agents/${encodeURIComponent(id)}`;
  const older = next === null ? undefined : `${buildUrl(here, { before: next })}#records`;
  return (
    <section id="records">
      <h2>Records read</h2>
      {records.length === 0 ? (
        <p class="soft">{next === null && before === undefined ? "None." : "None in this part of the log."}</p>
      ) : (
        <ul class="related">{records.map((record) => renderRecord(record, names, now))}</ul>
      )}
      {listNotes(found).map((note) => (
        <p class="soft">{note}</p>
      ))}
      {renderOlderLink(found, before, older)}
    </section>
  );
}

const renderRecord = (record: ReadRecord, names: Names, now: number): Html => (
  <li>
    <a href={toAbsoluteUrl(getRecordUrl(record.id))}>{renderText(writeTitle(names, record))}</a>{" "}
    <span class="soft under">
      {renderText(names.place(record.connection_id, record.stream))} ·{" "}
      {renderReadCount(record.times, record.last_at, now)}
    </span>
  </li>
);

function listNotes({ records, gone, unlisted, has_more }: RecordsRead): string[] {
  const [isOne, isLong] = [gone === 1, unlisted === 1];
  return [
    ...(has_more ? [`Showing the latest ${formatNumber(records.length)}.`] : []),
    ...(gone === 0
      ? []
      : [`${isOne ? "One record it read is" : `${formatNumber(gone)} records it read are`} no longer in the vault.`]),
    ...(unlisted === 0
      ? []
      : [
          `${isLong ? "One response (such as an export) isn't" : `${formatNumber(unlisted)} responses (such as exports) aren't`} listed record by record.`,
        ]),
  ];
}
