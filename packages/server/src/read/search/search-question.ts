import type { Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { parseInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { instantIn } from "@pdpp/evidence/text/local-time";
import { parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import { type Condition, canRead, type StreamScope } from "../../store/access/scope.ts";
import type { FieldColumn } from "../../store/catalog/layout.ts";
import { indexedFields } from "../../store/search/indexing.ts";
import type { SearchedStream } from "../../store/search/sources.ts";
import { pageLimit, type ReadContext } from "../context.ts";
import { openCursor } from "../cursor.ts";
import { conditionsFrom } from "../records/conditions.ts";
import { narrow, streamsNamed, streamsOf } from "../scope.ts";

/** What a search asks for, of what the scope may read. */
export interface Question {
  readonly query: SearchQuery;
  readonly streams: readonly SearchedStream[];
  readonly limit: number;
  /** Whether hits that show the same become one. */
  readonly collapse: boolean;
  /** Whether only a part of the grant is searched. */
  readonly isNarrowed: boolean;
  /** Whether the hits are counted by source and time, and by which periods. */
  readonly spread: Input<"search">["spread"];
  readonly warnings: readonly Warning[];
  /** What a cursor of it belongs to. */
  readonly binding: () => Json;
  /** Where it goes on: the version of the vault that was searched, and how many hits were served. */
  readonly from: { readonly upTo: number; readonly offset: number } | undefined;
}

export function questionFrom(context: ReadContext, input: Input<"search">): Question {
  const { limit, warnings } = pageLimit(input.limit);
  const query = parseQuery(input.q);
  const { streams, skipped } = searchedStreams(context, input);
  const binding = () => searchBinding(context, input, streams);
  return {
    query,
    streams,
    limit,
    collapse: input.collapse === "similar",
    isNarrowed: [input.streams, input.connection_id, input.filter, input.since, input.until].some(
      (limit) => limit !== undefined,
    ),
    spread: input.spread,
    warnings: [...warnings, ...skipped],
    binding,
    from: fromCursor(context, binding, input),
  };
}

function fromCursor(context: ReadContext, binding: () => Json, { cursor }: Input<"search">): Question["from"] {
  if (cursor === undefined) return undefined;
  const [upTo, offset] = openCursor(context.keys, binding(), cursor, "cursor") as [number, number];
  return { upTo, offset };
}

/** The streams that can be searched at all, with the request's own limits on them. */
function searchedStreams(
  context: ReadContext,
  input: Input<"search">,
): { streams: SearchedStream[]; skipped: Warning[] } {
  const scopes = selected(context, input);
  if (input.filter !== undefined && input.streams?.length !== 1) {
    throw new PdppError("invalid_request", "filter needs exactly one stream; send streams=NAME", {
      param: "filter",
    });
  }
  const skipped: Warning[] = [];
  const streams = scopes.flatMap((scope): SearchedStream[] => {
    const plan = scope.stream.activeSearchPlan;
    if (plan === null || !indexedFields(plan).some((field) => canRead(scope, field))) return [];
    const times = timeConditions(scope, input, context.scope.timeZone);
    if (times === null) {
      const name = scope.stream.declaration.name;
      skipped.push({
        code: "source_skipped_not_applicable",
        message: `\`${name}\` skipped: this grant exposes no date field to filter on`,
        param: "since",
      });
      return [];
    }
    return [{ scope, conditions: [...conditionsFrom(scope, input.filter), ...times] }];
  });
  if (streams.length === 0 && skipped.length === 0) {
    const message = "this grant has no searchable field in these streams; the schema marks searchable fields with lex";
    skipped.push({ code: "source_skipped_not_applicable", message });
  }
  return { streams, skipped };
}

function selected(context: ReadContext, input: Input<"search">): readonly StreamScope[] {
  if (input.streams === undefined) return streamsOf(context.scope, input.connection_id);
  const named = [...new Set(input.streams)].flatMap((name) => streamsNamed(context.scope, name));
  if (input.connection_id === undefined) return named;
  const narrowed = narrow(named, input.connection_id);
  // The connection may be one of the grant that has none of these streams: then there is nothing to find.
  if (narrowed.length === 0) streamsOf(context.scope, input.connection_id);
  return narrowed;
}

/** `since` and `until` on the stream's declared time; null when the grant does not show it. */
function timeConditions(scope: StreamScope, { since, until }: Input<"search">, timeZone: string): Condition[] | null {
  if (since === undefined && until === undefined) return [];
  const time = comparedTime(scope);
  if (time === undefined) return null;
  const { field, column } = time;
  const at = (text: string, param: string) => {
    // A date has no zone: where a day begins for whoever asks, it begins for a date of that name.
    const instant = column.kind === "date" ? parseInstant(text.replace(beginningOfDay, "")) : instantIn(text, timeZone);
    if (instant === null)
      throw new PdppError("invalid_request", `${param} must be a date or date-time, not ${JSON.stringify(text)}`, {
        param,
      });
    return instant;
  };
  return [
    ...(since === undefined ? [] : [{ field, column, operator: "gte" as const, value: at(since, "since") }]),
    ...(until === undefined ? [] : [{ field, column, operator: "lt" as const, value: at(until, "until") }]),
  ];
}

const beginningOfDay = /(?<=^\d{4}-\d\d-\d\d)[Tt ]00:00(?::00(?:[.,]0+)?)?(?:[+-]\d\d(?::?\d\d)?)?$/;

/** The time by which a search compares the records of a stream: the first declared one that the grant shows. */
export function comparedTime(scope: StreamScope): { readonly field: string; readonly column: FieldColumn } | undefined {
  const { consentTimeField, cursorField } = scope.stream.declaration;
  for (const field of [consentTimeField, cursorField]) {
    const column = field !== undefined && canRead(scope, field) ? scope.stream.columns.get(field) : undefined;
    if (field !== undefined && (column?.kind === "date" || column?.kind === "date-time")) return { field, column };
  }
  return undefined;
}

const searchBinding = ({ scope }: ReadContext, { q }: Input<"search">, streams: readonly SearchedStream[]): Json => [
  "search",
  scope.ownerNo,
  streams.map(({ scope: s, conditions }) => [
    s.grantId ?? null,
    s.connectorKey,
    s.stream.declaration.name,
    s.connections.map(({ id }) => id),
    conditions.map(({ field, operator, value }) => [field, operator, value]),
  ]),
  q,
];
