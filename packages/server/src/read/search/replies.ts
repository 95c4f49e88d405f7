import { continueWith } from "@pdpp/contract/continuation";
import { findField } from "@pdpp/contract/declaration";
import type { MatchEvidence, SearchResult } from "@pdpp/contract/wire";
import { selectDetails } from "@pdpp/evidence/cards/details";
import { type EvidenceRecord, getPlace, isShown } from "@pdpp/evidence/cards/record";
import { cutPreview } from "@pdpp/evidence/fields/field";
import { fetchRecord } from "@pdpp/evidence/handles/continuation";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { StreamScope } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { loadTurnsAfter } from "../../store/search/conversation.ts";
import { loadFoundRecords } from "../../store/search/search-records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { toEvidenceRecord } from "../records/cards.ts";
import { hasTooLongRecord, loadShownData } from "../records/load-record.ts";

/** In a conversation the next turn answers a question, so a hit that asks something shows the start of the reply. */

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

/** Whether a conversation record, or the passage shown of it, ends with a question. */
export function hasQuestion(record: EvidenceRecord, [first]: readonly MatchEvidence[]): boolean {
  if (record.stream.conversation === undefined) return false;
  return [getBody(record)?.text, first?.preview].some(
    (text) => text !== undefined && questionMark.test(text.slice(-80)),
  );
}

export async function findReplies(
  on: ReadTransaction,
  context: ReadContext,
  upTo: number,
  turns: readonly Turn[],
): Promise<ReadonlyMap<Turn, FoundReply> | TooHeavy> {
  const replies = new Map<Turn, FoundReply>();
  for (const [scope, ofStream] of Map.groupBy(turns, (turn) => turn.scope)) {
    for (const [connectionNo, asked] of Map.groupBy(ofStream, (turn) => turn.connectionNo)) {
      const docs = asked.map(({ doc }) => doc);
      const after = await loadTurnsAfter({ on, maxDoc: upTo }, { scope, connectionNo }, docs);
      const records = await loadFoundRecords(on, scope, [...new Set([...after.values()].flat())]);
      for (const turn of asked) {
        for (const doc of after.get(turn.doc) ?? []) {
          const found = records.get(doc);
          const connection = scope.connections.find(({ no }) => no === found?.connectionNo);
          if (found === undefined || connection === undefined) continue;
          if (hasTooLongRecord(context, [found])) return tooHeavy;
          const stored = { connection, version: found.version, data: found.data };
          const { data } = await loadShownData(context, on, scope, scope.fields, stored);
          const record = toEvidenceRecord(context, scope, scope.fields, { ...found, connection, data });
          if (isBySameActor(turn.record, record)) continue;
          const reply = buildReply(record);
          if (reply !== undefined) replies.set(turn, { reply, version: found.version });
          break;
        }
      }
    }
  }
  return replies;
}

function isBySameActor(one: EvidenceRecord, other: EvidenceRecord): boolean {
  const [actor, same] = [one, other].map((record) => JSON.stringify(listActors(record)));
  return actor === same && actor !== "[]";
}

const listActors = (record: EvidenceRecord): SearchResult["details"] & object =>
  selectDetails(record, []).filter(({ role }) => role === "actor");

function getBody(record: EvidenceRecord): { readonly field: string; readonly text: string } | undefined {
  for (const { name, role } of record.stream.fields) {
    const value = role === "body" && isShown(record, name) ? record.data[name] : undefined;
    if (typeof value === "string" && value.trim() !== "") return { field: name, text: value.trimEnd() };
  }
  return undefined;
}

function buildReply(record: EvidenceRecord): FoundReply["reply"] | undefined {
  const body = getBody(record);
  if (body === undefined) return undefined;
  const { preview } = cutPreview(body.text, budget.hit.replyChars);
  const truncated = preview.length < body.text.length;
  const { connection, stream, recordId } = record;
  return {
    id: formatHandle({ connectionId: connection.id, stream: stream.name, recordId }),
    details: listActors(record),
    field_path: body.field,
    preview,
    truncated,
    read: truncated ? fetchRecord(getPlace(record)) : (continueConversation(record) ?? fetchRecord(getPlace(record))),
  };
}

/** Lists the conversation from a turn on, if its order can be filtered. */
function continueConversation({ connection, stream, data }: EvidenceRecord) {
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
