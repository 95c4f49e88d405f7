import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import { readString } from "../field-values.ts";
import type { ConversationShape } from "./shape.ts";
import type { Turn } from "./turn.ts";

/** The quoted turns, by the key of the reply. A reply to the turn just before needs no quote. */
export interface RepliedTurn {
  readonly sender: string | undefined;
  readonly text: string;
}

const maxReads = 8;

export async function loadReplied(
  reader: ReadApi,
  shape: ConversationShape,
  turns: readonly Turn[],
): Promise<ReadonlyMap<string, RepliedTurn>> {
  const here = new Map(turns.map((turn) => [turn.recordId, turn]));
  const replied = new Map<string, RepliedTurn>();
  const missing = new Set<string>();
  for (const [i, { replyTo }] of turns.entries()) {
    // Where a page starts, the turn before is not known.
    if (replyTo === undefined || i === 0 || turns[i - 1]?.recordId === replyTo) continue;
    const turn = here.get(replyTo);
    if (turn !== undefined) replied.set(replyTo, turn);
    else missing.add(replyTo);
  }
  const loaded = [...missing]
    .slice(0, maxReads)
    .map(async (key) => ({ key, turn: await loadTurn(reader, shape, key) }));
  for (const { key, turn } of await Promise.all(loaded)) if (turn !== undefined) replied.set(key, turn);
  return replied;
}

async function loadTurn(
  reader: ReadApi,
  { source, declaration, actor, body }: ConversationShape,
  recordId: string,
): Promise<RepliedTurn | undefined> {
  const fields = [actor?.name, body?.name].filter((name) => name !== undefined);
  if (fields.length === 0) return undefined;
  try {
    const input = { stream: declaration.name, connection_id: source, record_id: recordId, fields };
    const record = await reader.fetch(input);
    if (record.object !== "record") return undefined;
    return { sender: readString(record.data, actor?.name), text: readString(record.data, body?.name) ?? "" };
  } catch (error) {
    if (error instanceof PdppError && error.status < 500) return undefined;
    throw error;
  }
}
