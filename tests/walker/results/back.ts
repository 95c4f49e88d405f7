/** Walks backwards: from a window to the text before it. */

export interface Back {
  /** Where the offering window starts; null for a place in the middle, whose rest is read elsewhere. */
  readonly start: number | null;
  /** Walks to the start of the text; otherwise one step is enough. */
  readonly toBeginning: boolean;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The previous window must end where this one starts; only bytes that it reports may lie between. */
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

/** Chooses which offers to follow: after going back, only those that go back further. */
export function followBack<T extends { readonly back?: Back | undefined }>(
  from: Back | undefined,
  offers: readonly T[],
): T[] {
  if (from === undefined) return [...offers];
  if (!from.toBeginning) return [];
  return offers.flatMap((offer) =>
    offer.back === undefined ? [] : [{ ...offer, back: { ...offer.back, toBeginning: true } }],
  );
}

/** Which offers were followed, and how far. */
export class Known {
  readonly #ranks = new Map<string, number>();

  get size(): number {
    return this.#ranks.size;
  }

  keys(): string[] {
    return [...this.#ranks.keys()];
  }

  /** Whether an offer is new or should be followed further. */
  add(key: string, back: Back | undefined): boolean {
    const rank = back === undefined ? 3 : back.toBeginning ? 2 : 1;
    if ((this.#ranks.get(key) ?? 0) >= rank) return false;
    this.#ranks.set(key, rank);
    return true;
  }
}
