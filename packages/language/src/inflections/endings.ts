import data from "../../data/endings.json" with { type: "json" };

/**
 * Inflectional endings by language, folded like the index. A vault mixes languages and a word does not name its own, so all
 * endings of a script are tried. An ending is listed only if it does not merge two different English words. Two forms are the
 * same word if they share a base and their endings are in the same list.
 */

export interface Endings {
  readonly minBaseLength: number;
  /** Interchangeable with each other and with weak endings; `""` means no ending. */
  readonly strong: readonly string[];
  /** Interchangeable with strong endings only; among themselves they would match too many unrelated words. */
  readonly weak: readonly string[];
  /** The shared base has to end like this. */
  readonly after: RegExp | undefined;
}

/** Parses lists of the form `minBaseLength strong... | weak... < after`. A hyphen means no ending. */
function parseEndings(lists: readonly string[]): readonly Endings[] {
  return lists.map((list) => {
    const [endings, after] = list.split(" < ");
    const [first, weak] = endings!.split(" | ");
    const [minBaseLength, ...strong] = first!.split(" ");
    const plain = (list: readonly string[]) => list.map((ending) => (ending === "-" ? "" : ending));
    return {
      minBaseLength: Number(minBaseLength),
      strong: plain(strong),
      weak: plain(weak?.split(" ") ?? []),
      after: after === undefined ? undefined : new RegExp(`(?:${after})$`),
    };
  });
}

export const latinEndings = parseEndings(data.latin);
export const cyrillicEndings = parseEndings(data.cyrillic);
export const greekEndings = parseEndings(data.greek);
/** Arabic and Persian. */
export const arabicEndings = parseEndings(data.arabic);
export const hebrewEndings = parseEndings(data.hebrew);
export const indicEndings = parseEndings(data.indic);
/** English words and names that look like inflected forms of another word in some language. Their endings are ignored. */
const exemptWords: ReadonlySet<string> = new Set(data.exempt.split(" "));

export const isExempt = (form: string): boolean =>
  exemptWords.has(form) || (form.endsWith("s") && exemptWords.has(form.slice(0, -1)));
