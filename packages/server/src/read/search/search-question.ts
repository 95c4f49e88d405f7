import type { Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import { type Condition, canRead, type StreamScope } from "../../store/access/scope.ts";
import { listIndexedFields } from "../../store/search/indexing.ts";
import type { SearchedStream } from "../../store/search/sources.ts";
import { clampPageLimit, type ReadContext } from "../context.ts";
import { openCursor } from "../cursor.ts";
import { parseFilter } from "../records/conditions.ts";
import { findStreams, getStreams, narrow } from "../scope.ts";
import { findComparedTime, parseTimeBound } from "./compared-time.ts";
import { findPreferredTimes, type PreferredTimes } from "./prefer-times.ts";

export interface Question {
  readonly query: SearchQuery;
  readonly streams: readonly SearchedStream[];
  readonly limit: number;
  readonly collapse: boolean;
  readonly isNarrowed: boolean;
  readonly spread: Input<"search">["spread"];
  readonly warnings: readonly Warning[];
  readonly binding: () => Json;
  readonly preferred: PreferredTimes | undefined;
  /** Where the cursor continues. */
  readonly from: Position | undefined;
}

interface Position {
  /** The searched version of the vault. */
  readonly upTo: number;
  /** How many hits were served. */
  readonly offset: number;
  /** When the first page was read, if its order depends on it. */
  readonly now?: number;
}

export function parseQuestion(context: ReadContext, input: Input<"search">): Question {
  const { limit, warnings } = clampPageLimit(input.limit);
  const query = parseQuery(input.q);
  const { streams, skipped } = selectStreams(context, input);
  const binding = () => createSearchBinding(context, input, streams);
  const from = openPosition(context, binding, input);
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
    preferred: findPreferredTimes(context, input, streams, from?.now ?? context.now()),
    from,
  };
}

function openPosition(context: ReadContext, binding: () => Json, { cursor }: Input<"search">): Position | undefined {
  if (cursor === undefined) return undefined;
  const [upTo, offset, now] = openCursor(context.keys, binding(), cursor, "cursor") as [number, number, number?];
  return { upTo, offset, ...(now === undefined ? {} : { now }) };
}

function selectStreams(
  context: ReadContext,
  input: Input<"search">,
): { streams: SearchedStream[]; skipped: Warning[] } {
  const scopes = selectScopes(context, input);
  if (input.filter !== undefined && input.streams?.length !== 1) {
    throw new PdppError("invalid_request", "filter needs exactly one stream; send streams=NAME", {
      param: "filter",
    });
  }
  const skipped: Warning[] = [];
  const streams = scopes.flatMap((scope): SearchedStream[] => {
    const plan = scope.stream.activeSearchPlan;
    if (plan === null || !listIndexedFields(plan).some((field) => canRead(scope, field))) return [];
    const times = buildTimeConditions(scope, input, context.scope.timeZone);
    if (times === null) {
      const name = scope.stream.declaration.name;
      skipped.push({
        code: "source_skipped_not_applicable",
        message: `\`${name}\` skipped: this grant exposes no date field to filter on`,
        param: "since",
      });
      return [];
    }
    return [{ scope, conditions: [...parseFilter(scope, input.filter), ...times] }];
  });
  if (streams.length === 0 && skipped.length === 0) {
    const message = "this grant has no searchable field in these streams; the schema marks searchable fields with lex";
    skipped.push({ code: "source_skipped_not_applicable", message });
  }
  return { streams, skipped };
}

export function selectScopes(context: ReadContext, input: Input<"search">): readonly StreamScope[] {
  if (input.streams === undefined) return getStreams(context.scope, input.connection_id);
  const named = [...new Set(input.streams)].flatMap((name) => findStreams(context.scope, name));
  if (input.connection_id === undefined) return named;
  const narrowed = narrow(named, input.connection_id);
  // A connection of the grant without these streams finds nothing; an unknown one is an error.
  if (narrowed.length === 0) getStreams(context.scope, input.connection_id);
  return narrowed;
}

/** Conditions for `since` and `until`; null if the grant shows no time of the stream. */
function buildTimeConditions(
  scope: StreamScope,
  { since, until }: Input<"search">,
  timeZone: string,
): Condition[] | null {
  if (since === undefined && until === undefined) return [];
  const time = findComparedTime(scope);
  if (time === undefined) return null;
  const { field, column } = time;
  const at = (text: string, param: string) => {
    const instant = parseTimeBound(column.kind, text, timeZone);
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

const createSearchBinding = (
  { scope }: ReadContext,
  { q, time }: Input<"search">,
  streams: readonly SearchedStream[],
): Json => [
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
  ...(time === undefined ? [] : [time]),
];
