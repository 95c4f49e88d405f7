import { PdppError } from "@pdpp/contract/errors";
import type { EvidenceCard } from "@pdpp/contract/wire";
import type { Context } from "hono";
import { buildPageHeaders } from "../../frame/frame.tsx";
import { listTechnicalFields } from "../../frame/technical-fields.ts";
import type { Viewer } from "../../frame/viewer.ts";
import { readName, readText } from "../request.ts";
import { getSearchUrl } from "../search/search-question.ts";
import type { Viewpoint } from "../viewpoint.tsx";
import { fillColumns } from "./filled-columns.ts";
import { createRawResponse } from "./raw.ts";
import { renderStreamPage } from "./stream-page.tsx";
import { buildQueryInput, getTableUrl, parseTableQuestion, type TableQuestion } from "./table-question.ts";
import { loadTotals } from "./totals.ts";

const rowsPerPage = 50;

function parseTable(c: Context, { names }: Viewpoint) {
  const [source, stream] = [readName(c, "source"), readName(c, "stream")];
  const declaration = names.declaration(source, stream);
  if (declaration === undefined) throw new PdppError("not_found", "this source has no such records");
  const technical = listTechnicalFields(names, source, stream);
  return { declaration, technical, question: parseTableQuestion(c, declaration, source, technical) };
}

export async function respondWithStream(c: Context, viewpoint: Viewpoint, viewer: Viewer): Promise<Response> {
  const { reader, names, impersonatedGrant, runTool } = viewpoint;
  const { declaration, technical, question } = parseTable(c, viewpoint);
  const { source, stream, filters } = question;
  if (c.req.query("operator") === "contains") return c.redirect(getContainsUrl(question, readText(c, "value")), 303);
  if (c.req.query("field") !== undefined || c.req.query("sorted") !== undefined)
    return c.redirect(getTableUrl(question), 303);
  const cursor = readText(c, "cursor");
  const isFirst = cursor === undefined;
  const asked = buildQueryInput(question);
  const found = await reader.queryRecords({
    ...asked,
    view: "evidence",
    limit: rowsPerPage,
    ...(isFirst ? {} : { cursor }),
  });
  const cards = found.data.filter((item): item is EvidenceCard => item.object === "evidence_card");
  const rows = filters.length > 0 ? [] : (await reader.streams({ connection_id: source })).data;
  const total = rows.find(({ name }) => name === stream)?.record_count;
  const { sortable_fields: sortable = [] } = await reader.stream({ stream, connection_id: source });
  const totals = await loadTotals(reader, declaration, question);
  const text = isFirst ? await runTool("query_records", asked) : undefined;
  const shown = {
    question: fillColumns(question, declaration, technical, cards),
    declaration,
    cards,
    sortable,
    next: found.next_cursor,
    isFirst,
    total,
    totals,
    notes: found.meta.warnings,
  };
  return c.html(
    renderStreamPage({ ...shown, names, impersonatedGrant, toolOutput: text, viewer }),
    200,
    buildPageHeaders(),
  );
}

/** Searches this table for the words, which may look like a date. Without words the table stays as it is. */
const getContainsUrl = (question: TableQuestion, words: string | undefined): string =>
  words === undefined
    ? getTableUrl(question)
    : getSearchUrl({ q: words, source: question.source, stream: question.stream, time: "words" });

export async function respondWithRaw(c: Context, viewpoint: Viewpoint): Promise<Response> {
  const { question } = parseTable(c, viewpoint);
  const as = c.req.query("as");
  if (as !== "json" && as !== "ndjson" && as !== "csv")
    throw new PdppError("invalid_request", "choose the format json, ndjson or csv");
  return createRawResponse(viewpoint.reader, question, as);
}
