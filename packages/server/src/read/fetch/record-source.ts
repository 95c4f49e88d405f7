import type { StreamScope } from "../../store/access/scope.ts";
import { findCurrentHead } from "../../store/records/record-versions.ts";
import type { ReadContext } from "../context.ts";
import {
  canAnswer,
  candidatesOf,
  narrow,
  oneConnection,
  type Prepare,
  streamsNamed,
  unknownConnection,
} from "../scope.ts";

interface Asked {
  readonly stream: string;
  readonly record_id: string;
  readonly connection_id?: string | undefined;
}

/** The one connection that a read of a record is about. If the grant has none of that name, those that have the record are named. */
export async function recordSource(context: ReadContext, asked: Asked, prepare: Prepare): Promise<StreamScope> {
  const { stream, connection_id: connectionId, record_id: key } = asked;
  const named = streamsNamed(context.scope, stream);
  if (connectionId === undefined || narrow(named, connectionId).length > 0)
    return oneConnection(context.scope, stream, connectionId, prepare);
  const { engine } = context.store;
  const holding = await engine.read(async (on) => {
    const found: StreamScope[] = [];
    for (const scope of named.filter((candidate) => canAnswer(candidate, prepare))) {
      for (const connection of scope.connections) {
        const here = { ...scope, connections: [connection] };
        if ((await findCurrentHead(on, engine.dialect, here, key)) !== undefined) found.push(here);
      }
    }
    return found;
  });
  throw unknownConnection(connectionId, candidatesOf(holding));
}
