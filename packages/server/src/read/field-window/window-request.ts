import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { budget } from "@pdpp/evidence/sizes/budget";

export interface WindowPlace {
  readonly kind: "from" | "to";
  readonly at: number;
  readonly limit: number;
}
export interface MatchRequest {
  readonly kind: "match";
  readonly q: string;
  readonly before: number;
  readonly after: number;
  /** Null: as long as the match and its context. */
  readonly limit: number | null;
}
/** The cursor contains version, position and limit. */
interface CursorRequest {
  readonly kind: "cursor";
  readonly cursor: string;
  /** Must equal the cursor's, if it was sent. */
  readonly limit: number | null;
}

export type WindowRequest = WindowPlace | MatchRequest | CursorRequest;

const { window: sizes } = budget;
const decimal = /^\d{1,15}$/;

export function parseWindowRequest(input: Input<"readField">): { asked: WindowRequest; warnings: Warning[] } {
  const { q, cursor } = input;
  if (q !== undefined) {
    for (const param of ["offset_chars", "end_chars", "cursor"] as const)
      refuseParameter(input, param, `q finds its own place; send q or ${param}`);
  } else {
    refuseParameter(input, "before_chars", "before_chars needs q");
    refuseParameter(input, "after_chars", "after_chars needs q");
  }
  if (cursor !== undefined)
    for (const param of ["offset_chars", "end_chars"] as const)
      refuseParameter(input, param, `cursor and ${param} both set where the window starts; send one of them`);
  if (input.offset_chars !== undefined) refuseParameter(input, "end_chars", "send offset_chars or end_chars, not both");
  const { limit, warnings } = clampLimit(input.limit_chars);
  return { asked: parsePlace(input, limit), warnings };
}

function parsePlace(input: Input<"readField">, limit: number | null): WindowRequest {
  const { q, cursor } = input;
  if (q !== undefined) {
    const before = parseContext(input, "before_chars", sizes.beforeChars);
    const after = parseContext(input, "after_chars", sizes.afterChars);
    return { kind: "match", q, before, after, limit };
  }
  if (cursor !== undefined && !decimal.test(cursor)) return { kind: "cursor", cursor, limit };
  const length = limit ?? sizes.chars;
  if (input.end_chars !== undefined) return { kind: "to", at: input.end_chars, limit: length };
  return { kind: "from", at: Number(cursor ?? input.offset_chars ?? 0), limit: length };
}

function refuseParameter(input: Input<"readField">, param: keyof Input<"readField">, message: string): void {
  if (input[param] !== undefined) throw new PdppError("invalid_window", message, { param });
}

function parseContext(input: Input<"readField">, param: "before_chars" | "after_chars", usual: number): number {
  const asked = input[param] ?? usual;
  if (asked <= sizes.maxContextChars) return asked;
  throw new PdppError("invalid_window", `${param} is at most ${sizes.maxContextChars}`, { param });
}

function clampLimit(asked: number | undefined): { limit: number | null; warnings: Warning[] } {
  if (asked === undefined) return { limit: null, warnings: [] };
  const param = "limit_chars";
  if (asked < 1) throw new PdppError("invalid_window", "limit_chars is at least 1", { param });
  if (asked <= sizes.maxChars) return { limit: asked, warnings: [] };
  const detail = { requested_limit: asked, max_limit: sizes.maxChars };
  const message = `limit_chars is at most ${sizes.maxChars}`;
  return { limit: sizes.maxChars, warnings: [{ code: "limit_clamped", message, param, detail }] };
}
