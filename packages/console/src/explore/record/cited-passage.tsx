import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import { type CitedPassage, parseCitationPath, parsePassage } from "@pdpp/evidence/handles/citation";
import { formatHandle, type RecordHandle } from "@pdpp/evidence/handles/handle";
import { sliceChars } from "@pdpp/evidence/text/text";
import type { Context } from "hono";
import { buildUrl, getTextUrl, toAbsoluteUrl } from "../../frame/addresses.ts";
import type { Html } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { renderText, renderVerbatim } from "../../frame/render/values.tsx";
import { toReadInput } from "../request.ts";

/** The cited passage, shown above its record. */

export function getCitedUrl(c: Context): string {
  const place = parseCitationPath(new URL(c.req.url).pathname);
  if (place === null) throw new PdppError("not_found", "this link doesn't point to a record");
  return toAbsoluteUrl(buildUrl("record", { id: formatHandle(place), at: c.req.query("at") }));
}

const [aroundChars, maxPassageChars] = [200, 2000];

/** Empty when the passage no longer exists; the record is shown anyway. */
export async function renderCitedPassage(
  c: Context,
  reader: ReadApi,
  place: RecordHandle,
  names: Names,
): Promise<Html> {
  const passage = parsePassage(c.req.query("at") ?? "");
  const window = passage === null ? undefined : await readAround(reader, place, passage);
  if (passage === null || window === undefined || passage.start >= window.window.end_chars) return <></>;
  const { text, start_chars: from, end_chars: to, total_chars: total } = window.window;
  const [start, end] = [passage.start, Math.min(passage.end, to)].map((chars) => Math.max(0, chars - from));
  const parts = [0, start ?? 0, end ?? 0, to - from];
  const [before, marked, after] = parts.slice(0, 3).map((at, i) => sliceChars(text, at, parts[i + 1] ?? at));
  const { field, version } = passage;
  const name = names.field(place.connectionId, place.stream, field.replace(/\{text\}$/, ""));
  const all = getTextUrl({ id: formatHandle(place), field, offset: from, version });
  return (
    <section class="text" id="cited">
      <h2 class="label">Cited passage: {renderText(name)}</h2>
      <div class="prose" dir="auto">
        {from > 0 && "…"}
        {renderVerbatim(from > 0 ? dropFirstPart(before ?? "") : (before ?? ""))}
        <mark>{renderVerbatim(marked ?? "")}</mark>
        {renderVerbatim(to < total ? dropLastPart(after ?? "") : (after ?? ""))}
        {to < total && "…"}
      </div>
      <p class="pages">
        <a href={all}>Read in context</a>
      </p>
    </section>
  );
}

/** The window may begin and end inside a word. */
const dropFirstPart = (text: string): string => text.replace(/^\S{0,30}\s+(?=\S)/u, "");
const dropLastPart = (text: string): string => text.replace(/(?<=\S)\s+\S{0,30}$/u, "");

async function readAround(reader: ReadApi, place: RecordHandle, { field, start, end, version }: CitedPassage) {
  const offset = Math.max(0, start - aroundChars);
  const limit = start - offset + Math.min(end - start, maxPassageChars) + aroundChars;
  try {
    return await reader.readField({ ...toReadInput(place), field, version, offset_chars: offset, limit_chars: limit });
  } catch (error) {
    if (error instanceof PdppError && error.status < 500) return undefined;
    throw error;
  }
}
