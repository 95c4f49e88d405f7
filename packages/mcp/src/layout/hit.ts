import type { JsonObject } from "@pdpp/contract/declaration";
import type { HitDetail, MatchEvidence, SearchResult } from "@pdpp/contract/wire";
import {
  findDetailPassage,
  formatSimilarTime,
  listBodyPassages,
  listNeighbourMatches,
  listUntitledDetails,
} from "@pdpp/evidence/cards/hit";
import { highlightMatches } from "@pdpp/evidence/passages/marks";
import type { HitSource } from "@pdpp/evidence/sizes/measure";
import { formatTime } from "@pdpp/evidence/text/event-time";
import { toLabel, toLiteral, toOneLine } from "@pdpp/evidence/text/literal";
import { createFetchCall, formatCall, type ToolCall, toToolCall } from "./call.ts";
import type { ResultPart } from "./part.ts";

/** A search hit: its heading, the matching passages, and the read that continues there. */

export interface HitPart extends ResultPart {
  readonly result: JsonObject;
  /** Passages after the first, each with its own read. */
  readonly rungs: readonly JsonObject[];
}

/** A hit without its number. `brief`: its id is so long that nothing else fits. */
export function layOutHit(hit: SearchResult, brief = false): HitPart {
  const { id } = hit;
  const read = getReadCall(hit);
  const passages = brief ? [] : listBodyPassages(hit);
  const details = brief ? [] : listFurtherDetails(hit);
  const { reply, similar } = brief ? {} : hit;
  const beside = brief ? [] : listNeighbourMatches(hit);
  const result = layOutResult(hit, read, brief);
  const rungs = passages.slice(1).map((passage): JsonObject => ({ id, ...layOutPassage(passage) }));
  return {
    lines: [
      formatHeading(hit),
      ...passages.map(formatPassage),
      ...(details.length === 0 ? [] : [details.map(formatDetail).join(", ")]),
      formatCall(read),
      ...(reply === undefined ? [] : [formatReply(reply), formatCall(toToolCall(reply.read))]),
      ...(similar === undefined ? [] : [formatSimilar(similar), formatCall(toToolCall(similar.read))]),
      ...beside.flatMap(({ words, id: other }) => [
        `${words.map(toLiteral).join(", ")} matched in a neighbouring message:`,
        formatCall(createFetchCall(other)),
      ]),
    ],
    objects: [result, ...rungs],
    result,
    rungs,
  };
}

/** The read that continues a hit: at its first passage, or the whole record. */
const getReadCall = ({ id, evidence: [first] }: SearchResult): ToolCall =>
  first === undefined ? createFetchCall(id) : toToolCall(first.read);

/**
 * A hit as JSON, with its first passage. It omits what `id`, `sources` or the title already say, and a `read` that follows from
 * the hit itself: by its id or, for part of a field (`chars`), by its id and field path.
 */
function layOutResult(hit: SearchResult, read: ToolCall, brief: boolean): JsonObject {
  const { id, title, matched_fields: matched, event_time, local_time, reply, similar } = hit;
  const beside = brief ? [] : listNeighbourMatches(hit);
  const time = formatTime(hit);
  const [first] = brief ? [] : listBodyPassages(hit);
  return {
    id,
    title,
    url: brief ? "" : (hit.citation_url ?? ""),
    ...(first === undefined ? {} : layOutPassage(first)),
    ...(first === undefined && matched.length > 0 ? { matched } : {}),
    ...(brief ? {} : layOutDetails(listUntitledDetails(hit))),
    ...(time === undefined || title.endsWith(`, ${time}`)
      ? {}
      : local_time !== undefined
        ? { local_time }
        : { event_time: event_time! }),
    ...(isImplied(hit) ? {} : { read }),
    ...(brief || reply === undefined ? {} : { reply: layOutReply(reply) }),
    ...(brief || similar === undefined ? {} : { similar: layOutSimilar(similar) }),
    ...(brief || beside.length === 0
      ? {}
      : { neighbours: beside.map(({ words, id: other }) => ({ words, id: other })) }),
  };
}

/** Whether the read follows from the hit: the whole record, or the field from its start. */
const isImplied = ({ evidence: [first] }: SearchResult): boolean =>
  first === undefined ||
  first.read.operation === "fetch" ||
  (first.read.operation === "readField" && Object.keys(toToolCall(first.read).arguments).length === 2);

type Reply = NonNullable<SearchResult["reply"]>;

/** The author and the start of the reply. */
const formatReply = ({ details, field_path, preview, truncated }: Reply): string =>
  `reply${details.map((actor) => `, ${toOneLine(actor.field_path)} ${formatValue(actor)}`).join("")}: ${formatValue({
    field_path,
    value: preview,
    truncated,
  })}`;

const layOutReply = ({ id, details, preview, truncated, read }: Reply): JsonObject => ({
  id,
  ...layOutDetails(details),
  ...(truncated ? { begins: preview } : { text: preview }),
  ...(read.operation === "fetch" ? {} : { read: toToolCall(read) }),
});

type Similar = NonNullable<SearchResult["similar"]>;

function formatSimilar({ count, event_times: times }: Similar): string {
  const more = count > times.length ? ", …" : "";
  return `${count} more like this${times.length === 0 ? "" : `, ${times.map(formatSimilarTime).join(", ")}${more}`}:`;
}

const layOutSimilar = ({ count, event_times, read }: Similar): JsonObject => ({
  count,
  ...(event_times.length === 0 ? {} : { event_times }),
  read: toToolCall(read),
});

/** Matched words are highlighted, as in the text. */
const layOutPassage = (passage: MatchEvidence): JsonObject => ({
  field_path: passage.field_path,
  preview: highlightMatches(passage),
  ...(formatExtent(passage) === undefined ? {} : { chars: formatExtent(passage)! }),
});

/** Title, actors, source and time, with matched words highlighted. */
function formatHeading(hit: SearchResult): string {
  const { title, title_match: match, connector_key, stream, display_name } = hit;
  const label = display_name === undefined ? "" : ` ${toLabel(display_name)}`;
  const time = formatTime(hit);
  return [
    match === undefined
      ? toLiteral(title)
      : `${toOneLine(match.field_path)}: ${toLiteral(highlightMatches({ preview: title, match: match.match }))}`,
    ...listActors(hit).map((actor) => `${toOneLine(actor.field_path)} ${formatActor(hit, actor)}`),
    `${connector_key} ${toOneLine(stream)}${label}`,
    // A title made from the time already contains it.
    ...(time === undefined || title.endsWith(`, ${time}`) ? [] : [time]),
  ].join(" | ");
}

function formatActor(hit: SearchResult, actor: HitDetail): string {
  const passage = findDetailPassage(hit, actor);
  return passage === undefined ? formatValue(actor) : toLiteral(highlightMatches(passage));
}

const listActors = ({ details = [] }: SearchResult): HitDetail[] => details.filter(({ role }) => role === "actor");

const listFurtherDetails = ({ details = [] }: SearchResult): HitDetail[] =>
  details.filter(({ role }) => role !== "actor");

const formatDetail = (detail: HitDetail): string => `${toOneLine(detail.field_path)}: ${formatValue(detail)}`;

function formatValue({ value, unit, truncated }: HitDetail): string {
  const shown = Array.isArray(value) ? value.map(toLiteral).join(", ") : toLiteral(value);
  return `${shown}${unit === undefined ? "" : ` ${toOneLine(String(unit))}`}${truncated ? " …" : ""}`;
}

/** Complete values, their units, and the starts of long values. */
function layOutDetails(details: readonly HitDetail[]): JsonObject {
  const values = (some: readonly HitDetail[]): JsonObject =>
    Object.fromEntries(some.map(({ field_path, value }) => [field_path, value]));
  const whole = details.filter(({ truncated }) => !truncated);
  const begun = details.filter(({ truncated }) => truncated);
  const units = whole.flatMap(({ field_path, unit }) => (unit === undefined ? [] : [[field_path, unit] as const]));
  return {
    ...(whole.length === 0 ? {} : { details: values(whole) }),
    ...(units.length === 0 ? {} : { units: Object.fromEntries(units) }),
    ...(begun.length === 0 ? {} : { begins: values(begun) }),
  };
}

/** The sources of a page, in order of their first hit. */
export function listSources(hits: readonly SearchResult[]): HitSource[] {
  const sources = new Map<string, HitSource>();
  for (const { connection_id, connector_key, display_name } of hits) {
    const known = sources.get(connection_id);
    sources.set(connection_id, { connection_id, connector_key, display_name, hits: (known?.hits ?? 0) + 1 });
  }
  return [...sources.values()];
}

export const layOutSource = ({ connection_id, connector_key, display_name, hits }: HitSource): ResultPart => ({
  lines: [
    [connector_key, ...(display_name === undefined ? [] : [toLabel(display_name)]), `${connection_id}:`, hits].join(
      " ",
    ),
  ],
  objects: [{ connection_id, connector_key, ...(display_name === undefined ? {} : { display_name }), hits }],
});

function formatPassage(passage: MatchEvidence): string {
  const extent = formatExtent(passage);
  const where = extent === undefined ? "" : ` (${extent} chars)`;
  return `${toOneLine(passage.field_path)}${where}: ${toLiteral(highlightMatches(passage))}`;
}

/** The range of the field that a passage covers, unless it is the whole field. */
const formatExtent = ({ window, truncated }: MatchEvidence): string | undefined =>
  window !== undefined && truncated ? `${window.start_chars}-${window.end_chars} of ${window.total_chars}` : undefined;
