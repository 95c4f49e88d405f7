import { buildUrl } from "@pdpp/contract/address";
import { continueWith } from "@pdpp/contract/continuation";
import type { Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { RecordList } from "@pdpp/contract/wire";
import { limitExpanded, longestList } from "@pdpp/evidence/cards/expanded";
import { findSharedFacts } from "@pdpp/evidence/cards/shared-facts";
import type { Measure } from "@pdpp/evidence/sizes/measure";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import { findMostFitting, fitsResult } from "@pdpp/evidence/sizes/size";
import { type Condition, canRead, getVisibleDeclaration, type StreamScope } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { findExtent } from "../../store/records/aggregates.ts";
import {
  countRecords,
  isRanged,
  type ListQuery,
  listRecords,
  loadKeptCount,
  type Position,
} from "../../store/records/records.ts";
import { bindingOf, pageLimit, type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { openCursor, sealCursor } from "../cursor.ts";
import { oneSource } from "../scope.ts";
import { cardOf } from "./cards.ts";
import { conditionsFrom } from "./conditions.ts";
import { type Expansion, expandRecords, expansionsFrom, listAllOf, type Related, relatedVersions } from "./expand.ts";
import { explainEmpty } from "./explain-empty.ts";
import { prepareChanges, queryChanges } from "./list-changes.ts";
import { areTooLong, type LoadedRecord, loadedPage } from "./load-record.ts";
import { presentationOf, projectionFrom, wireRecord } from "./projection.ts";
import { sortOf } from "./sort-order.ts";

export async function queryRecords(context: ReadContext, input: Input<"queryRecords">): Promise<RecordList | TooHeavy> {
  const scope = oneSource(context.scope, input.stream, input.connection_id, (stream) =>
    input.changes_since === undefined ? prepareList(context, stream, input) : prepareChanges(context, stream, input),
  );
  if (input.changes_since !== undefined) return context.isLightOnly ? tooHeavy : queryChanges(context, scope, input);
  const { limit, warnings } = pageLimit(input.limit);
  const { projection, cards, conditions, expansions, binding, place } = prepareList(context, scope, input);
  const query: ListQuery = { conditions, ...place, limit: limit + 1 };
  const { dialect } = context.store.engine;
  const costly =
    (input.count ?? "none") !== "none" || input.window === "exact" || isRanged(query) || expansions.length > 0;
  if (costly && context.isLightOnly) return tooHeavy;

  return context.store.engine.read(
    async (on) => {
      const found = await listRecords(on, dialect, scope, query);
      if (areTooLong(context, found.slice(0, limit))) return tooHeavy;
      const listed = await loadedPage(context, on, scope, projection, found.slice(0, limit));
      const related = await expandRecords(context, on, expansions, listed, cards);
      if (related === tooHeavy) return tooHeavy;
      const all = listed.map((record, i): Found => {
        const item = cards ? cardOf(context, scope, projection, record) : wireRecord(scope, projection, record);
        return withRelated({ record, item }, related?.[i]);
      });
      const isEmpty = found.length === 0 && input.cursor === undefined;
      const again = (filter: Input<"queryRecords">["filter"]) =>
        continueWith("queryRecords", { ...listArguments(input), ...(filter === undefined ? {} : { filter }) });
      if (isEmpty && context.isLightOnly && conditions.length > 0) return tooHeavy;
      const reasons = isEmpty ? await explainEmpty({ on, dialect, scope, conditions }, input, again) : [];
      const cursorAt = (record: LoadedRecord): string =>
        sealCursor(context.keys, binding, positionJson(record.position));
      const page = fitted(context.measure, input.max_chars, all, expansions, cursorAt);
      const last = page.at(-1)?.record;
      const cursor = found.length > page.length && last ? cursorAt(last) : undefined;
      const versions = page.flatMap(({ record, related }) => [record.version, ...relatedVersions(related)]);
      context.disclose({
        // Values that are named are let out as groups are.
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
          count: await countOf(on, context, scope, conditions, input, {
            hasMore: cursor !== undefined,
            isCut: page.length < all.length,
          }),
          warnings: [...warnings, ...reasons],
          ...(await windowOf(on, context, scope, conditions, input)),
        },
      };
    },
    costly ? "heavy" : "light",
  );
}

/** What a list of a stream's records needs; throws if the stream cannot answer it. */
function prepareList(context: ReadContext, scope: StreamScope, input: Input<"queryRecords">) {
  const projection = projectionFrom(scope, input);
  const cards = showsCards(scope, input.view);
  const conditions = conditionsFrom(scope, input.filter);
  const expansions = expansionsFrom(context.scope, scope, input);
  const descending = isDescending(scope, input);
  const sort = sortOf(scope);
  const binding = bindingOf(scope, "list", [descending, sort?.column ?? null, conditions as never]);
  const after =
    input.cursor === undefined
      ? {}
      : { after: positionFrom(openCursor(context.keys, binding, input.cursor, "cursor")) };
  return { projection, cards, conditions, expansions, binding, place: { sort, descending, ...after } };
}

/** What of a list's arguments the same list with another filter keeps. */
const listArguments = ({ stream, connection_id, limit, fields }: Input<"queryRecords">) => ({
  stream,
  ...(connection_id === undefined ? {} : { connection_id }),
  ...(limit === undefined ? {} : { limit }),
  ...(fields === undefined ? {} : { fields }),
});

interface Found {
  readonly record: LoadedRecord;
  readonly item: RecordList["data"][number];
  /** What it brings along, when that was asked for. */
  readonly related?: Related;
}

const withRelated = (found: Found, related: Related | undefined): Found =>
  related === undefined ? found : { ...found, item: { ...found.item, expanded: related.shown }, related };

/** As many of the records as there is room for. A first one with too many related records comes with as many of them as fit. */
function fitted(
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
    withRelated(first, { ...related, shown: limitExpanded(related.shown, count, listAllOf(expansions, record)) });
  const count = findMostFitting(longestList(related.shown), (n) => fitsResult(sizeOf(firstWith(n).item), maxChars));
  return [firstWith(count)];
}

/** Cards or records; a document is of one record. */
function showsCards(scope: StreamScope, view: string | undefined): boolean {
  const presentation = presentationOf(scope, view);
  if (presentation === "document")
    throw new PdppError("invalid_request", "view=document is for one record; lists take view=evidence", {
      param: "view",
    });
  return presentation === "evidence";
}

function isDescending(scope: StreamScope, { sort, order }: Input<"queryRecords">): boolean {
  if (sort === undefined || sort.length === 0) return order !== "asc";
  const { cursorField, name } = getVisibleDeclaration(scope);
  const ways = sort.map((entry) => {
    const field = entry.replace(/^[-+]/, "");
    if (field === scope.stream.declaration.cursorField && !canRead(scope, field))
      throw new PdppError("field_not_granted", `the grant does not include field ${field}`, { param: "sort" });
    if (field !== cursorField) {
      const can = cursorField === undefined ? "it sorts by record id" : `it sorts by ${cursorField} or -${cursorField}`;
      throw new PdppError("invalid_sort", `stream ${name} cannot sort by ${JSON.stringify(field)}; ${can}`, {
        param: "sort",
      });
    }
    return entry.startsWith("-");
  });
  const [descending] = ways;
  if (ways.some((way) => way !== descending) || (order !== undefined && (order === "desc") !== descending)) {
    throw new PdppError("invalid_sort", "sort and order contradict each other; send one of them", { param: "sort" });
  }
  return descending!;
}

const positionJson = ({ sort, key, connectionId }: Position): Json => [sort, key, connectionId];

function positionFrom(json: Json): Position {
  const [sort, key, connectionId] = json as [Position["sort"], string, string];
  return { sort, key, connectionId };
}

async function countOf(
  on: ReadTransaction,
  { store }: ReadContext,
  scope: StreamScope,
  conditions: readonly Condition[],
  { count, cursor }: Input<"queryRecords">,
  { hasMore, isCut }: { readonly hasMore: boolean; readonly isCut: boolean },
) {
  if (count === undefined || count === "none") {
    // The first of several pages says how many records there are, where that number is stored and costs nothing, and so does one
    // that is shorter than was asked for.
    const isPart = count === undefined && hasMore && (cursor === undefined || isCut);
    const kept = isPart ? await loadKeptCount(on, store.engine.dialect, scope, conditions) : undefined;
    return kept === undefined ? { kind: "none" as const } : { kind: "exact" as const, value: kept };
  }
  return { kind: "exact" as const, value: await countRecords(on, store.engine.dialect, scope, conditions) };
}

/** How many records there are in all, and from when to when, as far as the grant shows their time. */
async function windowOf(
  on: ReadTransaction,
  { store }: ReadContext,
  scope: StreamScope,
  conditions: readonly Condition[],
  { window }: Input<"queryRecords">,
) {
  if (window !== "exact") return {};
  const { dialect } = store.engine;
  const total = await countRecords(on, dialect, scope, conditions);
  const { consentTimeField } = scope.stream.declaration;
  const column = consentTimeField === undefined ? undefined : scope.stream.columns.get(consentTimeField);
  if (
    column === undefined ||
    !canRead(scope, consentTimeField!) ||
    (column.kind !== "date" && column.kind !== "date-time")
  ) {
    return { window: { total } };
  }
  const span = await findExtent({ on, dialect, scope, conditions }, column);
  return {
    window: {
      total,
      ...(span === undefined ? {} : { earliest_at: formatInstant(span.min), latest_at: formatInstant(span.max) }),
    },
  };
}
