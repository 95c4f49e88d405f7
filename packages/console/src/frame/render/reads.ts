import { parseInstant } from "@pdpp/contract/instant";
import { html } from "hono/html";
import type { Html } from "../frame.ts";
import { renderAgo, renderDay } from "./times.ts";
import { formatNumber } from "./values.ts";

/** Describes reads: how often, when last, and how far back the log was scanned. */

export function renderReadCount(times: number, lastAt: string, now: number): Html {
  const last = renderAgo(parseInstant(lastAt) ?? now, now);
  return times === 1 ? html`once, ${last}` : html`${formatNumber(times)} times, last ${last}`;
}

/** `older`: the URL of the page with older entries. */
export function renderOlderLink(
  { since }: { readonly since: string | null },
  before: number | undefined,
  older: string | undefined,
): Html {
  if (older === undefined)
    return before === undefined ? html`` : html`<p class="soft">No older entries in the log.</p>`;
  const from = since === null ? null : parseInstant(since);
  return html`<p class="soft">${from === null ? "" : html`Searched the log back to ${renderDay(from)}. `}<a href="${older}">Search further back</a></p>`;
}
