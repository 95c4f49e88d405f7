import type { Context } from "hono";
import { pageHeaders } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { browsePage } from "./browse-page.ts";
import { foundPage } from "./found-page.ts";
import { questionIn, searchInput, understood } from "./question.ts";
import { textIn } from "./request.ts";
import type { Stand } from "./stand.ts";

/** One box over everything. */

const hitsOnPage = 20;

export async function searchView(c: Context, stand: Stand, proof: Proof, now: number): Promise<Response> {
  const { reader, names, worn, told } = stand;
  const question = questionIn(c);
  const shown = { question, names, worn, proof, now };
  if (question.q === "") {
    const { data } = await reader.streams({});
    const counts = new Map(data.map((row) => [`${row.connection_id}/${row.name}`, row.record_count]));
    return c.html(browsePage({ ...shown, counts }), 200, pageHeaders());
  }
  const cursor = textIn(c, "cursor");
  const meant = cursor === undefined ? understood(question, now) : undefined;
  if (meant !== undefined) return c.redirect(meant, 303);
  const narrowed = searchInput(question);
  const isFirst = cursor === undefined;
  const found = await reader.search({
    q: question.q,
    limit: hitsOnPage,
    collapse: "similar",
    ...narrowed,
    ...(isFirst ? { spread: "auto" as const } : { cursor }),
  });
  const text = isFirst ? await told("search", { query: question.q, ...narrowed }) : undefined;
  const others = isFirst ? await stand.others() : [];
  return c.html(foundPage({ ...shown, found, isFirst, told: text, others }), 200, pageHeaders());
}
