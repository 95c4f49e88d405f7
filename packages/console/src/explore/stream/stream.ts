import { PdppError } from "@pdpp/contract/errors";
import type { EvidenceCard } from "@pdpp/contract/wire";
import type { Context } from "hono";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { readName, readText } from "../request.ts";
import type { Viewpoint } from "../viewpoint.tsx";
import { createRawResponse } from "./raw.ts";
import { renderStreamPage } from "./stream-page.tsx";
import { buildQueryInput, getTableUrl, parseTableQuestion } from "./table-question.ts";
import { loadTotals } from "./totals.ts";

const rowsPerPage = 50;

function parseTable(c: Context, { names }: Viewpoint) {
  const [source, stream] = [readName(c, "source"), readName(c, "stream")];
  const declaration = names.declaration(source, stream);
  if (declaration === undefined) throw new PdppError("not_found", "this source has no such records");
  return { declaration, question: parseTableQuestion(c, declaration, source) };
}

export async function respondWithStream(c: Context, viewpoint: Viewpoint, viewer: Viewer): Promise<Response> {
  const { reader, names, impersonatedGrant, runTool } = viewpoint;
  const { declaration, question } = parseTable(c, viewpoint);
  if (c.req.query("field") !== undefined) return c.redirect(getTableUrl(question), 303);
  const { source, stream, filters } = question;
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
  const totals = await loadTotals(reader, declaration, question);
  const text = isFirst ? await runTool("query_records", asked) : undefined;
  const shown = {
    question,
    declaration,
    cards,
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

export async function respondWithRaw(c: Context, viewpoint: Viewpoint): Promise<Response> {
  const { question } = parseTable(c, viewpoint);
  const as = c.req.query("as");
  if (as !== "json" && as !== "ndjson" && as !== "csv")
    throw new PdppError("invalid_request", "choose the format json, ndjson or csv");
  return createRawResponse(viewpoint.reader, question, as);
}
