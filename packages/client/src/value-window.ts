import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { PublicFieldWindow } from "@pdpp/contract/public-wire";
import { getType, toText } from "@pdpp/evidence/fields/field";
import { type FieldPath, getValue } from "@pdpp/evidence/fields/field-path";
import { budget } from "@pdpp/evidence/sizes/budget";
import { countChars, sliceChars, toCharIndex } from "@pdpp/evidence/text/text";
import { planAroundMatch } from "@pdpp/evidence/windows/window";

/** A window over a value that the server returns only as a whole: JSON, or a text inside it. */
export function cutValueWindow(data: JsonObject, path: FieldPath, input: Input<"readField">): PublicFieldWindow {
  const value = getValue(data, path);
  if (value === undefined)
    throw new PdppError("field_not_found", `the record has no field ${input.field}`, { param: "field" });
  const text = toText(value);
  const total = countChars(text);
  const match = input.q === undefined ? null : findMatch(text, input.q);
  const place =
    match === null
      ? { start: Math.min(input.offset_chars ?? 0, total), limit: budget.window.chars }
      : planAroundMatch(
          match,
          total,
          input.before_chars ?? budget.window.beforeChars,
          input.after_chars ?? budget.window.afterChars,
        );
  const limit = Math.min(input.limit_chars ?? place.limit, budget.window.maxChars);
  const end = Math.min(total, place.start + limit);
  return {
    object: "field_window",
    stream: input.stream,
    record_id: input.record_id,
    url: "",
    field: { path: input.field, type: getType(value) },
    window: {
      text: sliceChars(text, place.start, end),
      start_chars: place.start,
      end_chars: end,
      limit_chars: limit,
      total_chars: total,
      complete: place.start === 0 && end === total,
      has_more: end < total,
      next_offset_chars: end < total ? end : null,
      previous_offset_chars: place.start === 0 ? null : Math.max(0, place.start - limit),
      match_start_chars: match?.start ?? null,
      match_end_chars: match?.end ?? null,
    },
    links: { self: "" },
    meta: { warnings: [] },
  };
}

function findMatch(text: string, q: string): { readonly start: number; readonly end: number } {
  const unit = text.toLowerCase().indexOf(q.toLowerCase());
  if (unit < 0) throw new PdppError("query_not_found", "the field does not contain these words", { param: "q" });
  const start = toCharIndex(text, unit);
  return { start, end: start + countChars(q) };
}
