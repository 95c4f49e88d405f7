import { budget } from "../sizes/budget.ts";
import type { Measure, WindowSubject } from "../sizes/measure.ts";
import type { Size } from "../sizes/size.ts";
import { estimateTokens } from "../sizes/tokens.ts";
import { countBytes } from "../sizes/utf8.ts";

/** How much text a field window may carry so that the tool result it is shown in stays within its limits. */
export interface WindowLimits {
  /** Both copies of the text together, as JSON. */
  readonly chars: number;
  /** Each copy. */
  readonly bytes: number;
  readonly tokens: number;
}

/** With less space than this for the text, the result states the record's id only where it must. */
const minTextChars = 800;

/** The limits for the text in a result of `maxChars` characters, and whether the result must be brief about the rest. */
export function computeWindowLimits(
  measure: Measure,
  subject: WindowSubject,
  maxChars: number,
): WindowLimits & { readonly isBrief: boolean } {
  const full = subtractSize(measure({ kind: "window", subject, isBrief: false }), maxChars);
  if (Math.min(full.chars, full.bytes, full.tokens) >= minTextChars) return { ...full, isBrief: false };
  return { ...subtractSize(measure({ kind: "window", subject, isBrief: true }), maxChars), isBrief: true };
}

const subtractSize = (rest: Size, maxChars: number): WindowLimits => ({
  chars: maxChars - rest.chars,
  bytes: budget.result.maxBytes - Math.max(rest.textBytes, rest.jsonBytes),
  tokens: budget.result.maxTokens - rest.countTokens(),
});

/** The part of the limits that the text before a match may use. */
export const scaleLimits = ({ chars, bytes, tokens }: WindowLimits, share: number): WindowLimits => ({
  chars: chars * share,
  bytes: bytes * share,
  tokens: tokens * share,
});

function fitsByLength(text: string, limits: WindowLimits): boolean {
  const json = JSON.stringify(text);
  return (
    2 * (json.length - 2) <= limits.chars &&
    countBytes(json) <= limits.bytes &&
    text.split("\n").every((line) => line.length <= budget.result.lineChars)
  );
}

const fitsByTokens = (text: string, { tokens }: WindowLimits): boolean =>
  estimateTokens(text) <= tokens && estimateTokens(JSON.stringify(text)) <= tokens;

const isInsidePair = (text: string, unit: number): boolean => unit > 0 && (text.codePointAt(unit - 1) ?? 0) > 0xffff;

/** Where a text must end to fit, in UTF-16 units. At least one character fits, so that paging always advances. */
export const findFittingEnd = (text: string, limits: WindowLimits): number =>
  findLongestFitting(text, limits, (units) => {
    const end = isInsidePair(text, units) ? units - 1 : units;
    return { index: end, part: text.slice(0, end) };
  });

/** Where a text must start to fit up to its end. */
export const findFittingStart = (text: string, limits: WindowLimits): number =>
  findLongestFitting(text, limits, (units) => {
    const start = isInsidePair(text, text.length - units) ? text.length - units + 1 : text.length - units;
    return { index: start, part: text.slice(start) };
  });

interface Cut {
  readonly index: number;
  readonly part: string;
}

function findLongestFitting(text: string, limits: WindowLimits, cut: (units: number) => Cut): number {
  const maxUnits = Math.min(text.length, Math.floor(limits.chars / 2));
  const units = findGreatest(maxUnits, (n) => fitsByLength(cut(n).part, limits));
  // Counting tokens is slower than counting characters and rarely decides.
  const fitting = fitsByTokens(cut(units).part, limits)
    ? units
    : findGreatest(units, (n) => fitsByTokens(cut(n).part, limits));
  const longest = cut(fitting);
  return [longest, cut(1), cut(2)].find(({ part }) => part !== "")?.index ?? longest.index;
}

/** The greatest number up to `max` for which `holds` is true, assuming it is true for all smaller ones, else 0. */
function findGreatest(max: number, holds: (units: number) => boolean): number {
  let [low, high] = [0, Math.max(0, max)];
  if (holds(high)) return high;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
