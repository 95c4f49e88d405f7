import { commandName } from "@pdpp/agent-setup/command-name";
import type { Input } from "@pdpp/contract/operations";
import type { HitDetail, MatchEvidence, SearchList, SearchResult } from "@pdpp/contract/wire";
import {
  findDetailPassage,
  formatMatchCounts,
  formatSimilarTime,
  listBodyPassages,
  listNeighbourMatches,
} from "@pdpp/evidence/cards/hit";
import { parseHandle } from "@pdpp/evidence/handles/handle";
import { findMarks, highlightMatches } from "@pdpp/evidence/passages/marks";
import { sliceChars } from "@pdpp/evidence/text/text";
import type { QuestionTime } from "@pdpp/language/dates/question-time";
import { formatPlace } from "./source.ts";
import { escapeText, formatName, quoteText } from "./terminal/literal.ts";
import { cleanLine, showText, showValue } from "./terminal/readable.ts";
import type { Style } from "./terminal/style.ts";
import { formatContinuation, formatCount, type NextRead, type View, wrapText } from "./view.ts";

type SearchRequest = Input<"search">;

/** Formats hits with their passages and the command that reads on at the first passage. */
export function formatSearch(view: View, list: SearchList, asked: SearchRequest, undo?: SearchRequest): string {
  if (list.data.length === 0) return formatNothingFound(view, asked, undo);
  const hits = list.data.map((hit, i) => formatHit(view, hit, i + 1));
  return [...hits, formatFooter(view, list, asked)].join("\n\n");
}

function formatNothingFound(view: View, asked: SearchRequest, undo: SearchRequest | undefined): string {
  if (undo === undefined)
    return wrapText(
      `Nothing found. Try fewer or other words. List what is searched with: ${commandName} read streams`,
      view.width,
    );
  const said = `Nothing found ${formatTimeRange(asked)}. To search at any time, with all the words:`;
  return [wrapText(said, view.width), formatContinuation(view, { operation: "search", arguments: undo })].join("\n");
}

/** Explains the recognized period and how to undo it; an empty card list shows that command itself. */
export function formatUnderstoodTime(
  view: View,
  time: QuestionTime,
  undo: SearchRequest,
  isEmpty: boolean,
  isCard: boolean,
): string {
  const said = `understood: ${formatTimeRange(time)} (${quoteText(time.words)})`;
  if (isEmpty && isCard) return said;
  const nothing = isEmpty ? "; nothing found in that period" : "";
  const command = view.toCommand({ operation: "search", arguments: undo });
  return `${said}${nothing}; to search for the words instead:\n-> ${command}`;
}

/** Both times are local midnights, so the date is enough. */
const formatTimeRange = ({ since, until }: Pick<SearchRequest, "since" | "until">): string =>
  [since && `since ${since.slice(0, 10)}`, until && `until ${until.slice(0, 10)}`].filter(Boolean).join(", ");

function formatHit(view: View, hit: SearchResult, number: number): string {
  const { title_match: match, details = [], evidence, reply, similar } = hit;
  const title = match === undefined ? showText(view, hit.title) : highlight(view, { preview: hit.title, ...match });
  return [
    `${view.style.dim(`${number}.`)} ${view.style.bold(title)}`,
    ...formatPlace(view, hit),
    ...(details.length === 0
      ? []
      : [wrapText(details.map((detail) => formatDetail(view, hit, detail)).join("; "), getTextWidth(view), "  ")]),
    ...listBodyPassages(hit).map((passage) =>
      wrapText(`${formatName(passage.field_path)}: ${formatPassage(view, passage)}`, getTextWidth(view), "  "),
    ),
    // Without a passage, link to the record.
    formatContinuation(view, evidence[0]?.read ?? toFetch(hit)),
    ...(reply === undefined ? [] : [formatReply(view, hit, reply), formatContinuation(view, reply.read)]),
    ...(similar === undefined ? [] : [formatSimilar(similar), formatContinuation(view, similar.read)]),
    ...listNeighbourMatches(hit).flatMap(({ words, id }) => [
      `  ${words.map(quoteText).join(", ")} matched in a neighbouring message:`,
      formatContinuation(view, toFetchById(id)),
    ]),
  ].join("\n");
}

function formatReply(view: View, hit: SearchResult, reply: NonNullable<SearchResult["reply"]>): string {
  const actors = reply.details.map((actor) => `, ${formatDetail(view, { ...hit, evidence: [] }, actor)}`).join("");
  const said = `reply${actors}: ${showText(view, reply.preview)}${reply.truncated ? " …" : ""}`;
  return wrapText(said, getTextWidth(view), "  ");
}

/** Text in a pipe stays on its line. */
const getTextWidth = ({ terminal, width }: View): number => (terminal ? width : Number.POSITIVE_INFINITY);

function formatSimilar({ count, event_times: times }: NonNullable<SearchResult["similar"]>): string {
  const more = count > times.length ? ", …" : "";
  return `  ${count} more like this${times.length === 0 ? "" : `, ${times.map(formatSimilarTime).join(", ")}${more}`}:`;
}

function formatDetail(view: View, hit: SearchResult, detail: HitDetail): string {
  const { field_path, value, unit, truncated } = detail;
  const passage = findDetailPassage(hit, detail);
  const shown =
    passage === undefined
      ? (Array.isArray(value) ? value : [value]).map((each) => showValue(view, each)).join(", ")
      : highlight(view, passage);
  return `${formatName(field_path)} ${shown}${unit === undefined ? "" : ` ${formatName(String(unit))}`}${truncated ? " …" : ""}`;
}

/** Formats a passage with highlighted matches, and dots where it was cut. */
function formatPassage(view: View, passage: MatchEvidence): string {
  const { window } = passage;
  const before = window !== undefined && window.start_chars > 0 ? "… " : "";
  const after = window !== undefined && window.end_chars < window.total_chars ? " …" : "";
  return `${before}${highlight(view, passage)}${after}`;
}

type Highlighted = Pick<MatchEvidence, "preview" | "match" | "window">;

function highlight(view: View, passage: Highlighted): string {
  const escapePart = view.terminal ? cleanLine : escapeText;
  const shown = view.style.isColorSupported
    ? colorMatches(view.style, passage, escapePart)
    : escapePart(highlightMatches(passage));
  return view.terminal ? shown.trim() : `"${shown}"`;
}

function colorMatches(style: Style, passage: Highlighted, escapePart: (text: string) => string): string {
  let shown = "";
  let at = 0;
  for (const { start, end } of findMarks(passage)) {
    const word = escapePart(sliceChars(passage.preview, start, end));
    shown += `${escapePart(sliceChars(passage.preview, at, start))}${style.bold(style.yellow(word))}`;
    at = end;
  }
  return shown + escapePart(sliceChars(passage.preview, at, passage.preview.length));
}

/** Who wrote the hit and what it is called, for the head of its text. */
export function formatHitHead(view: View, hit: SearchResult): string[] {
  const actors = (hit.details ?? []).filter(({ role }) => role === "actor");
  return [
    view.style.bold(showText(view, hit.title)),
    ...actors.map((actor) => `  ${formatDetail(view, { ...hit, evidence: [] }, actor)}`),
  ];
}

function formatFooter(view: View, list: SearchList, asked: SearchRequest): string {
  const said = `${list.data.length} of ${formatTotal(list)}; add --open 1 to read hit 1 at its match`;
  return [view.style.dim(wrapText(said, view.width)), ...formatNextPage(view, list, asked)].join("\n");
}

function formatTotal({ meta: { count, count_accuracy: accuracy, match } }: SearchList): string {
  const total = `${accuracy === "exact" ? "" : "at least "}${formatCount(count, "record")}`;
  return `${total}${formatMatchCounts(match)}`;
}

const toFetch = ({ connection_id, stream, record_key: record_id }: SearchResult): NextRead => ({
  operation: "fetch",
  arguments: { connection_id, stream, record_id },
});

/** Our server's ids are handles; another server's may not be. */
function toFetchById(id: string): NextRead {
  const handle = parseHandle(id);
  if (handle === null) throw new Error(`a hit names ${id}, which is no record id`);
  const { connectionId: connection_id, stream, recordId: record_id } = handle;
  return { operation: "fetch", arguments: { connection_id, stream, record_id } };
}

export const formatNextPage = (view: View, { next_cursor: cursor }: SearchList, asked: SearchRequest): string[] =>
  cursor === undefined ? [] : [formatContinuation(view, { operation: "search", arguments: { ...asked, cursor } })];

/** Selects the chosen passage, or the first truncated one, or the first. */
export function selectWindow(list: SearchList, hitNumber: number, passageNumber?: number): Input<"readField"> | null {
  const hit = list.data[hitNumber - 1];
  if (hit === undefined) return null;
  const chosen =
    passageNumber === undefined
      ? (hit.evidence.find(({ truncated }) => truncated) ?? hit.evidence[0])
      : hit.evidence[passageNumber - 1];
  if (chosen === undefined) return null;
  if (chosen.read.operation === "readField") return { ...chosen.read.arguments };
  const { connection_id, stream, record_key: record_id } = hit;
  return { connection_id, stream, record_id, field: chosen.field_path };
}
