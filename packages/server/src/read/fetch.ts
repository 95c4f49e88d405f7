import { addressOf } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { SingleRecord } from "@pdpp/contract/wire";
import { getRecord } from "../store/records.ts";
import type { ReadContext } from "./context.ts";
import { cardOf } from "./evidence.ts";
import { expandRecords, expansionsFrom } from "./expand.ts";
import { asksForCards, projectionFrom, wireRecord } from "./projection.ts";
import { oneConnection } from "./scope.ts";

export async function fetchRecord(context: ReadContext, input: Input<"fetch">): Promise<SingleRecord> {
  const scope = oneConnection(context.scope, input.stream, input.connection_id);
  const projection = projectionFrom(scope, input);
  const expansions = expansionsFrom(context.scope, scope, input);
  const { dialect } = context.store.engine;
  return context.store.engine.read(async (on) => {
    const record = await getRecord(on, dialect, scope, input.record_id);
    if (record === undefined) {
      throw new PdppError("not_found", `stream ${input.stream} has no record with that id in this grant`, {
        param: "record_id",
      });
    }
    const expanded = await expandRecords(on, dialect, expansions, [record]);
    context.disclose({
      connectionIds: [record.connection.id],
      stream: input.stream,
      records: 1 + (expanded?.records ?? 0),
    });
    const shown = (asksForCards(scope, input.view) ? cardOf : wireRecord) as typeof wireRecord;
    return {
      ...shown(scope, projection, record),
      ...(expanded === undefined ? {} : { expanded: expanded.of[0]! }),
      links: { self: addressOf("fetch", input) },
      meta: { warnings: [] },
    };
  });
}
