/** Ways back: from a window to what stands before it. */

export interface Back {
  /** Where the window begins that offers it; null: it is a place in the middle, and what is behind it is read elsewhere. */
  readonly start: number | null;
  /** The walk goes on to the beginning of the text; else one step proves the way. */
  readonly toBeginning: boolean;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The window before another ends where the other begins; nothing but bytes that it tells of may stand between. */
export function checkBack(back: Back | undefined, end: number, hidden: readonly Span[]): void {
  if (back === undefined || back.start === null) return;
  let at = back.start;
  for (let span: Span | undefined; at > end; at = span.start) {
    span = hidden.find((each) => each.end === at && each.start < at);
    if (span === undefined)
      throw new Error(`the window before ${back.start} ends at ${end}: what is between is skipped`);
  }
  if (at < end) throw new Error(`the window before ${back.start} goes on to ${end}`);
}

/** What is followed of what an answer offers: of one that was reached going back, only what goes back further. */
export function followed<T extends { readonly back?: Back | undefined }>(
  from: Back | undefined,
  offers: readonly T[],
): T[] {
  if (from === undefined) return [...offers];
  if (!from.toBeginning) return [];
  return offers.flatMap((offer) =>
    offer.back === undefined ? [] : [{ ...offer, back: { ...offer.back, toBeginning: true } }],
  );
}

/** Which offers were followed already, and how far. */
export class Known {
  readonly #ranks = new Map<string, number>();

  get size(): number {
    return this.#ranks.size;
  }

  keys(): string[] {
    return [...this.#ranks.keys()];
  }

  /** Whether an offer is new, or is to be followed further than it was. */
  add(key: string, back: Back | undefined): boolean {
    const rank = back === undefined ? 3 : back.toBeginning ? 2 : 1;
    if ((this.#ranks.get(key) ?? 0) >= rank) return false;
    this.#ranks.set(key, rank);
    return true;
  }
}
