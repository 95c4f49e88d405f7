import type { Context } from "hono";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { readText } from "../request.ts";
import type { Viewpoint } from "../viewpoint.tsx";
import { renderBrowsePage } from "./browse-page.tsx";
import { renderResultsPage } from "./results-page.tsx";
import { buildSearchInput, findDateRedirect, parseSearchQuestion } from "./search-question.ts";

const hitsPerPage = 20;

export async function respondWithSearch(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  now: number,
): Promise<Response> {
  const { reader, names, impersonatedGrant, runTool } = viewpoint;
  const question = parseSearchQuestion(c);
  const shown = { question, names, impersonatedGrant, viewer, now };
  if (question.q === "") {
    const { data } = await reader.streams({});
    const counts = new Map(data.map((row) => [`${row.connection_id}/${row.name}`, row.record_count]));
    return c.html(renderBrowsePage({ ...shown, counts }), 200, buildPageHeaders());
  }
  const cursor = readText(c, "cursor");
  const meant = cursor === undefined ? findDateRedirect(question, now) : undefined;
  if (meant !== undefined) return c.redirect(meant, 303);
  const narrowed = buildSearchInput(question);
  const isFirst = cursor === undefined;
  const found = await reader.search({
    q: question.q,
    limit: hitsPerPage,
    collapse: "similar",
    ...narrowed,
    ...(isFirst ? { spread: "auto" as const } : { cursor }),
  });
  const text = isFirst ? await runTool("search", { query: question.q, ...narrowed }) : undefined;
  const others = isFirst ? await viewpoint.listOthers() : [];
  return c.html(renderResultsPage({ ...shown, found, isFirst, toolOutput: text, others }), 200, buildPageHeaders());
}
