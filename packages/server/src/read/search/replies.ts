import { continueWith } from "@pdpp/contract/continuation";
import { findField } from "@pdpp/contract/declaration";
import type { MatchEvidence, SearchResult } from "@pdpp/contract/wire";
import { detailsOf } from "@pdpp/evidence/cards/details";
import { type EvidenceRecord, placeOf, shows } from "@pdpp/evidence/cards/record";
import { beginningOf } from "@pdpp/evidence/fields/field";
import { fetchRecord } from "@pdpp/evidence/handles/continuation";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { StreamScope } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { loadTurnsAfter } from "../../store/search/conversation.ts";
import { loadFoundRecords } from "../../store/search/search-records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { evidenceRecord } from "../records/cards.ts";
import { areTooLong, dataShown } from "../records/load-record.ts";

/** In a conversation the answer is the next turn: a hit that asks something shows how the reply to it begins. */

/** A record of a conversation, as the index knows it and as it is shown. */
export interface Turn {
  readonly scope: StreamScope;
  readonly connectionNo: number;
  readonly doc: number;
  readonly record: EvidenceRecord;
}

interface FoundReply {
  readonly reply: NonNullable<SearchResult["reply"]>;
  readonly version: number;
}

const questionMark = /[?？؟]["'”’»)\]\s]*$/u;

/** Whether a record of a conversation ends with a question, or the passage does that is shown of it. */
export function asksSomething(record: EvidenceRecord, [first]: readonly MatchEvidence[]): boolean {
  if (record.stream.conversation === undefined) return false;
  return [bodyOf(record)?.text, first?.preview].some(
    (text) => text !== undefined && questionMark.test(text.slice(-80)),
  );
}

/** The replies to these turns: of the two turns that follow, the first by somebody else. */
export async function repliesTo(
  on: ReadTransaction,
  context: ReadContext,
  upTo: number,
  turns: readonly Turn[],
): Promise<ReadonlyMap<Turn, FoundReply> | TooHeavy> {
  const { dialect } = context.store.engine;
  const replies = new Map<Turn, FoundReply>();
  for (const [scope, ofStream] of Map.groupBy(turns, (turn) => turn.scope)) {
    for (const [connectionNo, asked] of Map.groupBy(ofStream, (turn) => turn.connectionNo)) {
      const docs = asked.map(({ doc }) => doc);
      const after = await loadTurnsAfter({ on, dialect, maxDoc: upTo }, { scope, connectionNo }, docs);
      const records = await loadFoundRecords(on, scope, [...new Set([...after.values()].flat())]);
      for (const turn of asked) {
        for (const doc of after.get(turn.doc) ?? []) {
          const found = records.get(doc);
          const connection = scope.connections.find(({ no }) => no === found?.connectionNo);
          if (found === undefined || connection === undefined) continue;
          if (areTooLong(context, [found])) return tooHeavy;
          const stored = { connection, version: found.version, data: found.data };
          const { data } = await dataShown(context, on, scope, scope.fields, stored);
          const record = evidenceRecord(context, scope, scope.fields, { ...found, connection, data });
          if (isBySame(turn.record, record)) continue;
          const reply = replyIn(record);
          if (reply !== undefined) replies.set(turn, { reply, version: found.version });
          break;
        }
      }
    }
  }
  return replies;
}

function isBySame(one: EvidenceRecord, other: EvidenceRecord): boolean {
  const [actor, same] = [one, other].map((record) => JSON.stringify(actorsOf(record)));
  return actor === same && actor !== "[]";
}

const actorsOf = (record: EvidenceRecord): SearchResult["details"] & object =>
  detailsOf(record, []).filter(({ role }) => role === "actor");

function bodyOf(record: EvidenceRecord): { readonly field: string; readonly text: string } | undefined {
  for (const { name, role } of record.stream.fields) {
    const value = role === "body" && shows(record, name) ? record.data[name] : undefined;
    if (typeof value === "string" && value.trim() !== "") return { field: name, text: value.trimEnd() };
  }
  return undefined;
}

function replyIn(record: EvidenceRecord): FoundReply["reply"] | undefined {
  const body = bodyOf(record);
  if (body === undefined) return undefined;
  const { preview } = beginningOf(body.text, budget.hit.replyChars);
  const truncated = preview.length < body.text.length;
  const { connection, stream, recordId } = record;
  return {
    id: formatHandle({ connectionId: connection.id, stream: stream.name, recordId }),
    details: actorsOf(record),
    field_path: body.field,
    preview,
    truncated,
    read: truncated ? fetchRecord(placeOf(record)) : (readOnFrom(record) ?? fetchRecord(placeOf(record))),
  };
}

/** The conversation from a turn on, where its order can be filtered by. */
function readOnFrom({ connection, stream, data }: EvidenceRecord) {
  const { within, by } = stream.conversation ?? {};
  const [talk, place] = [within, by].map((field) => (field === undefined ? undefined : data[field]));
  if (by === undefined || !findField(stream, by)?.rangeOperators.includes("gte")) return undefined;
  if ((typeof place !== "string" && typeof place !== "number") || (within !== undefined && typeof talk !== "string"))
    return undefined;
  return continueWith("queryRecords", {
    stream: stream.name,
    connection_id: connection.id,
    filter: { ...(within === undefined ? {} : { [within]: String(talk) }), [by]: { gte: String(place) } },
    order: "asc",
  });
}
