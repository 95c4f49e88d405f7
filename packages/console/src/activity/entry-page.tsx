import { parseInstant } from "@pdpp/contract/instant";
import type { LogEntryDetail } from "@pdpp/contract/owner";
import { getRecordUrl, toAbsoluteUrl } from "../frame/addresses.ts";
import { type Html, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { writeTitle } from "../frame/render/own-titles.ts";
import { renderBackLink } from "../frame/render/parts.tsx";
import { renderEventTime } from "../frame/render/times.tsx";
import { formatCount, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { formatClient, renderEvent } from "./event.tsx";
import { renderRequest } from "./request-part.tsx";

/** One line of the log: what was asked, and which records were returned. */

export interface EntryView extends LogEntryDetail {
  readonly names: Names;
  readonly viewer: Viewer;
}

export function renderEntryPage({ entry, records, others, names, viewer }: EntryView): Html {
  const [grant] = entry.grant_ids;
  return renderPage(
    "Activity",
    <>
      {renderBackLink("/activity", "Activity")}
      <h1>
        {renderText(formatClient(entry.client))} {renderEvent(entry, names, true)}
      </h1>
      <p class="soft">
        {renderEventTime(parseInstant(entry.at) ?? 0, false)}
        {grant !== undefined && (
          <>
            {" "}
            · <a href={`/agents/${grant}`}>its access</a>
          </>
        )}
      </p>
      {renderRequest(entry, names)}
      <h2>Records returned</h2>
      {records.length > 0 && (
        <ul class="related">
          {records.map((record) => (
            <li>
              <a href={toAbsoluteUrl(getRecordUrl(record.id))}>{renderText(writeTitle(names, record))}</a>{" "}
              <span class="soft under">{renderText(names.place(record.connection_id, record.stream))}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="soft">{describeOthers(records.length, others)}</p>
    </>,
    { owner: { room: "/activity", viewer } },
  );
}

const describeOthers = (shown: number, others: number): string =>
  others === 0
    ? shown === 0
      ? "None."
      : ""
    : `${formatCount(others, shown === 0 ? "record" : "other record")}: not listed, or deleted since.`;
