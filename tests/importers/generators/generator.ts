import type { Importer } from "#importers/core/importer";

/** Made-up exports of a format, for tests and trials: the same dice give the same bytes. */
export interface Generator {
  readonly importer: Importer;
  /** An older and a newer export of the same source: some items changed, some were added, some deleted. */
  pair(dice: Dice, size: number): { readonly older: Files; readonly newer: Files };
  /** Broken in every way that we know of, with good items between the bad ones. */
  hostile(dice: Dice): { readonly files: Files; readonly good: number };
  /** One file of any size, piece by piece. */
  endless?(dice: Dice, bytes: number): { readonly path: string; pieces(): Iterable<string> };
  /** Where no file of the format is large: the nth of any number of them. */
  crowd?(dice: Dice, n: number): { readonly path: string; readonly content: string | Uint8Array };
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Dice {
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

const words =
  "boiler gutter thermostat invoice Tuesday ladder Reykjavík naïve ключ 鍵 مفتاح 🗝️ recipe mushroom train ticket delayed dentist saffron piano".split(
    " ",
  );

export const drawSentence = (dice: Dice, count = dice.int(3, 12)): string =>
  Array.from({ length: count }, () => dice.pick(words)).join(" ");

export const people = ["Ada Lovelace", "Björn Ironside", "陳大文", "أمينة", "Zoë O'Neil"] as const;

export const formatIsoDay = (n: number): string =>
  new Date(Date.UTC(2024, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);

/** A file of the given length: an opening, items and a closing. */
export const createEndlessFile = (
  path: string,
  bytes: number,
  item: (n: number) => string,
  [open, between, close]: readonly [string, string, string],
): ReturnType<NonNullable<Generator["endless"]>> => ({
  path,
  *pieces() {
    yield open;
    for (let n = 0, written = 0; written < bytes; n += 1) {
      const text = `${n === 0 ? "" : between}${item(n)}`;
      written += text.length;
      yield text;
    }
    yield close;
  },
});
