/** Detects whether a file writes dates as day-month-year, month-day-year or year-month-day. */

export const dateOrders = ["dmy", "mdy", "ymd"] as const;
export type DateOrder = (typeof dateOrders)[number];

type DateParts = readonly [number, number, number];

export const toYearMonthDay = (
  [a, b, c]: DateParts,
  order: DateOrder,
): { year: number; month: number; day: number } => {
  const [year, month, day] = order === "ymd" ? [a, b, c] : order === "dmy" ? [c, b, a] : [c, a, b];
  return { year, month, day };
};

export const parseDateOrder = (name: string | undefined): DateOrder | undefined =>
  dateOrders.find((order) => order === name);

/**
 * Decides by parts that can only be a year or a day; otherwise by which order keeps the entries sorted: chats go forwards, lists of
 * transactions or films in `either` direction. A few invalid dates do not matter.
 */
export class DateOrderDetector {
  #seen = 0;
  #years = 0;
  #dots = 0;
  readonly #direction: "forwards" | "either";
  readonly #days = { dmy: 0, mdy: 0 };
  readonly #forwards = { dmy: 0, mdy: 0 };
  readonly #backwards = { dmy: 0, mdy: 0 };
  readonly #last = { dmy: 0, mdy: 0 };

  constructor(direction: "forwards" | "either") {
    this.#direction = direction;
  }

  /** `sign` is the separator between the parts. */
  add([a, b, c]: DateParts, sign?: string): void {
    this.#seen += 1;
    if (sign === ".") this.#dots += 1;
    if (a > 31) this.#years += 1;
    else if (a > 12) this.#days.dmy += 1;
    if (b > 12) this.#days.mdy += 1;
    for (const [order, at] of [
      ["dmy", c * 10_000 + b * 100 + a],
      ["mdy", c * 10_000 + a * 100 + b],
    ] as const) {
      if (at < this.#last[order]) this.#backwards[order] += 1;
      else if (at > this.#last[order] && this.#seen > 1) this.#forwards[order] += 1;
      this.#last[order] = at;
    }
  }

  /** Adds the date that a text begins with; false if it does not. */
  addText(text: string): boolean {
    const [, a, sign, b, c] = /^\s*(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})/.exec(text) ?? [];
    if (c === undefined) return false;
    this.add([Number(a), Number(b), Number(c)], sign);
    return true;
  }

  /** Undefined if both day-first and month-first fit. */
  detect(): DateOrder | undefined {
    if (this.#years * 2 > this.#seen) return "ymd";
    if (this.#days.dmy !== this.#days.mdy) return this.#days.dmy > this.#days.mdy ? "dmy" : "mdy";
    // Dates separated by dots put the day first.
    if (this.#dots * 2 > this.#seen) return "dmy";
    const countDisorder = (order: "dmy" | "mdy"): number =>
      this.#direction === "forwards" ? this.#backwards[order] : Math.min(this.#forwards[order], this.#backwards[order]);
    const [dmy, mdy] = [countDisorder("dmy"), countDisorder("mdy")];
    return dmy === mdy ? undefined : dmy < mdy ? "dmy" : "mdy";
  }
}
