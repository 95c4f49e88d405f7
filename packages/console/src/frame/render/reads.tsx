import { parseInstant } from "@pdpp/contract/instant";
import type { Html } from "../frame.tsx";
import { renderAgo, renderDay } from "./times.tsx";
import { formatNumber } from "./values.tsx";

/** Describes reads: how often, when last, and how far back the log was scanned. */

export function renderReadCount(times: number, lastAt: string, now: number): Html {
  const last = renderAgo(parseInstant(lastAt) ?? now, now);
  return times === 1 ? (
    <>once, {last}</>
  ) : (
    <>
      {formatNumber(times)} times, last {last}
    </>
  );
}

/** `older`: the URL of the page with older entries. */
export function renderOlderLink(
  { since }: { readonly since: string | null },
  before: number | undefined,
  older: string | undefined,
): Html {
  if (older === undefined) return before === undefined ? <></> : <p class="soft">No older entries in the log.</p>;
  const from = since === null ? null : parseInstant(since);
  return (
    <p class="soft">
      {from !== null && <>Searched the log back to {renderDay(from)}. </>}
      <a href={older}>Search further back</a>
    </p>
  );
}
