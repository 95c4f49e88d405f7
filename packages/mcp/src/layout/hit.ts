import type { JsonObject } from "@pdpp/contract/declaration";
import type { HitDetail, MatchEvidence, SearchResult } from "@pdpp/contract/wire";
import { matchesBeside, matchInDetail, passagesBelowHead, similarTime } from "@pdpp/evidence/cards/hit";
import { highlightMatches } from "@pdpp/evidence/passages/marks";
import type { HitSource } from "@pdpp/evidence/sizes/measure";
import { timeText } from "@pdpp/evidence/text/event-time";
import { literal, oneLine } from "@pdpp/evidence/text/literal";
import { callLine, fetchCall, type ToolCall, toolCall } from "./call.ts";
import type { Form } from "./part.ts";

/** A search hit in the two forms of a tool's result: who it is, the passages that prove the match, the read that goes on there. */

export interface HitForm extends Form {
  readonly result: JsonObject;
  /** Passages beyond the first, each with its own read. */
  readonly rungs: readonly JsonObject[];
}

/** Without its number. `brief`: its id is so long that there is room for nothing else. */
export function hitForm(hit: SearchResult, brief = false): HitForm {
  const { id } = hit;
  const read = callOf(hit);
  const passages = brief ? [] : passagesBelowHead(hit);
  const details = brief ? [] : furtherDetails(hit);
  const { reply, similar } = brief ? {} : hit;
  const beside = brief ? [] : matchesBeside(hit);
  const result = resultObject(hit, read, brief);
  const rungs = passages.slice(1).map((passage): JsonObject => ({ id, ...passageObject(passage) }));
  return {
    lines: [
      headLine(hit),
      ...passages.map(passageLine),
      ...(details.length === 0 ? [] : [details.map(detailText).join(", ")]),
      callLine(read),
      ...(reply === undefined ? [] : [replyLine(reply), callLine(toolCall(reply.read))]),
      ...(similar === undefined ? [] : [similarLine(similar), callLine(toolCall(similar.read))]),
      ...beside.flatMap(({ words, id: other }) => [
        `${words.map(literal).join(", ")} matched in a neighbouring message:`,
        callLine(fetchCall(other)),
      ]),
    ],
    objects: [result, ...rungs],
    result,
    rungs,
  };
}

/** The call that leads on from a hit: to the place of its first passage, or to the record. */
const callOf = ({ id, evidence: [first] }: SearchResult): ToolCall =>
  first === undefined ? fetchCall(id) : toolCall(first.read);

/**
 * The hit as an object. The first passage is in it, and is written nowhere else. What `id` says already, or `sources` or the title, is left
 * out, and so is a `read` that needs nothing but what the hit has: its id or, of a passage that is a part of its field (`chars`), its id
 * and field path.
 */
function resultObject(hit: SearchResult, read: ToolCall, brief: boolean): JsonObject {
  const { id, title, matched_fields: matched, event_time, local_time, reply, similar } = hit;
  const beside = brief ? [] : matchesBeside(hit);
  const time = timeText(hit);
  const [first] = brief ? [] : passagesBelowHead(hit);
  return {
    id,
    title,
    url: brief ? "" : (hit.citation_url ?? ""),
    ...(first === undefined ? {} : passageObject(first)),
    ...(first === undefined && matched.length > 0 ? { matched } : {}),
    ...(brief ? {} : detailObjects(hit.details ?? [])),
    ...(time === undefined || title.endsWith(`, ${time}`)
      ? {}
      : local_time !== undefined
        ? { local_time }
        : { event_time: event_time! }),
    ...(isImplied(hit) ? {} : { read }),
    ...(brief || reply === undefined ? {} : { reply: replyObject(reply) }),
    ...(brief || similar === undefined ? {} : { similar: similarObject(similar) }),
    ...(brief || beside.length === 0
      ? {}
      : { neighbours: beside.map(({ words, id: other }) => ({ words, id: other })) }),
  };
}

/** A read of the record, or of the field from its beginning: the hit has all that they need. */
const isImplied = ({ evidence: [first] }: SearchResult): boolean =>
  first === undefined ||
  first.read.operation === "fetch" ||
  (first.read.operation === "readField" && Object.keys(toolCall(first.read).arguments).length === 2);

type Reply = NonNullable<SearchResult["reply"]>;

/** Who replied, and how the reply begins. */
const replyLine = ({ details, field_path, preview, truncated }: Reply): string =>
  `reply${details.map((actor) => `, ${oneLine(actor.field_path)} ${valueText(actor)}`).join("")}: ${valueText({
    field_path,
    value: preview,
    truncated,
  })}`;

const replyObject = ({ id, details, preview, truncated, read }: Reply): JsonObject => ({
  id,
  ...detailObjects(details),
  ...(truncated ? { begins: preview } : { text: preview }),
  ...(read.operation === "fetch" ? {} : { read: toolCall(read) }),
});

type Similar = NonNullable<SearchResult["similar"]>;

function similarLine({ count, event_times: times }: Similar): string {
  const more = count > times.length ? ", …" : "";
  return `${count} more like this${times.length === 0 ? "" : `, ${times.map(similarTime).join(", ")}${more}`}:`;
}

const similarObject = ({ count, event_times, read }: Similar): JsonObject => ({
  count,
  ...(event_times.length === 0 ? {} : { event_times }),
  read: toolCall(read),
});

/** `preview` has its matched words marked, as in the text. */
const passageObject = (passage: MatchEvidence): JsonObject => ({
  field_path: passage.field_path,
  preview: highlightMatches(passage),
  ...(extentOf(passage) === undefined ? {} : { chars: extentOf(passage)! }),
});

/** Title, who it is from, source and time; matched words of the title and the names are marked. */
function headLine(hit: SearchResult): string {
  const { title, title_match: match, connector_key, stream, display_name } = hit;
  const label = display_name === undefined ? "" : ` ${literal(display_name)}`;
  const time = timeText(hit);
  return [
    match === undefined
      ? literal(title)
      : `${oneLine(match.field_path)}: ${literal(highlightMatches({ preview: title, match: match.match }))}`,
    ...actorsOf(hit).map((actor) => `${oneLine(actor.field_path)} ${actorText(hit, actor)}`),
    `${connector_key} ${oneLine(stream)}${label}`,
    // A title that is made from the time has it already.
    ...(time === undefined || title.endsWith(`, ${time}`) ? [] : [time]),
  ].join(" | ");
}

function actorText(hit: SearchResult, actor: HitDetail): string {
  const passage = matchInDetail(hit, actor);
  return passage === undefined ? valueText(actor) : literal(highlightMatches(passage));
}

const actorsOf = ({ details = [] }: SearchResult): HitDetail[] => details.filter(({ role }) => role === "actor");

const furtherDetails = ({ details = [] }: SearchResult): HitDetail[] => details.filter(({ role }) => role !== "actor");

const detailText = (detail: HitDetail): string => `${oneLine(detail.field_path)}: ${valueText(detail)}`;

function valueText({ value, unit, truncated }: HitDetail): string {
  const shown = Array.isArray(value) ? value.map(literal).join(", ") : literal(value);
  return `${shown}${unit === undefined ? "" : ` ${oneLine(String(unit))}`}${truncated ? " …" : ""}`;
}

/** Whole values, their units, and beginnings of values apart from them. */
function detailObjects(details: readonly HitDetail[]): JsonObject {
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

/** The sources of a page, in the order of their first hits. */
export function sourcesOf(hits: readonly SearchResult[]): HitSource[] {
  const sources = new Map<string, HitSource>();
  for (const { connection_id, connector_key, display_name } of hits) {
    const known = sources.get(connection_id);
    sources.set(connection_id, { connection_id, connector_key, display_name, hits: (known?.hits ?? 0) + 1 });
  }
  return [...sources.values()];
}

export const sourceForm = ({ connection_id, connector_key, display_name, hits }: HitSource): Form => ({
  lines: [
    [connector_key, ...(display_name === undefined ? [] : [literal(display_name)]), `${connection_id}:`, hits].join(
      " ",
    ),
  ],
  objects: [{ connection_id, connector_key, ...(display_name === undefined ? {} : { display_name }), hits }],
});

function passageLine(passage: MatchEvidence): string {
  const extent = extentOf(passage);
  const where = extent === undefined ? "" : ` (${extent} chars)`;
  return `${oneLine(passage.field_path)}${where}: ${literal(highlightMatches(passage))}`;
}

/** Which part of the field a passage is, unless it is all of it. */
const extentOf = ({ window, truncated }: MatchEvidence): string | undefined =>
  window !== undefined && truncated ? `${window.start_chars}-${window.end_chars} of ${window.total_chars}` : undefined;
