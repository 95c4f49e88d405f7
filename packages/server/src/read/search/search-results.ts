import { continueWith } from "@pdpp/contract/continuation";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { SearchResult } from "@pdpp/contract/wire";
import type { EventTime } from "@pdpp/evidence/cards/record";
import { getLikeness, type Likeness } from "@pdpp/evidence/cards/similar";
import { getDeclaredEncoding } from "@pdpp/evidence/fields/binary";
import { formatFieldTarget } from "@pdpp/evidence/fields/field-path";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import type { SearchedText } from "@pdpp/evidence/passages/select-passages";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { SearchQuery } from "@pdpp/language/query/query";
import { canRead, type StreamScope } from "../../store/access/scope.ts";
import { findTextPlaces, loadTextAt } from "../../store/blobs/searchable-texts.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { maxLongCharsPerPage } from "../../store/records/record-data.ts";
import { loadFoundRecords } from "../../store/search/search-records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { isFieldIn } from "../field-window/window-answer.ts";
import { toEvidenceRecord } from "../records/cards.ts";
import { hasTooLongRecord, loadShownData } from "../records/load-record.ts";
import { buildResult, type HitStream } from "./build-result.ts";
import type { HitPage, RankedHit } from "./find-hits.ts";
import { findReplies, hasQuestion, type Turn } from "./replies.ts";
import { formatClause } from "./search-notes.ts";

export async function buildResults(
  on: ReadTransaction,
  context: ReadContext,
  { page, ranking, upTo }: Pick<HitPage, "page" | "ranking" | "upTo">,
  wanted: ResultOptions,
): Promise<Results | TooHeavy> {
  const shown: ShownHit[] = [];
  const byLikeness = new Map<string, ShownHit>();
  let long = 0;
  let rank = 0;
  const finishPage = async (): Promise<Results | TooHeavy> => {
    const hits = await addReplies(on, context, upTo, shown);
    return hits === tooHeavy ? tooHeavy : { hits, end: rank };
  };
  // Further chunks are read only if hits of the first were collapsed.
  for (const chunk of splitIntoChunks(page, wanted.limit)) {
    const streams = await loadHitRecords(on, context, chunk);
    for (const hit of chunk) {
      if (long >= maxLongCharsPerPage) return finishPage();
      const stream = streams.get(hit.stream.scope)!;
      const found = stream.records.get(hit.doc);
      const connection = stream.scope.connections.find(({ no }) => no === found?.connectionNo);
      if (found === undefined || connection === undefined) {
        rank += 1;
        continue;
      }
      if (hasTooLongRecord(context, [found])) return tooHeavy;
      const stored = { connection, version: found.version, data: found.data };
      const { data, longChars } = await loadShownData(context, on, stream.scope, stream.scope.fields, stored);
      const shownRecord = { ...found, connection, data };
      const record = toEvidenceRecord(context, stream.scope, stream.scope.fields, shownRecord);
      const beside = listNeighbours(stream, hit, ranking.query);
      const blobs = await loadBlobTexts(on, context, stream.scope, data);
      if (blobs === tooHeavy) return tooHeavy;
      const result = buildResult(context, stream, shownRecord, record, blobs.texts, hit, ranking, wanted.cards);
      const like = wanted.collapse ? getLikeness(record, result) : undefined;
      const eventTime = result.local_time ?? result.event_time;
      const first = like === undefined ? undefined : byLikeness.get(like.key);
      if (first !== undefined) first.similar.push({ rank, version: found.version, eventTime });
      else if (shown.length === wanted.limit) return finishPage();
      else {
        shown.push({
          result: { ...result, ...(beside.length === 0 ? {} : { beside: beside.map(({ match }) => match) }) },
          rank,
          versions: [found.version, ...beside.map(({ version }) => version)],
          similar: [],
          like,
          turn: { scope: stream.scope, connectionNo: found.connectionNo, doc: hit.doc, record },
        });
        if (like !== undefined) byLikeness.set(like.key, shown.at(-1)!);
      }
      long += longChars + blobs.chars;
      rank += 1;
    }
  }
  return finishPage();
}

export interface ResultOptions {
  readonly limit: number;
  readonly collapse: boolean;
  readonly cards: boolean;
}

interface Results {
  readonly hits: readonly ShownHit[];
  readonly end: number;
}

export interface ShownHit {
  readonly result: SearchResult;
  readonly rank: number;
  /** The versions of its record and of other records it shows something of. */
  readonly versions: readonly number[];
  readonly similar: { readonly rank: number; readonly version: number; readonly eventTime: EventTime | undefined }[];
  readonly like: Likeness | undefined;
  readonly turn: Turn;
}

/** The hit when the page ends before a rank: hits from there on are not collapsed into it. */
export function cutAtRank(end: number, { result, versions, similar, like }: ShownHit) {
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

async function addReplies(
  on: ReadTransaction,
  context: ReadContext,
  upTo: number,
  shown: readonly ShownHit[],
): Promise<ShownHit[] | TooHeavy> {
  const asking = shown.filter(({ turn, result: { evidence } }) => hasQuestion(turn.record, evidence));
  const replies = await findReplies(
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

function* splitIntoChunks(page: readonly RankedHit[], limit: number): Generator<readonly RankedHit[]> {
  yield page.slice(0, limit);
  for (let i = limit; i < page.length; i += chunkHits) yield page.slice(i, i + chunkHits);
}

const chunkHits = 10;

async function loadHitRecords(
  on: ReadTransaction,
  context: ReadContext,
  page: readonly RankedHit[],
): Promise<ReadonlyMap<StreamScope, HitStream>> {
  const { connectors } = await context.store.catalog(on);
  const sources = new Map<StreamScope, HitStream>();
  for (const [scope, hits] of Map.groupBy(page, ({ stream }) => stream.scope)) {
    sources.set(scope, {
      scope,
      connectorId: connectors.get(scope.connectorKey)?.declaration.connectorId ?? scope.connectorKey,
      quotable: listQuotableFields(scope),
      records: await loadFoundRecords(
        on,
        scope,
        hits.flatMap(({ doc, beside }) => [doc, ...beside.slice(0, maxNeighbours).map((each) => each.doc)]),
      ),
    });
  }
  return sources;
}

/** How many clauses found in neighbouring records are listed. */
const maxNeighbours = 8;

function listNeighbours({ scope, records }: HitStream, { beside }: RankedHit, { wanted }: SearchQuery): Neighbour[] {
  return [...Map.groupBy(beside.slice(0, maxNeighbours), ({ doc }) => doc)].flatMap(([doc, found]): Neighbour[] => {
    const record = records.get(doc);
    const connection = scope.connections.find(({ no }) => no === record?.connectionNo);
    if (record === undefined || connection === undefined) return [];
    const words = found.flatMap(({ clause }) => {
      const asked = wanted[clause];
      return asked === undefined ? [] : [formatClause(asked)];
    });
    const stream = scope.stream.declaration.name;
    const id = formatHandle({ connectionId: connection.id, stream, recordId: record.key });
    return [{ match: { words, id }, version: record.version }];
  });
}

interface Neighbour {
  readonly match: NonNullable<SearchResult["beside"]>[number];
  readonly version: number;
}

/** The searched fields, except those with encoded bytes. */
function listQuotableFields(scope: StreamScope): string[] {
  const declared = scope.stream.declaration.fields
    .filter((field) => getDeclaredEncoding(field) === null)
    .map(({ name }) => name);
  return scope.stream.activeSearchPlan!.fields.filter((field) => canRead(scope, field) && declared.includes(field));
}

/** Longer texts are left to a reading thread. */
const maxLightBlobChars = 65_536;

async function loadBlobTexts(
  on: ReadTransaction,
  context: ReadContext,
  scope: StreamScope,
  data: JsonObject,
): Promise<{ texts: SearchedText[]; chars: number } | TooHeavy> {
  const texts: SearchedText[] = [];
  let chars = 0;
  for (const field of scope.stream.activeSearchPlan?.blobFields ?? []) {
    if (!canRead(scope, field)) continue;
    for (const place of await findTextPlaces(on, scope.ownerNo, data, field)) {
      chars += place.chars;
      if (chars > maxLongCharsPerPage) return { texts, chars };
      if (chars > maxLightBlobChars && context.isLightOnly) return tooHeavy;
      const target = { path: [field, ...place.steps] as const, of: "blob" as const };
      texts.push({
        field: formatFieldTarget(target, isFieldIn(scope)),
        text: await loadTextAt(on, scope.ownerNo, place),
        role: undefined,
      });
    }
  }
  return { texts, chars };
}
