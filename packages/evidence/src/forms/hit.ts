import type { JsonObject } from "@pdpp/contract/declaration";
import type { MatchEvidence, SearchList, SearchResult } from "@pdpp/contract/wire";
import { highlightMatches } from "../marks.ts";
import { callLine, fetchCall, literal, oneLine, toolCall } from "./call.ts";
import type { Form } from "./size.ts";
import { timeText } from "./time.ts";

/** A search hit in the two forms of a tool's result: who it is, the passages that prove the match, the read that goes on there. */

export interface HitForm extends Form {
  readonly result: JsonObject;
  /** The same passages, with where they are and the read that goes on there. */
  readonly rungs: readonly JsonObject[];
}

/** Without its number. `brief`: its id is so long that there is room for nothing else. */
export function hitForm(hit: SearchResult, brief = false): HitForm {
  const passages = brief ? [] : hit.evidence;
  const beside = brief ? [] : (hit.beside ?? []);
  const [first, second] = passages;
  const { id, title, stream, connection_id, connector_key, display_name, event_time } = hit;
  const result: JsonObject = {
    id,
    title,
    url: "",
    ...(first === undefined ? {} : { preview: first.preview }),
    ...(second === undefined ? {} : { second_preview: second.preview }),
    stream,
    connection_id,
    connector_key,
    ...(display_name === undefined ? {} : { display_name }),
    ...(event_time === undefined ? {} : { event_time }),
    ...(beside.length === 0 ? {} : { beside: beside.map(({ words, id: other }) => ({ words, id: other })) }),
  };
  const rungs = passages.map(
    ({ field_path, preview, match, window, truncated, read }): JsonObject => ({
      id,
      field_path,
      preview,
      match,
      ...(window === undefined ? {} : { window }),
      truncated,
      read: toolCall(read),
    }),
  );
  const shownRungs = rungs.length === 0 ? [{ id, read: fetchCall(id) }] : rungs;
  const label = display_name === undefined ? "" : ` ${literal(display_name)}`;
  const when = timeText(hit);
  const time = when === undefined ? "" : ` | ${when}`;
  return {
    lines: [
      `${literal(title)} | ${connector_key} ${oneLine(stream)}${label}${time}`,
      // A passage that is the title whole stands in the head line.
      ...passages.filter(({ preview, truncated }) => truncated || preview !== title).map(passageLine),
      ...beside.map(
        ({ words, id: other }) => `beside it: ${words.map(literal).join(", ")} in ${literal(other)}, which fetch takes`,
      ),
      callLine(first === undefined ? fetchCall(id) : toolCall(first.read)),
    ],
    objects: [result, ...shownRungs],
    result,
    rungs: shownRungs,
  };
}

/** A source that hits of a page come from. */
export interface HitSource {
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly hits: number;
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
  const { window, truncated } = passage;
  const where =
    window !== undefined && truncated
      ? ` (${window.start_chars}-${window.end_chars} of ${window.total_chars} chars)`
      : "";
  return `${oneLine(passage.field_path)}${where}: ${literal(highlightMatches(passage))}`;
}

/** Behind how many records were found: how many of them have all that was asked for. Nothing when all do. */
export function tiersText({ all, most, any }: SearchList["meta"]["match"]): string {
  const some = most + any;
  if (some === 0) return "";
  return all === 0 ? ", none with all the words" : `: ${all} with all the words, ${some} with some`;
}
