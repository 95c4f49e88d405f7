import { PdppError } from "@pdpp/contract/errors";
import type { EvidenceCard } from "@pdpp/contract/wire";
import type { Context } from "hono";
import { pageHeaders } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { rawResponse } from "./raw.ts";
import { nameIn, textIn } from "./request.ts";
import type { Stand } from "./stand.ts";
import { streamPage } from "./stream-page.ts";
import { askedBy, tableAddress, tableQuestionIn } from "./table-question.ts";
import { totalsOf } from "./totals.ts";

/** One stream of one source as a table, and as a file. */

const rowsOnPage = 50;

function askedIn(c: Context, { names }: Stand) {
  const [source, stream] = [nameIn(c, "source"), nameIn(c, "stream")];
  const declaration = names.declaration(source, stream);
  if (declaration === undefined) throw new PdppError("not_found", "this source has no such records");
  return { declaration, question: tableQuestionIn(c, declaration, source) };
}

export async function streamView(c: Context, stand: Stand, proof: Proof): Promise<Response> {
  const { reader, names, worn, told } = stand;
  const { declaration, question } = askedIn(c, stand);
  if (c.req.query("field") !== undefined) return c.redirect(tableAddress(question), 303);
  const { source, stream, filters } = question;
  const cursor = textIn(c, "cursor");
  const isFirst = cursor === undefined;
  const asked = askedBy(question);
  const found = await reader.queryRecords({
    ...asked,
    view: "evidence",
    limit: rowsOnPage,
    ...(isFirst ? {} : { cursor }),
  });
  const cards = found.data.filter((item): item is EvidenceCard => item.object === "evidence_card");
  const rows = filters.length > 0 ? [] : (await reader.streams({ connection_id: source })).data;
  const total = rows.find(({ name }) => name === stream)?.record_count;
  const totals = await totalsOf(reader, declaration, question);
  const text = isFirst ? await told("query_records", asked) : undefined;
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
  return c.html(streamPage({ ...shown, names, worn, told: text, proof }), 200, pageHeaders());
}

export async function rawView(c: Context, stand: Stand): Promise<Response> {
  const { question } = askedIn(c, stand);
  const as = c.req.query("as");
  if (as !== "json" && as !== "ndjson" && as !== "csv")
    throw new PdppError("invalid_request", "choose the format json, ndjson or csv");
  return rawResponse(stand.reader, question, as);
}
