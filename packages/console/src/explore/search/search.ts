import { parseInstant } from "@pdpp/contract/instant";
import type { SearchList, SearchResult } from "@pdpp/contract/wire";
import type { Context } from "hono";
import { toDay } from "../../days/calendar.ts";
import { loadThreadTitles } from "../../days/thread-titles.ts";
import { listTimedStreams } from "../../days/timed-streams.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { loadRecentEntries } from "../../home/recent.ts";
import { readText } from "../request.ts";
import type { Viewpoint } from "../viewpoint.tsx";
import { renderBrowsePage } from "./browse-page.tsx";
import { renderResultsPage } from "./results-page.tsx";
import { buildSearchInput, findDateRedirect, parseSearchQuestion } from "./search-question.ts";

const hitsPerPage = 20;
/** Hits that are put in order of their dates, page by page. */
const hitsByDate = 100;

export async function respondWithSearch(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  now: number,
): Promise<Response> {
  const { reader, names, impersonatedGrant, runTool } = viewpoint;
  const question = parseSearchQuestion((name) => c.req.query(name));
  const lastAction = await viewpoint.findAction(c.req.query("did"), "search.");
  const shown = { question, names, impersonatedGrant, viewer, now, lastAction };
  if (question.q === "") {
    const { data } = await reader.streams({});
    const counts = new Map(data.map((row) => [`${row.connection_id}/${row.name}`, row.record_count]));
    return c.html(
      renderBrowsePage({ ...shown, counts, ...(await loadNewest(viewpoint, now)) }),
      200,
      buildPageHeaders(),
    );
  }
  const cursor = readText(c, "cursor");
  const meant = cursor === undefined ? findDateRedirect(question, now) : undefined;
  if (meant !== undefined) return c.redirect(meant, 303);
  const narrowed = buildSearchInput(question);
  const isFirst = cursor === undefined;
  const byDate = question.order === "date";
  const best = await reader.search({
    q: question.q,
    limit: byDate ? hitsByDate : hitsPerPage,
    collapse: "similar",
    ...narrowed,
    ...(isFirst ? { spread: "auto" as const } : { cursor }),
  });
  const found = byDate ? sortByDate(best) : best;
  const text = isFirst ? await runTool("search", { query: question.q, ...narrowed }) : undefined;
  const others = isFirst ? await viewpoint.listOthers() : [];
  return c.html(renderResultsPage({ ...shown, found, isFirst, toolOutput: text, others }), 200, buildPageHeaders());
}

/** The order is only right among these; the next page has the next best ones. */
const sortByDate = (found: SearchList): SearchList => ({
  ...found,
  data: found.data.toSorted((a, b) => getTime(b) - getTime(a)),
});

function getTime({ event_time: time }: SearchResult): number {
  const at = typeof time === "string" ? parseInstant(time) : time;
  return at ?? Number.NEGATIVE_INFINITY;
}

const recentShown = 6;

export async function loadNewest({ reader, names, timeZone }: Viewpoint, now: number) {
  const streams = await listTimedStreams(reader, names);
  const recent = await loadRecentEntries(reader, streams, toDay(now, timeZone), timeZone, recentShown);
  return { recent, zone: timeZone, threadTitles: await loadThreadTitles(reader, names, recent) };
}
