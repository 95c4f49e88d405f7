import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { WireRecord } from "@pdpp/contract/wire";
import { parseHandle } from "@pdpp/evidence/handles/handle";
import type { StreamScope } from "../../store/access/scope.ts";
import { toIndexText } from "../../store/engine/index-text.ts";
import { parseJsonObject } from "../../store/engine/json.ts";
import { waitForLoopTurn, yieldToEventLoop } from "../../store/engine/yield-to-event-loop.ts";
import type { Position } from "../../store/records/list-query.ts";
import { getRecord, listRecords, type StoredRecord } from "../../store/records/records.ts";
import type { ReadContext } from "../context.ts";
import { type LoadedRecord, loadRecord } from "../records/load-record.ts";
import { toWireRecord } from "../records/projection.ts";
import { findStreams, getStreams } from "../scope.ts";

const pageSize = 200;

interface Part {
  readonly scope: StreamScope;
  readonly connectionId: string;
  readonly stream: string;
}

interface ExportedRecord {
  readonly record: WireRecord;
  /** Whether the next record has to be read first: a good place to pause. */
  readonly endsPage: boolean;
}

export async function* exportRecords(context: ReadContext, input: Input<"export">): AsyncGenerator<WireRecord> {
  for await (const { record } of exportPages(context, input)) yield record;
}

/** Exports every record in the scope, by connection, stream and key, a page at a time. */
export async function* exportPages(context: ReadContext, input: Input<"export">): AsyncGenerator<ExportedRecord> {
  const parts = listParts(context, input);
  const start = input.after === undefined ? undefined : findStart(parts, input.after);
  const { engine } = context.store;
  for (const part of start === undefined ? parts : parts.slice(start.index)) {
    let after: Position | undefined = part === parts[start?.index ?? -1] ? start!.position : undefined;
    for (;;) {
      const from: { after?: Position } = after === undefined ? {} : { after };
      const query = { conditions: [], sort: undefined, descending: false, limit: pageSize, ...from };
      await context.checkStillValid();
      const page = await engine.read((on) => listRecords(on, part.scope, query));
      for (const [n, record] of page.entries()) {
        const whole = await loadWholeRecord(context, part.scope, record);
        if (whole === undefined) continue;
        context.disclose({
          connectionIds: [part.connectionId],
          stream: input.stream ?? null,
          records: 1,
          versions: [whole.version],
        });
        yield { record: toExportedRecord(part.scope, whole), endsPage: n === page.length - 1 };
        await yieldToEventLoop();
      }
      await waitForLoopTurn();
      if (page.length < pageSize) break;
      after = page.at(-1)!.position;
    }
  }
}

async function loadWholeRecord(
  context: ReadContext,
  scope: StreamScope,
  record: StoredRecord,
): Promise<LoadedRecord | undefined> {
  if (record.data !== null) return { ...record, data: parseJsonObject(record.data) };
  const { engine } = context.store;
  return engine.read(async (on) => {
    const now = await getRecord(on, scope, record.key);
    return now && loadRecord(context, on, scope, scope.fields, now);
  });
}

/** An owner's export has the data exactly as it was ingested, so that it can be ingested again. */
function toExportedRecord(scope: StreamScope, record: LoadedRecord): WireRecord {
  const shown = toWireRecord(scope, scope.fields, record);
  return scope.fields === null ? { ...shown, data: record.data } : shown;
}

function listParts(context: ReadContext, input: Input<"export">): Part[] {
  const streams =
    input.stream === undefined
      ? getStreams(context.scope, input.connection_id)
      : findStreams(context.scope, input.stream, input.connection_id);
  const parts = streams.flatMap((scope) =>
    scope.connections.map((connection) => ({
      scope: { ...scope, connections: [connection] },
      connectionId: connection.id,
      stream: scope.stream.declaration.name,
    })),
  );
  const place = (part: Part) => `${part.connectionId}\n${part.stream}`;
  return parts.sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

function findStart(parts: readonly Part[], after: string): { index: number; position: Position } {
  const handle = parseHandle(after);
  const index = parts.findIndex((part) => part.connectionId === handle?.connectionId && part.stream === handle.stream);
  if (handle === null || index < 0) {
    throw new PdppError("invalid_cursor", "after must be connection_id/stream:record_id of a record of this export", {
      param: "after",
    });
  }
  return { index, position: { sort: null, key: toIndexText(handle.recordId), connectionId: handle.connectionId } };
}
