import type { StreamScope } from "../../store/access/scope.ts";
import { findCurrentHead } from "../../store/records/record-versions.ts";
import type { ReadContext } from "../context.ts";
import {
  canAnswer,
  createUnknownConnectionError,
  findOneConnection,
  findStreams,
  listCandidates,
  narrow,
  type Prepare,
} from "../scope.ts";

interface RecordLookup {
  readonly stream: string;
  readonly record_id: string;
  readonly connection_id?: string | undefined;
}

/** Finds the connection of a record. If the requested one is not in the grant, the error lists those that have the record. */
export async function findRecordSource(
  context: ReadContext,
  asked: RecordLookup,
  prepare: Prepare,
): Promise<StreamScope> {
  const { stream, connection_id: connectionId, record_id: key } = asked;
  const named = findStreams(context.scope, stream);
  if (connectionId === undefined || narrow(named, connectionId).length > 0)
    return findOneConnection(context.scope, stream, connectionId, prepare);
  const { engine } = context.store;
  const holding = await engine.read(async (on) => {
    const found: StreamScope[] = [];
    for (const scope of named.filter((candidate) => canAnswer(candidate, prepare))) {
      for (const connection of scope.connections) {
        const here = { ...scope, connections: [connection] };
        if ((await findCurrentHead(on, here, key)) !== undefined) found.push(here);
      }
    }
    return found;
  });
  throw createUnknownConnectionError(connectionId, listCandidates(holding));
}
