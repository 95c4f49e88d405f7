import { buildUrl } from "@pdpp/contract/address";
import { continueWith } from "@pdpp/contract/continuation";
import type { Aggregation } from "@pdpp/contract/wire";
import type { StreamScope } from "../../store/access/scope.ts";
import { countDistinct, type RecordSet } from "../../store/records/aggregates.ts";
import { countRecords, hasKeptCount } from "../../store/records/records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { withEnvelope } from "../envelope.ts";
import { explainEmpty } from "../records/explain-empty.ts";
import { findOneStream } from "../scope.ts";
import { type AggregateInput, findFieldColumn, prepareAggregate } from "./aggregate-input.ts";
import { buildHead } from "./answer-head.ts";
import { aggregateEvery, everyConnection, suggestEveryConnection } from "./every-connection.ts";
import { type AggregateResult, loadGroupsPage } from "./groups.ts";
import { listUnitWarnings, type Measure, measureRecords } from "./measure.ts";
export async function aggregate(context: ReadContext, input: AggregateInput): Promise<Aggregation | TooHeavy> {
  const answer = await (input.connection_id === everyConnection ? aggregateEvery : aggregateOne)(context, input);
  return answer === tooHeavy ? tooHeavy : withEnvelope(answer);
}

async function aggregateOne(context: ReadContext, input: AggregateInput): Promise<Aggregation | TooHeavy> {
  const prepare = (stream: StreamScope) => prepareAggregate(context, stream, input);
  const scope = suggestEveryConnection(input, () =>
    findOneStream(context.scope, input.stream, input.connection_id, prepare),
  );
  const { conditions, grouping, measure } = prepare(scope);
  const isLight = input.metric === "count" && grouping === undefined && hasKeptCount(scope, conditions);
  if (context.isLightOnly && !isLight) return tooHeavy;
  const result = await context.store.engine.read(
    async (on) => {
      const counted: RecordSet = { on, scope, conditions };
      const found = await (grouping === undefined
        ? computeNumber(counted, measure, input)
        : loadGroupsPage(context, counted, grouping, measure, input));
      if (found.total > 0 || input.cursor !== undefined) return found;
      const { max_chars: _, cursor: _cursor, ...asked } = input;
      const reasons = await explainEmpty(counted, input, (filter) => continueWith("aggregate", { ...asked, filter }));
      return { ...found, warnings: [...found.warnings, ...reasons] };
    },
    isLight ? "light" : "heavy",
  );
  const { total, warnings, next_cursor: cursor, ...shown } = result;
  context.disclose({
    connectionIds: scope.connections.map(({ id }) => id),
    stream: input.stream,
    records: 0,
    versions: [],
  });
  return {
    ...buildHead(input, total),
    ...shown,
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    links: {
      self: buildUrl("aggregate", input),
      ...(shown.groups === undefined
        ? {}
        : { next: cursor === undefined ? null : buildUrl("aggregate", { ...input, cursor }) }),
    },
    meta: { warnings },
  };
}

async function computeNumber(
  counted: RecordSet,
  measure: Measure | undefined,
  { metric, field }: AggregateInput,
): Promise<AggregateResult> {
  const { scope } = counted;
  const total = await countRecords(counted.on, scope, counted.conditions);
  if (measure !== undefined) {
    const measured = await measureRecords(counted, measure);
    return { total, ...measured, warnings: listUnitWarnings(measure, [measured]) };
  }
  const value =
    metric === "count_distinct"
      ? await countDistinct(counted, findFieldColumn(scope, field!, "count_distinct", "field"))
      : total;
  return { total, value, warnings: [] };
}
