import { continueWith } from "@pdpp/contract/continuation";
import type * as pub from "@pdpp/contract/public-wire";
import type * as wire from "@pdpp/contract/wire";
import { createCard } from "@pdpp/evidence/cards/card";
import type { EvidenceRecord } from "@pdpp/evidence/cards/record";
import { getTitle } from "@pdpp/evidence/cards/title";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { closeTag, openTag } from "@pdpp/evidence/passages/marks";
import { budget } from "@pdpp/evidence/sizes/budget";
import { countChars } from "@pdpp/evidence/text/text";
import { findKnownStream, type KnownStream } from "./public-schema.ts";

/**
 * Converts answers of the public protocol to our shapes: records to cards, hits to passages, windows with continuations. What
 * the server does not say (versions, the offset of a passage) stays empty.
 */

/** Other servers have no versions that a client could name. */
const noVersion = "";

export function toEvidenceRecord(source: KnownStream, record: pub.PublicRecord): EvidenceRecord {
  const label = record.display_name ?? source.labels.get(record.connection_id);
  return {
    connectorKey: record.connector_key ?? source.connectorKey,
    connection: { id: record.connection_id, ...(label === undefined ? {} : { label }) },
    stream: source.stream,
    recordId: record.id,
    version: noVersion,
    emittedAt: record.emitted_at,
    data: record.data,
    granted: null,
  };
}

type KnownStreams = readonly KnownStream[];

/** A record with the source that our clients show. */
export function toRecord(known: KnownStreams, record: pub.PublicRecord): wire.WireRecord {
  const { expanded, ...rest } = record;
  const bare = { ...rest, ...getOrigin(known, record) };
  if (expanded === undefined) return bare;
  return { ...bare, expanded: mapRelated(expanded, (each) => toRecord(known, each)) };
}

export const isTombstone = (item: pub.PublicRecord | pub.PublicTombstone): item is pub.PublicTombstone =>
  item.deleted === true;

export const toTombstone = (known: KnownStreams, tombstone: pub.PublicTombstone): wire.WireTombstone => ({
  ...tombstone,
  ...getOrigin(known, tombstone),
});

function getOrigin(known: KnownStreams, record: { stream: string; connection_id: string; connector_key?: unknown }) {
  const { connectorKey } = findKnownStream(known, record.stream, record.connection_id);
  return {
    connector_key: typeof record.connector_key === "string" ? record.connector_key : connectorKey,
    connector_instance_id: record.connection_id,
    record_version: noVersion,
  };
}

/** A record's card, with cards of related records. */
export function toCard(
  known: KnownStreams,
  record: pub.PublicRecord,
): wire.EvidenceCard & Pick<wire.WireRecord, "expanded"> {
  const card = createCard(toEvidenceRecord(findKnownStream(known, record.stream, record.connection_id), record));
  const { expanded } = record;
  return expanded === undefined ? card : { ...card, expanded: mapRelated(expanded, (each) => toCard(known, each)) };
}

type Related = NonNullable<pub.PublicRecord["expanded"]>[string];

function mapRelated<T>(expanded: { readonly [relation: string]: Related }, of: (record: pub.PublicRecord) => T) {
  return Object.fromEntries(
    Object.entries(expanded).map(([name, value]) => {
      if (value === null) return [name, null] as const;
      return [name, value.object === "list" ? { ...value, data: value.data.map(of) } : of(value)] as const;
    }),
  );
}

/** The protocol gives a hit an id and a time, but no title. */
function toHit(known: KnownStreams, hit: pub.PublicHit): wire.SearchResult {
  const { stream, record_key: recordId, connection_id: connectionId } = hit;
  const source = findKnownStream(known, stream, connectionId, hit.connector_id);
  const label = hit.display_name ?? source.labels.get(connectionId);
  const evidence = toPassages(hit);
  const record = toEvidenceRecord(source, { ...hit, object: "record", id: recordId, data: {} });
  const { snippet: _, authored_at: authoredAt, ...rest } = hit;
  return {
    ...rest,
    id: formatHandle({ connectionId, stream, recordId }),
    title: getTitle(record, { snippet: evidence[0]?.preview }),
    connector_key: source.connectorKey,
    connector_instance_id: connectionId,
    ...(label === undefined ? {} : { display_name: label }),
    record_version: noVersion,
    ...(typeof authoredAt === "string" ? { event_time: authoredAt } : {}),
    record_url: `/v1/streams/${encodeURIComponent(stream)}/records/${encodeURIComponent(recordId)}`,
    evidence,
    evidence_excerpts: hit.evidence_excerpts.map((excerpt) => ({ ...excerpt, object: "evidence_excerpt" })),
  };
}

/** The server's excerpts, or its only snippet. */
function toPassages(hit: pub.PublicHit): wire.MatchEvidence[] {
  const { stream, record_key: record_id, connection_id, snippet } = hit;
  const shown =
    hit.evidence_excerpts.length === 0 && snippet
      ? [{ field_path: snippet.field, preview_text: snippet.text }]
      : hit.evidence_excerpts;
  return shown.map(({ field_path, preview_text: text }) => {
    const { preview, marks } = removeTags(text);
    const [words] = marks;
    return {
      field_path,
      preview,
      match: marks.map(({ start, end }) => ({ start_chars: start, end_chars: end })),
      truncated: true,
      read: continueWith("readField", {
        connection_id,
        stream,
        record_id,
        field: field_path,
        ...(words === undefined ? {} : { q: words.text, ...context }),
      }),
    };
  });
}

const context = { before_chars: budget.window.beforeChars, after_chars: budget.window.afterChars } as const;

interface Marked {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const tagged = new RegExp(`${openTag}(.*?)${closeTag}`, "s");

/** A passage without its tags, and the words that were inside them. Words separated only by spaces form one phrase. */
function removeTags(text: string): { readonly preview: string; readonly marks: readonly Marked[] } {
  let preview = "";
  const marks: Marked[] = [];
  for (const [i, piece] of text.split(tagged).entries()) {
    const start = countChars(preview);
    preview += piece;
    if (i % 2 === 0 || piece === "") continue;
    const mark = { start, end: start + countChars(piece), text: piece };
    const last = marks.at(-1);
    const between = last === undefined ? "-" : Array.from(preview).slice(last.end, start).join("");
    if (last === undefined || between.trim() !== "") marks.push(mark);
    else marks.splice(-1, 1, { start: last.start, end: mark.end, text: last.text + between + piece });
  }
  return { preview, marks };
}

export function toSearchList(known: KnownStreams, list: pub.PublicSearchList, first: boolean): wire.SearchList {
  const { data, has_more: more, meta } = list;
  const exact = first && !more;
  const count = meta.count_accuracy === "exact" && typeof meta.count === "number" ? meta.count : data.length;
  const complete = meta.recall?.complete ?? true;
  const hits = data.map((hit) => toHit(known, hit));
  return {
    ...list,
    data: hits,
    meta: {
      ...meta,
      ...(hits[0] === undefined ? {} : { first_fetch_id: hits[0].id }),
      count,
      count_accuracy: meta.count_accuracy === "exact" || exact ? "exact" : "lower_bound",
      // Every hit of this protocol matches every word.
      match: { mode: "words", all: count, most: 0, any: 0 },
      recall: {
        ...meta.recall,
        complete,
        ranking_scope: meta.recall === undefined ? "unknown" : complete ? "all_matches" : "candidate_window",
        truncated: !complete,
        ranked_candidate_count: meta.recall?.ranked_candidate_count ?? count,
        candidate_window_limit: 0,
        sources_searched_count: known.length,
      },
    },
  };
}

/** Cursors of a window are plain offsets here. */
export function toFieldWindow(
  source: KnownStream,
  connectionId: string,
  answer: pub.PublicFieldWindow,
): wire.FieldWindow {
  const { stream, record_id, field, window } = answer;
  const continueAt = (offset: number | null) =>
    offset === null
      ? null
      : continueWith("readField", {
          connection_id: connectionId,
          stream,
          record_id,
          field: field.path,
          offset_chars: offset,
          limit_chars: window.limit_chars,
        });
  const [next, previous] = [continueAt(window.next_offset_chars), continueAt(window.previous_offset_chars)];
  const label = source.labels.get(connectionId);
  const toCursor = (offset: number | null): string | null => (offset === null ? null : String(offset));
  return {
    ...answer,
    connector_key: source.connectorKey,
    connection_id: connectionId,
    connector_instance_id: connectionId,
    ...(label === undefined ? {} : { display_name: label }),
    record_version: noVersion,
    emitted_at: "",
    field: { ...field, type: field.type ?? "string" },
    window: {
      ...window,
      next_cursor: toCursor(window.next_offset_chars),
      previous_cursor: toCursor(window.previous_offset_chars),
    },
    next,
    previous,
    links: { ...answer.links, next: next?.url ?? null, previous: previous?.url ?? null },
  };
}
