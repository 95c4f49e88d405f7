import { buildUrl } from "@pdpp/contract/address";
import { type Continuation, continueWith } from "@pdpp/contract/continuation";
import { findField, type JsonObject } from "@pdpp/contract/declaration";
import type { MatchEvidence, SearchResult } from "@pdpp/contract/wire";
import { detailsOf } from "@pdpp/evidence/cards/details";
import { type EventTime, type EvidenceRecord, placeOf, provenanceOf } from "@pdpp/evidence/cards/record";
import { type Likeness, likenessOf } from "@pdpp/evidence/cards/similar";
import { type MadeTitle, makeTitle, titleOf } from "@pdpp/evidence/cards/title";
import { declaredEncoding } from "@pdpp/evidence/fields/binary";
import { formatFieldTarget } from "@pdpp/evidence/fields/field-path";
import type { CitedPassage } from "@pdpp/evidence/handles/citation";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { type MatchChoice, matchEvidence, matchWindows } from "@pdpp/evidence/passages/match";
import { type ProvableText, proofsOf } from "@pdpp/evidence/passages/proofs";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { SearchQuery } from "@pdpp/language/query/query";
import { canRead, type StreamScope } from "../../store/access/scope.ts";
import { findTextPlaces, loadTextAt } from "../../store/blobs/searchable-texts.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { maxLongCharsPerPage } from "../../store/records/record-data.ts";
import type { RecordRanking } from "../../store/search/rank-records.ts";
import { type FoundRecord, loadFoundRecords } from "../../store/search/search-records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { isFieldOf } from "../field-window/window-answer.ts";
import { cardOf, citationOf, evidenceRecord, type ShownRecord } from "../records/cards.ts";
import { areTooLong, dataShown } from "../records/load-record.ts";
import type { Found, RankedHit } from "./find-hits.ts";
import { asksSomething, repliesTo, type Turn } from "./replies.ts";
import { clauseText } from "./search-notes.ts";

/** Hits as they are shown: who they are, and the passages that prove the match. */
export async function results(
  on: ReadTransaction,
  context: ReadContext,
  { page, ranking, upTo }: Pick<Found, "page" | "ranking" | "upTo">,
  wanted: Wanted,
): Promise<Results | TooHeavy> {
  const shown: ShownHit[] = [];
  const byLikeness = new Map<string, ShownHit>();
  let long = 0;
  let rank = 0;
  const ended = async (): Promise<Results | TooHeavy> => {
    const hits = await withReplies(on, context, upTo, shown);
    return hits === tooHeavy ? tooHeavy : { hits, end: rank };
  };
  // Most pages need no more than the first hits; further ones are read only when some of those were collapsed.
  for (const chunk of chunksOf(page, wanted.limit)) {
    const sources = await sourcesOf(on, context, chunk);
    for (const hit of chunk) {
      if (long >= maxLongCharsPerPage) return ended();
      const source = sources.get(hit.stream.scope)!;
      const found = source.records.get(hit.doc);
      const connection = source.scope.connections.find(({ no }) => no === found?.connectionNo);
      if (found === undefined || connection === undefined) {
        rank += 1;
        continue;
      }
      if (areTooLong(context, [found])) return tooHeavy;
      const stored = { connection, version: found.version, data: found.data };
      const { data, longChars } = await dataShown(context, on, source.scope, source.scope.fields, stored);
      const held = { ...found, connection, data };
      const record = evidenceRecord(context, source.scope, source.scope.fields, held);
      const beside = besideOf(source, hit, ranking.query);
      const blobs = await blobTextsIn(on, context, source.scope, data);
      if (blobs === tooHeavy) return tooHeavy;
      const own = result(context, source, held, record, blobs.texts, hit, ranking, wanted.cards);
      const like = wanted.collapse ? likenessOf(record, own) : undefined;
      const eventTime = own.local_time ?? own.event_time;
      const first = like === undefined ? undefined : byLikeness.get(like.key);
      if (first !== undefined) first.similar.push({ rank, version: found.version, eventTime });
      else if (shown.length === wanted.limit) return ended();
      else {
        shown.push({
          result: { ...own, ...(beside.length === 0 ? {} : { beside: beside.map(({ told }) => told) }) },
          rank,
          versions: [found.version, ...beside.map(({ version }) => version)],
          similar: [],
          like,
          turn: { scope: source.scope, connectionNo: found.connectionNo, doc: hit.doc, record },
        });
        if (like !== undefined) byLikeness.set(like.key, shown.at(-1)!);
      }
      long += longChars + blobs.chars;
      rank += 1;
    }
  }
  return ended();
}

export interface Wanted {
  /** Hits at most, each with those that are collapsed into it. */
  readonly limit: number;
  readonly collapse: boolean;
  /** With the card of each record. */
  readonly cards: boolean;
}

interface Results {
  readonly hits: readonly ShownHit[];
  /** How many of the ranked hits these are, collapsed ones included. */
  readonly end: number;
}

export interface ShownHit {
  readonly result: SearchResult;
  /** Which of the ranked hits of this page it is, from 0. */
  readonly rank: number;
  /** Of its record, and of others of which it shows something. */
  readonly versions: readonly number[];
  readonly similar: { readonly rank: number; readonly version: number; readonly eventTime: EventTime | undefined }[];
  readonly like: Likeness | undefined;
  readonly turn: Turn;
}

/** The hit as it is when the page ends before a rank: those that are collapsed into it come before that. */
export function endedBefore(end: number, { result, versions, similar, like }: ShownHit) {
  const others = similar.filter(({ rank }) => rank < end);
  const all = [...versions, ...others.map(({ version }) => version)];
  if (others.length === 0 || like === undefined) return { result, versions: all };
  const { stream, connection_id } = result;
  return {
    result: {
      ...result,
      similar: {
        count: others.length,
        event_times: others.slice(0, budget.hit.similarTimes).flatMap(({ eventTime }) => eventTime ?? []),
        read: continueWith("queryRecords", { stream, connection_id, filter: { [like.field]: like.value } }),
      },
    },
    versions: all,
  };
}

async function withReplies(
  on: ReadTransaction,
  context: ReadContext,
  upTo: number,
  shown: readonly ShownHit[],
): Promise<ShownHit[] | TooHeavy> {
  const asking = shown.filter(({ turn, result: { evidence } }) => asksSomething(turn.record, evidence));
  const replies = await repliesTo(
    on,
    context,
    upTo,
    asking.map(({ turn }) => turn),
  );
  if (replies === tooHeavy) return tooHeavy;
  return shown.map((hit) => {
    const found = replies.get(hit.turn);
    if (found === undefined) return hit;
    const { reply, version } = found;
    return { ...hit, result: { ...hit.result, reply }, versions: [...hit.versions, version] };
  });
}

function* chunksOf(page: readonly RankedHit[], limit: number): Generator<readonly RankedHit[]> {
  yield page.slice(0, limit);
  for (let i = limit; i < page.length; i += furtherHits) yield page.slice(i, i + furtherHits);
}

const furtherHits = 10;

async function sourcesOf(
  on: ReadTransaction,
  context: ReadContext,
  page: readonly RankedHit[],
): Promise<ReadonlyMap<StreamScope, Source>> {
  const { connectors } = await context.store.catalog(on);
  const sources = new Map<StreamScope, Source>();
  for (const [scope, hits] of Map.groupBy(page, ({ stream }) => stream.scope)) {
    sources.set(scope, {
      scope,
      connectorId: connectors.get(scope.connectorKey)?.declaration.connectorId ?? scope.connectorKey,
      provable: provableFields(scope),
      records: await loadFoundRecords(
        on,
        scope,
        hits.flatMap(({ doc, beside }) => [doc, ...beside.slice(0, mostBeside).map((each) => each.doc)]),
      ),
    });
  }
  return sources;
}

/** So many words of the records beside a hit are told. */
const mostBeside = 8;

/** Which words were found in the records beside a hit, and in which. */
function besideOf({ scope, records }: Source, { beside }: RankedHit, { wanted }: SearchQuery): Beside[] {
  return [...Map.groupBy(beside.slice(0, mostBeside), ({ doc }) => doc)].flatMap(([doc, found]): Beside[] => {
    const record = records.get(doc);
    const connection = scope.connections.find(({ no }) => no === record?.connectionNo);
    if (record === undefined || connection === undefined) return [];
    const words = found.flatMap(({ clause }) => {
      const asked = wanted[clause];
      return asked === undefined ? [] : [clauseText(asked)];
    });
    const stream = scope.stream.declaration.name;
    const id = formatHandle({ connectionId: connection.id, stream, recordId: record.key });
    return [{ told: { words, id }, version: record.version }];
  });
}

interface Beside {
  readonly told: NonNullable<SearchResult["beside"]>[number];
  readonly version: number;
}

type Asked = Pick<RecordRanking, "query" | "idf" | "expansions">;

/** What the hits of a stream have in common. */
interface Source {
  readonly scope: StreamScope;
  readonly connectorId: string;
  readonly provable: readonly string[];
  readonly records: ReadonlyMap<number, FoundRecord>;
}

/** The fields that were searched, but for those that hold encoded bytes. */
function provableFields(scope: StreamScope): string[] {
  const declared = scope.stream.declaration.fields
    .filter((field) => declaredEncoding(field) === null)
    .map(({ name }) => name);
  return scope.stream.activeSearchPlan!.fields.filter((field) => canRead(scope, field) && declared.includes(field));
}

function result(
  context: ReadContext,
  { scope, connectorId, provable }: Source,
  held: ShownRecord,
  record: EvidenceRecord,
  blobTexts: readonly ProvableText[],
  hit: RankedHit,
  { query, idf, expansions }: Asked,
  cards: boolean,
): SearchResult {
  const { connection } = held;
  const proofs = proofsOf(
    [...provableTexts(record, provable), ...blobTexts],
    query,
    titleOf(record),
    idf,
    alsoTried(expansions),
  );
  const evidence = proofs.map(({ field, total, window }) => matchEvidence(placeOf(record), field, total, window));
  const id = formatHandle({ connectionId: connection.id, stream: record.stream.name, recordId: held.key });
  const made = makeTitle(record, proofs[0]?.window.preview);
  const titleMatch = provable.includes(made.field ?? "")
    ? matchInTitle(made, query, { weights: idf, also: alsoTried(expansions) })
    : undefined;
  const details = detailsOf(
    record,
    proofs.map(({ field, window }) => ({ field, preview: window.preview })),
  );
  const { event_time: eventTime, local_time: localTime } = provenanceOf(record);
  const url = buildUrl("fetch", { stream: record.stream.name, record_id: held.key, connection_id: connection.id });
  return {
    object: "search_result",
    id,
    title: made.title,
    ...(titleMatch === undefined ? {} : { title_match: titleMatch }),
    ...(made.madeFrom === undefined ? {} : { title_made_from: made.madeFrom }),
    ...(details.length === 0 ? {} : { details }),
    stream: record.stream.name,
    record_key: held.key,
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
      ...new Set([...proofs.map(({ field }) => field), ...(titleMatch === undefined ? [] : [titleMatch.field_path])]),
    ],
    record_url: url,
    ...citationOf(context, scope, held, citedPassage(record.version, made.field, evidence[0])),
    score: { kind: "bm25", value: hit.score, order: "higher_is_better" },
    ...(proofs[0] === undefined ? {} : { snippet: { field: proofs[0].field, text: proofs[0].window.marked } }),
    evidence,
    ...(cards ? { card: cardOf(context, scope, scope.fields, held) } : {}),
    evidence_excerpts: proofs.map(({ field, total, window }, i) => ({
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
        record_id: held.key,
        field,
        connection_id: connection.id,
        ...placeInField(evidence[i]?.read),
      },
    })),
  };
}

/** The matched words of a declared title, which a hit shows in any case. */
function matchInTitle(
  { title, field }: MadeTitle,
  query: SearchQuery,
  choice: Pick<MatchChoice, "weights" | "also">,
): SearchResult["title_match"] {
  const [found] = field === undefined ? [] : matchWindows(title, query, { most: 1, ...choice });
  if (field === undefined || found === undefined) return undefined;
  return { field_path: field, match: found.matches.map(({ start, end }) => ({ start_chars: start, end_chars: end })) };
}

/** From the first to the last match of a passage. The page has the title at its head, so a match there needs no place. */
function citedPassage(
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

const alsoTried = (expansions: Asked["expansions"]): ReadonlyMap<number, ReadonlySet<string>> =>
  new Map(expansions.flatMap((words, n) => (words.length === 0 ? [] : [[n, new Set(words.flat())]])));

/** Where a read of the field begins, when it does not begin at its beginning. */
const placeInField = (read: Continuation | undefined) =>
  read?.operation === "readField" && read.arguments.offset_chars !== undefined
    ? { offset_chars: read.arguments.offset_chars }
    : {};

/** Longer texts are looked through beside the light reads. */
const lightBlobChars = 65_536;

/** The texts of a hit's blobs, in the fields that the scope may read. */
async function blobTextsIn(
  on: ReadTransaction,
  context: ReadContext,
  scope: StreamScope,
  data: JsonObject,
): Promise<{ texts: ProvableText[]; chars: number } | TooHeavy> {
  const texts: ProvableText[] = [];
  let chars = 0;
  for (const field of scope.stream.activeSearchPlan?.blobFields ?? []) {
    if (!canRead(scope, field)) continue;
    for (const place of await findTextPlaces(on, scope.ownerNo, data, field)) {
      chars += place.chars;
      if (chars > maxLongCharsPerPage) return { texts, chars };
      if (chars > lightBlobChars && context.isLightOnly) return tooHeavy;
      const target = { path: [field, ...place.steps] as const, of: "blob" as const };
      texts.push({
        field: formatFieldTarget(target, isFieldOf(scope)),
        text: await loadTextAt(on, scope.ownerNo, place),
        role: undefined,
      });
    }
  }
  return { texts, chars };
}

/** The texts that may prove the match. */
function provableTexts(record: EvidenceRecord, fields: readonly string[]): ProvableText[] {
  return fields.flatMap((field) => {
    const text = Object.hasOwn(record.data, field) ? record.data[field] : undefined;
    return typeof text === "string" ? [{ field, text, role: findField(record.stream, field)?.role }] : [];
  });
}
