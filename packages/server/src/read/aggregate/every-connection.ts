import { buildUrl } from "@pdpp/contract/address";
import { continueWith } from "@pdpp/contract/continuation";
import { PdppError } from "@pdpp/contract/errors";
import type { Aggregation, Measured, Warning } from "@pdpp/contract/wire";
import type { Condition, ScopedConnection, StreamScope } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import type { RecordSet } from "../../store/records/aggregates.ts";
import { countRecords, hasKeptCount } from "../../store/records/records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { explainEmpty, type RetryWithFilter } from "../records/explain-empty.ts";
import { findStreams, listUnavailable, type StreamsByAbility, splitByAbility } from "../scope.ts";
import { type AggregateInput, invalidRequestError, prepareAggregate } from "./aggregate-input.ts";
import { buildHead } from "./answer-head.ts";
import { combineParts, listUnitWarnings, type Measure, measureParts, type Parts, summarizeParts } from "./measure.ts";

export const everyConnection = "*";

const maxConnections = 100;

/** Why a call cannot cover all connections, or undefined. */
function explainWhyNotEvery({ metric, group_by, group_by_time }: AggregateInput): PdppError | undefined {
  if (group_by !== undefined || group_by_time !== undefined)
    return invalidRequestError(
      "groups are made in one source; name a connection_id, or leave the grouping out",
      "connection_id",
    );
  if (metric === "count_distinct")
    return invalidRequestError("distinct values are counted in one source; name a connection_id", "connection_id");
  return undefined;
}

export function suggestEveryConnection(input: AggregateInput, find: () => StreamScope): StreamScope {
  try {
    return find();
  } catch (error) {
    const isAmbiguous = error instanceof PdppError && error.code === "ambiguous_connection";
    if (!isAmbiguous || explainWhyNotEvery(input) !== undefined) throw error;
    throw new PdppError(error.code, error.message, { ...error.details, every_connection: everyConnection });
  }
}

export async function aggregateEvery(context: ReadContext, input: AggregateInput): Promise<Aggregation | TooHeavy> {
  const refused = explainWhyNotEvery(input);
  if (refused !== undefined) throw refused;
  const { stream: name } = input;
  const prepare = (stream: StreamScope) => prepareAggregate(context, stream, input);
  const { able, unable } = splitByAbility(name, findStreams(context.scope, name), prepare);
  const sources = able.flatMap((stream) =>
    stream.connections.map((connection) => ({ scope: { ...stream, connections: [connection] }, connection })),
  );
  if (sources.length > maxConnections)
    throw invalidRequestError(
      `stream ${name} is in ${sources.length} connections; at most ${maxConnections} at once`,
      "connection_id",
    );
  const isLight =
    input.metric === "count" && sources.every(({ scope }) => hasKeptCount(scope, prepare(scope).conditions));
  if (context.isLightOnly && !isLight) return tooHeavy;
  const { each: found, reasons } = await context.store.engine.read(
    async (on) => {
      const each: ConnectionResult[] = [];
      for (const { scope, connection } of sources) {
        context.throwIfStopped();
        const { conditions, measure } = prepare(scope);
        const counted: RecordSet = { on, scope, conditions };
        const total = await countRecords(on, scope, conditions);
        const parts = measure === undefined ? undefined : await measureParts(counted, measure, true);
        each.push({ scope, connection, total, measure, parts });
      }
      const isEmpty = each.every(({ total }) => total === 0);
      return { each, reasons: isEmpty ? await explainEvery(context, on, each, input, prepare) : [] };
    },
    isLight ? "light" : "heavy",
  );
  context.disclose({
    connectionIds: sources.map(({ connection }) => connection.id),
    stream: name,
    records: 0,
    versions: [],
  });
  const answer = buildEveryAnswer(input, found, unable);
  return { ...answer, meta: { warnings: [...reasons, ...answer.meta.warnings] } };
}

const maxExplained = 3;

async function explainEvery(
  _context: ReadContext,
  on: ReadTransaction,
  found: readonly ConnectionResult[],
  input: AggregateInput,
  prepare: (stream: StreamScope) => { readonly conditions: readonly Condition[] },
): Promise<Warning[]> {
  const reasons = new Map<string, Warning>();
  for (const { scope, connection } of found.slice(0, maxExplained)) {
    const counted: RecordSet = { on, scope, ...prepare(scope) };
    const there = { ...input, connection_id: connection.id };
    const again: RetryWithFilter = (filter) => continueWith("aggregate", { ...there, filter });
    for (const reason of await explainEmpty(counted, there, again)) reasons.set(reason.message, reason);
  }
  return [...reasons.values()];
}

interface ConnectionResult {
  readonly scope: StreamScope;
  readonly connection: ScopedConnection;
  readonly total: number;
  /** Undefined for a count. */
  readonly measure: Measure | undefined;
  readonly parts: Parts | undefined;
}

function buildEveryAnswer(
  input: AggregateInput,
  found: readonly ConnectionResult[],
  unable: StreamsByAbility["unable"],
): Aggregation {
  const measuredIn = ({ parts, total }: ConnectionResult): Measured =>
    parts === undefined ? { value: total } : summarizeParts(parts);
  const total = found.reduce((sum, each) => sum + each.total, 0);
  const inAll: Measured =
    input.metric === "count"
      ? { value: total }
      : summarizeParts(
          combineParts(
            input.metric,
            found.flatMap(({ parts }) => parts ?? []),
          ),
        );
  const unitNotes = found.flatMap(({ measure }) => (measure === undefined ? [] : listUnitWarnings(measure, [inAll])));
  const notes = new Map(unitNotes.map((warning) => [warning.code, warning]));
  return {
    ...buildHead(input, total),
    ...inAll,
    by_connection: found.map((each) => ({
      connection_id: each.connection.id,
      connector_key: each.scope.connectorKey,
      ...(each.connection.label === undefined ? {} : { display_name: each.connection.label }),
      filtered_record_count: each.total,
      ...measuredIn(each),
    })),
    links: { self: buildUrl("aggregate", input) },
    meta: { warnings: [...notes.values(), ...listSkipped(unable)] },
  };
}

function listSkipped(unable: StreamsByAbility["unable"]): Warning[] {
  const byReason = Map.groupBy(listUnavailable(unable), ({ reason }) => reason);
  return [...byReason].map(([reason, connections]) => ({
    code: "source_skipped_not_applicable" as const,
    message: `left out: ${connections.map(({ connection_id: id }) => id).join(", ")} (${reason})`,
    param: "connection_id",
  }));
}
