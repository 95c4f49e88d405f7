import type { OwnerApi, ReadRecord, RecordsRead } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { addressWith, fromElsewhere, recordAddress } from "../frame/addresses.ts";
import type { Html } from "../frame/frame.ts";
import { type Names, namesOf } from "../frame/names.ts";
import { olderReads, readsWords } from "../frame/reads.ts";
import { grouped, said } from "../frame/value-view.ts";

/** On an agent's page: which records it read, as they are now. */

const mostRecords = 20;

export async function recordsSection(
  owner: OwnerApi,
  id: string,
  asked: string | undefined,
  now: number,
): Promise<Html> {
  const before = /^\d{1,15}$/.test(asked ?? "") ? Number(asked) : undefined;
  const found = await owner.log.recordsUnder(id, mostRecords, before);
  const names = await namesOf(owner);
  const { records, next } = found;
  const here = `/agents/${encodeURIComponent(id)}`;
  const older = next === null ? undefined : `${addressWith(here, { before: next })}#records`;
  return html`<section id="records"><h2>Records read</h2>
${records.length === 0 ? html`<p class="soft">${next === null && before === undefined ? "None." : "None in this part of the log."}</p>` : html`<ul class="related">${records.map((record) => line(record, names, now))}</ul>`}
${notes(found).map((note) => html`<p class="soft">${note}</p>`)}
${olderReads(found, before, older)}</section>`;
}

const line = (
  { id, title, connection_id: source, stream, times, last_at }: ReadRecord,
  names: Names,
  now: number,
): Html =>
  html`<li><a href="${fromElsewhere(recordAddress(id))}">${said(title)}</a> <span class="soft under">${said(names.source(source))} · ${said(names.stream(source, stream))} · ${readsWords(times, last_at, now)}</span></li>`;

function notes({ records, gone, unlisted, has_more }: RecordsRead): string[] {
  const [isOne, isLong] = [gone === 1, unlisted === 1];
  return [
    ...(has_more ? [`Showing the latest ${grouped(records.length)}.`] : []),
    ...(gone === 0
      ? []
      : [`${isOne ? "One record it read is" : `${grouped(gone)} records it read are`} no longer in the vault.`]),
    ...(unlisted === 0
      ? []
      : [
          `${isLong ? "One response (such as an export) isn't" : `${grouped(unlisted)} responses (such as exports) aren't`} listed record by record.`,
        ]),
  ];
}
