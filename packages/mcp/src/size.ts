import type { JsonObject } from "@pdpp/contract/declaration";
import { budget } from "@pdpp/evidence/budget";
import { tokensOf } from "@pdpp/evidence/tokens";
import type { Answer } from "./tool.ts";

/** How large a result may be. The tightest host passes 8,000 characters of it, both forms together. */
export const sizes = {
  /** With the arguments that a tool has by itself. */
  raw: 8000,
  /** A whole document, the last rung. */
  rawDocument: 24_000,
  /** With any arguments, in each form. */
  formBytes: budget.result.formBytes,
  formTokens: budget.result.formTokens,
  /** So much both forms can have together at the most. */
  bothForms: 2 * budget.result.formBytes,
  lineChars: budget.result.lineChars,
  /** So much of a text every host shows, whatever it cuts. */
  headChars: 1500,
  envelopeChars: budget.result.envelopeChars,
} as const;

/** The result as it goes out, without what the protocol adds. */
export const rawChars = ({ structured, text, meta }: Answer): number =>
  JSON.stringify({ content: [{ type: "text", text }], structuredContent: structured, _meta: meta }).length +
  sizes.envelopeChars;

const formFits = (form: string): boolean =>
  Buffer.byteLength(form) <= sizes.formBytes && tokensOf(form) <= sizes.formTokens;

export function fitsEachForm({ structured, text }: Answer): boolean {
  return (
    formFits(text) &&
    formFits(JSON.stringify(structured)) &&
    text.split("\n").every((line) => line.length <= sizes.lineChars)
  );
}

/** Whether a result may go out. `most`: both forms together, where the arguments are the tool's own. */
export const fits = (answer: Answer, most: number = Number.POSITIVE_INFINITY): boolean =>
  rawChars(answer) <= most && fitsEachForm(answer);

/** The most items, at least one, with which an answer fits. */
export function mostFitting(count: number, fitsWith: (items: number) => boolean): number {
  let [low, high] = [1, count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitsWith(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A page of a list, ended where the result is full: its cursor goes on exactly there. */
export async function fittingPage<P extends { readonly data: readonly unknown[] }>(options: {
  readonly limit: number;
  readonly most: number;
  read(limit: number): Promise<P>;
  answer(page: P, brief: boolean): Answer;
  /** A page of one item with less of what comes along with it. */
  shorter?(page: P): Promise<P>;
}): Promise<Answer> {
  for (let limit = options.limit; ; ) {
    const page = await options.read(limit);
    const whole = options.answer(page, false);
    if (fits(whole, options.most)) return whole;
    const count = page.data.length;
    if (count <= 1) return options.answer((await options.shorter?.(page)) ?? page, true);
    const room = longCursor(page);
    limit = mostFitting(count - 1, (items) =>
      fits(options.answer({ ...page, ...room, data: page.data.slice(0, items) }, false), options.most),
    );
  }
}

/** A cut page has a cursor, and a cursor takes room; how much is told by the one there is. */
const longCursor = (page: object): JsonObject => ({
  has_more: true,
  next_cursor: "next_cursor" in page ? String(page.next_cursor) : "x".repeat(400),
});
