import { buildUrl } from "@pdpp/contract/address";
import type { Continuation } from "@pdpp/contract/continuation";
import { findField } from "@pdpp/contract/declaration";
import type { MatchEvidence, SearchResult } from "@pdpp/contract/wire";
import { selectDetails } from "@pdpp/evidence/cards/details";
import { type EvidenceRecord, getPlace, getProvenance } from "@pdpp/evidence/cards/record";
import { getPlainTitle, makeTitle, type Title } from "@pdpp/evidence/cards/title";
import type { CitedPassage } from "@pdpp/evidence/handles/citation";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { findMatchWindows, type MatchChoice, matchEvidence } from "@pdpp/evidence/passages/match";
import { type SearchedText, selectPassages } from "@pdpp/evidence/passages/select-passages";
import type { SearchQuery } from "@pdpp/language/query/query";
import type { StreamScope } from "../../store/access/scope.ts";
import type { RecordRanking } from "../../store/search/rank-records.ts";
import type { FoundRecord } from "../../store/search/search-records.ts";
import type { ReadContext } from "../context.ts";
import { buildCard, buildCitation, type ShownRecord } from "../records/cards.ts";
import type { RankedHit } from "./find-hits.ts";

type RankedQuery = Pick<RecordRanking, "query" | "idf" | "expansions">;

export interface HitStream {
  readonly scope: StreamScope;
  readonly connectorId: string;
  readonly quotable: readonly string[];
  readonly records: ReadonlyMap<number, FoundRecord>;
}

export function buildResult(
  context: ReadContext,
  { scope, connectorId, quotable }: HitStream,
  shown: ShownRecord,
  record: EvidenceRecord,
  blobTexts: readonly SearchedText[],
  hit: RankedHit,
  { query, idf, expansions }: RankedQuery,
  cards: boolean,
): SearchResult {
  const { connection } = shown;
  const passages = selectPassages(
    [...listQuotableTexts(record, quotable), ...blobTexts],
    query,
    getPlainTitle(record),
    idf,
    indexAlsoTried(expansions),
  );
  const evidence = passages.map(({ field, total, window }) => matchEvidence(getPlace(record), field, total, window));
  const id = formatHandle({ connectionId: connection.id, stream: record.stream.name, recordId: shown.key });
  const details = selectDetails(
    record,
    passages.map(({ field, window }) => ({ field, preview: window.preview })),
  );
  const made = makeTitle(record, {
    snippet: passages[0]?.window.preview,
    fields: new Set([...passages.map(({ field }) => field), ...details.map(({ field_path }) => field_path)]),
  });
  const titleMatch = quotable.includes(made.field ?? "")
    ? matchInTitle(made, query, { weights: idf, also: indexAlsoTried(expansions) })
    : undefined;
  const { event_time: eventTime, local_time: localTime } = getProvenance(record);
  const url = buildUrl("fetch", { stream: record.stream.name, record_id: shown.key, connection_id: connection.id });
  return {
    object: "search_result",
    id,
    title: made.title,
    ...(titleMatch === undefined ? {} : { title_match: titleMatch }),
    ...(made.madeFrom === undefined ? {} : { title_made_from: made.madeFrom }),
    ...(details.length === 0 ? {} : { details }),
    stream: record.stream.name,
    record_key: shown.key,
    connector_key: scope.connectorKey,
    connector_id: connectorId,
    connection_id: connection.id,
    connector_instance_id: connection.id,
    ...(connection.label === undefined ? {} : { display_name: connection.label }),
    record_version: record.version,
    ...(eventTime === undefined ? {} : { event_time: eventTime }),
    ...(localTime === undefined ? {} : { local_time: localTime }),
    emitted_at: record.emittedAt,
    matched_fields: [
      ...new Set([...passages.map(({ field }) => field), ...(titleMatch === undefined ? [] : [titleMatch.field_path])]),
    ],
    record_url: url,
    ...buildCitation(context, scope, shown, pickCitedPassage(record.version, made.field, evidence[0])),
    score: { kind: "bm25", value: hit.score, order: "higher_is_better" },
    ...(passages[0] === undefined ? {} : { snippet: { field: passages[0].field, text: passages[0].window.marked } }),
    evidence,
    ...(cards ? { card: buildCard(context, scope, scope.fields, shown) } : {}),
    evidence_excerpts: passages.map(({ field, total, window }, i) => ({
      object: "evidence_excerpt" as const,
      field_path: field,
      preview_text: window.marked,
      truncated: window.end - window.start < total,
      provenance: "lexical_match",
      read: {
        object: "field_window_read",
        method: "GET",
        route: `${url.split("?")[0]}/field-window`,
        stream: record.stream.name,
        record_id: shown.key,
        field,
        connection_id: connection.id,
        ...getOffset(evidence[i]?.read),
      },
    })),
  };
}

function matchInTitle(
  { field, fieldText = "", fieldStart = 0 }: Title,
  query: SearchQuery,
  choice: Pick<MatchChoice, "weights" | "also">,
): SearchResult["title_match"] {
  const [found] = field === undefined ? [] : findMatchWindows(fieldText, query, { maxPassages: 1, ...choice });
  if (field === undefined || found === undefined) return undefined;
  return {
    field_path: field,
    match: found.matches.map(({ start, end }) => ({ start_chars: fieldStart + start, end_chars: fieldStart + end })),
  };
}

/** The span from the first to the last match of the passage. A match in the title needs none, since the page starts with it. */
function pickCitedPassage(
  version: string,
  titleField: string | undefined,
  passage: MatchEvidence | undefined,
): CitedPassage | undefined {
  const [first] = passage?.match ?? [];
  const last = passage?.match.at(-1);
  if (passage === undefined || first === undefined || last === undefined) return undefined;
  if (passage.field_path === titleField) return undefined;
  return { field: passage.field_path, start: first.start_chars, end: last.end_chars, version };
}

const indexAlsoTried = (expansions: RankedQuery["expansions"]): ReadonlyMap<number, ReadonlySet<string>> =>
  new Map(expansions.flatMap((words, n) => (words.length === 0 ? [] : [[n, new Set(words.flat())]])));

const getOffset = (read: Continuation | undefined) =>
  read?.operation === "readField" && read.arguments.offset_chars !== undefined
    ? { offset_chars: read.arguments.offset_chars }
    : {};

function listQuotableTexts(record: EvidenceRecord, fields: readonly string[]): SearchedText[] {
  return fields.flatMap((field) => {
    const text = Object.hasOwn(record.data, field) ? record.data[field] : undefined;
    return typeof text === "string" ? [{ field, text, role: findField(record.stream, field)?.role }] : [];
  });
}
