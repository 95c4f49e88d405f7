import { buildUrl } from "@pdpp/contract/address";
import { continueWith } from "@pdpp/contract/continuation";
import { findField, type Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { RecordList } from "@pdpp/contract/wire";
import { getLongestListLength, limitExpanded } from "@pdpp/evidence/cards/expanded";
import { findSharedFacts } from "@pdpp/evidence/cards/shared-facts";
import type { Measure } from "@pdpp/evidence/sizes/measure";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import { findMostFitting, fitsResult } from "@pdpp/evidence/sizes/size";
import { type Condition, canRead, type StreamScope } from "../../store/access/scope.ts";
import { isIndexed } from "../../store/catalog/layout.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { findExtent } from "../../store/records/aggregates.ts";
import { isRanged, type ListQuery, type Position } from "../../store/records/list-query.ts";
import { countRecords, hasKeptCount, listRecords, loadKeptCount } from "../../store/records/records.ts";
import { clampPageLimit, createBinding, type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { createSealer, openCursor } from "../cursor.ts";
import { findOneStream } from "../scope.ts";
import { buildCard } from "./cards.ts";
import { parseFilter } from "./conditions.ts";
import {
  createListAll,
  type Expansion,
  expandRecords,
  listRelatedVersions,
  parseExpansions,
  type Related,
} from "./expand.ts";
import { explainEmpty, hasExplanation } from "./explain-empty.ts";
import { listChanges, prepareChanges } from "./list-changes.ts";
import { isTooLong, type LoadedRecord, loadPage } from "./load-record.ts";
import { getPresentation, parseProjection, toWireRecord } from "./projection.ts";
import { parseOrder } from "./sort-order.ts";

export async function queryRecords(context: ReadContext, input: Input<"queryRecords">): Promise<RecordList | TooHeavy> {
  const scope = findOneStream(context.scope, input.stream, input.connection_id, (stream) =>
    input.changes_since === undefined ? prepareList(context, stream, input) : prepareChanges(context, stream, input),
  );
  if (input.changes_since !== undefined) return context.isLightOnly ? tooHeavy : listChanges(context, scope, input);
  const { limit, warnings } = clampPageLimit(input.limit);
  const { place, warnings: orderWarnings, isUnindexed, ...prepared } = prepareList(context, scope, input);
  const { projection, cards, conditions, expansions, binding } = prepared;
  const query: ListQuery = { conditions, ...place, limit: limit + 1 };
  const counts = (input.count ?? "none") !== "none" && !hasKeptCount(scope, conditions);
  const scans = isUnindexed || conditions.some(({ field }) => !isFieldIndexed(scope, field));
  const costly = counts || scans || input.window === "exact" || isRanged(query) || expansions.length > 0;
  if (costly && context.isLightOnly) return tooHeavy;

  return context.store.engine.read(
    async (on) => {
      const found = await listRecords(on, scope, query);
      if (await isTooLong(context, on, scope, found.slice(0, limit))) return tooHeavy;
      const listed = await loadPage(context, on, scope, projection, found.slice(0, limit));
      const related = await expandRecords(context, on, expansions, listed, cards);
      if (related === tooHeavy) return tooHeavy;
      const all = listed.map((record, i): Found => {
        const item = cards ? buildCard(context, scope, projection, record) : toWireRecord(scope, projection, record);
        return addRelated({ record, item }, related?.[i]);
      });
      const isEmpty = found.length === 0 && input.cursor === undefined;
      const again = (filter: Input<"queryRecords">["filter"]) =>
        continueWith("queryRecords", { ...keepListArguments(input), ...(filter === undefined ? {} : { filter }) });
      if (isEmpty && context.isLightOnly && hasExplanation(conditions)) return tooHeavy;
      const reasons = isEmpty ? await explainEmpty({ on, scope, conditions }, input, again) : [];
      const sealPosition = createSealer(context.keys, binding);
      const cursorAt = (record: LoadedRecord): string => sealPosition(encodePosition(record.position));
      const page = fitPage(context.measure, input.max_chars, all, expansions, cursorAt);
      const last = page.at(-1)?.record;
      const cursor = found.length > page.length && last ? cursorAt(last) : undefined;
      const versions = page.flatMap(({ record, related }) => [record.version, ...listRelatedVersions(related)]);
      context.disclose({
        // An explanation names values of any of the connections, so all of them are logged.
        connectionIds:
          reasons.length === 0
            ? [...new Set(page.map(({ record }) => record.connection.id))]
            : scope.connections.map(({ id }) => id),
        stream: input.stream,
        records: versions.length,
        versions,
      });
      return {
        object: "list" as const,
        data: page.map(({ item }) => item),
        has_more: cursor !== undefined,
        ...(cursor === undefined ? {} : { next_cursor: cursor }),
        links: {
          self: buildUrl("queryRecords", input),
          next: cursor === undefined ? null : buildUrl("queryRecords", { ...input, cursor }),
        },
        meta: {
          count: await countMatches(on, scope, conditions, input, {
            hasMore: cursor !== undefined,
            isCut: page.length < all.length,
          }),
          warnings: [...warnings, ...orderWarnings, ...reasons],
          ...(await loadWindow(on, scope, conditions, input)),
        },
      };
    },
    costly ? "heavy" : "light",
  );
}

function prepareList(context: ReadContext, scope: StreamScope, input: Input<"queryRecords">) {
  const projection = parseProjection(scope, input);
  const cards = shouldShowCards(scope, input.view);
  const conditions = parseFilter(scope, input.filter);
  const expansions = parseExpansions(context.scope, scope, input);
  const { sort, descending, warnings, isUnindexed } = parseOrder(scope, input);
  const binding = createBinding(scope, "list", [descending, sort?.column ?? null, conditions as never]);
  const after =
    input.cursor === undefined
      ? {}
      : { after: decodePosition(openCursor(context.keys, binding, input.cursor, "cursor")) };
  return {
    projection,
    cards,
    conditions,
    expansions,
    binding,
    warnings,
    isUnindexed,
    place: { sort, descending, ...after },
  };
}

function isFieldIndexed({ stream: { declaration } }: StreamScope, name: string): boolean {
  const field = findField(declaration, name);
  return field === undefined || isIndexed(declaration, field);
}

const keepListArguments = ({ stream, connection_id, limit, fields }: Input<"queryRecords">) => ({
  stream,
  ...(connection_id === undefined ? {} : { connection_id }),
  ...(limit === undefined ? {} : { limit }),
  ...(fields === undefined ? {} : { fields }),
});

interface Found {
  readonly record: LoadedRecord;
  readonly item: RecordList["data"][number];
  readonly related?: Related;
}

const addRelated = (found: Found, related: Related | undefined): Found =>
  related === undefined ? found : { ...found, item: { ...found.item, expanded: related.shown }, related };

/** Takes as many records as fit. If the first one has too many related records, it gets as many of those as fit. */
function fitPage(
  measure: Measure,
  maxChars: number | undefined,
  all: readonly Found[],
  expansions: readonly Expansion[],
  cursorAt: (record: LoadedRecord) => string,
): readonly Found[] {
  const [first] = all;
  if (maxChars === undefined || first === undefined) return all;
  const shared = findSharedFacts(all.map(({ item }) => item));
  const sizeOf = (item: Found["item"]) => measure({ kind: "record", item, shared });
  const fits = createPageLimit(maxChars);
  const full = all.findIndex(
    ({ item, record }) =>
      !fits(
        () => sizeOf(item),
        () => cursorAt(record),
      ),
  );
  const page = full < 0 ? all : all.slice(0, full);
  const { record, item, related } = first;
  if (page.length !== 1 || related === undefined || fitsResult(sizeOf(item), maxChars)) return page;
  const firstWith = (count: number): Found =>
    addRelated(first, { ...related, shown: limitExpanded(related.shown, count, createListAll(expansions, record)) });
  const count = findMostFitting(getLongestListLength(related.shown), (n) =>
    fitsResult(sizeOf(firstWith(n).item), maxChars),
  );
  return [firstWith(count)];
}

function shouldShowCards(scope: StreamScope, view: string | undefined): boolean {
  const presentation = getPresentation(scope, view);
  if (presentation === "document")
    throw new PdppError("invalid_request", "view=document is for one record; lists take view=evidence", {
      param: "view",
    });
  return presentation === "evidence";
}

const encodePosition = ({ sort, key, connectionId, tie }: Position): Json =>
  tie === undefined ? [sort, key, connectionId] : [sort, key, connectionId, tie];

function decodePosition(json: Json): Position {
  const [sort, key, connectionId, tie] = json as [Position["sort"], string, string, Position["sort"]?];
  return { sort, key, connectionId, ...(tie === undefined ? {} : { tie }) };
}

async function countMatches(
  on: ReadTransaction,
  scope: StreamScope,
  conditions: readonly Condition[],
  { count, cursor }: Input<"queryRecords">,
  { hasMore, isCut }: { readonly hasMore: boolean; readonly isCut: boolean },
) {
  if (count === undefined || count === "none") {
    // The first of several pages tells the total if that number is stored, and so does a page that was cut short.
    const isPart = count === undefined && hasMore && (cursor === undefined || isCut);
    const kept = isPart ? await loadKeptCount(on, scope, conditions) : undefined;
    return kept === undefined ? { kind: "none" as const } : { kind: "exact" as const, value: kept };
  }
  return { kind: "exact" as const, value: await countRecords(on, scope, conditions) };
}

async function loadWindow(
  on: ReadTransaction,
  scope: StreamScope,
  conditions: readonly Condition[],
  { window }: Input<"queryRecords">,
) {
  if (window !== "exact") return {};
  const total = await countRecords(on, scope, conditions);
  const { consentTimeField } = scope.stream.declaration;
  const column = consentTimeField === undefined ? undefined : scope.stream.columns.get(consentTimeField);
  if (
    column === undefined ||
    !canRead(scope, consentTimeField!) ||
    (column.kind !== "date" && column.kind !== "date-time")
  ) {
    return { window: { total } };
  }
  const span = await findExtent({ on, scope, conditions }, column);
  return {
    window: {
      total,
      ...(span === undefined ? {} : { earliest_at: formatInstant(span.min), latest_at: formatInstant(span.max) }),
    },
  };
}
