import type { Input } from "@pdpp/contract/operations";
import type { SearchList, SearchResult } from "@pdpp/contract/wire";
import { sliceChars } from "@pdpp/evidence/text";
import { inside, literal, named } from "./literal.ts";
import { sourceLine } from "./source.ts";
import type { Style } from "./style.ts";
import { continuation, counted, type NextRead, type View, wrapped } from "./view.ts";

type Evidence = SearchResult["evidence"][number];

/** Hits, best first: title, source, time, the passages that prove it, and under each the command that reads on there. */
export function searchText(view: View, list: SearchList, asked: Input<"search">): string {
  if (list.data.length === 0) {
    return wrapped("nothing found; try fewer or other words; pdpp read streams lists what is searched", view.width);
  }
  const hits = list.data.map((hit, i) => hitText(view, hit, i + 1));
  return [...hits, footer(view, list, asked)].join("\n\n");
}

function hitText(view: View, hit: SearchResult, number: number): string {
  const eventTime = hit.card?.event_time as string | number | undefined;
  return [
    `${view.style.dim(`${number}.`)} ${view.style.bold(literal(hit.title))}`,
    ...sourceLine(view, { ...hit, event_time: eventTime }),
    ...hit.evidence.flatMap((each) => [
      `  ${named(each.field_path)}: ${marked(view.style, each)}`,
      continuation(view, each.read),
    ]),
    // Without a passage there is nothing to land on, so the way leads to the record.
    ...(hit.evidence.length === 0 ? [continuation(view, fetchOf(hit))] : []),
  ].join("\n");
}

/** The passage as a JSON string, its matched words highlighted, with dots where the text goes on. */
function marked(style: Style, { preview, match, window }: Evidence): string {
  const chars = (start: number, end: number): string =>
    inside(sliceChars(preview, start - window.start_chars, end - window.start_chars));
  let shown = "";
  let at = window.start_chars;
  for (const { start_chars: start, end_chars: end } of match) {
    if (start < at || end > window.end_chars) continue;
    shown += chars(at, start) + style.bold(style.yellow(chars(start, end)));
    at = end;
  }
  shown += chars(at, window.end_chars);
  const before = window.start_chars > 0 ? "… " : "";
  const after = window.end_chars < window.total_chars ? " …" : "";
  return `${before}"${shown}"${after}`;
}

function footer(view: View, list: SearchList, asked: Input<"search">): string {
  const { data, meta } = list;
  const most = meta.count_accuracy === "exact" ? "" : "at least ";
  const said = `${data.length} of ${most}${counted(meta.count, "record")}; the same command with --open 1 reads hit 1 at its match`;
  return [view.style.dim(wrapped(said, view.width)), ...nextPage(view, list, asked)].join("\n");
}

const fetchOf = ({ connection_id, stream, record_key: record_id }: SearchResult): NextRead => ({
  operation: "fetch",
  arguments: { connection_id, stream, record_id },
});

export const nextPage = (view: View, { next_cursor: cursor }: SearchList, asked: Input<"search">): string[] =>
  cursor === undefined ? [] : [continuation(view, { operation: "search", arguments: { ...asked, cursor } })];

/** The window of a hit: its chosen passage, or the first one of which more can be read, or the first. */
export function windowOfHit(list: SearchList, hitNumber: number, passageNumber?: number): Input<"readField"> | null {
  const hit = list.data[hitNumber - 1];
  if (hit === undefined) return null;
  const chosen =
    passageNumber === undefined
      ? (hit.evidence.find(({ truncated }) => truncated) ?? hit.evidence[0])
      : hit.evidence[passageNumber - 1];
  return chosen?.read.operation === "readField" ? { ...chosen.read.arguments } : null;
}
