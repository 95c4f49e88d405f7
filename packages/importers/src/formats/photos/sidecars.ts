import { getFileName, getFolder } from "../../core/text/paths.ts";
import type { Entry } from "../../tree/tree.ts";

/**
 * Which file tells of which picture. Its name is the picture's with an ending that may be cut off: `IMG_1.jpg.json`,
 * `IMG_1.jpg.supplemental-metadata.json`, `IMG_1.jpg.suppl.json`; a counter moves behind the ending: `IMG_1(2).jpg`, `IMG_1.jpg(2).json`.
 */
export class Sidecars {
  readonly #byFolder: ReadonlyMap<string, readonly { name: string; counter: string; entry: Entry }[]>;

  constructor(entries: readonly Entry[]) {
    const parted = entries.map((entry) => {
      const plain = getFileName(entry.path).replace(/\.json$/i, "");
      const [, name = plain, counter = ""] = /^(.*)\((\d+)\)$/.exec(plain) ?? [];
      return { name, counter, entry };
    });
    this.#byFolder = Map.groupBy(parted, ({ entry }) => getFolder(entry.path));
  }

  of(path: string): Entry | undefined {
    const all = this.#byFolder.get(getFolder(path)) ?? [];
    const [, stem = "", counter = "", ending = ""] = /^(.*?)(?:\((\d+)\))?(\.[^.]*)?$/.exec(getFileName(path)) ?? [];
    // What was edited, and the film of a live picture, share the original's.
    const original = stem.replace(edited, "");
    for (const base of [`${stem}${ending}`, `${original}${ending}`]) {
      const found = all.find((each) => each.counter === counter && isOf(each.name, base));
      if (found !== undefined) return found.entry;
    }
    // The number in brackets may be the picture's own: `image (1).jpg`, `image (1).jpg.json`.
    const literal = all.find(
      (each) => counter !== "" && each.name.includes(`(${counter})`) && isOf(each.name, getFileName(path)),
    );
    if (literal !== undefined) return literal.entry;
    const still = new RegExp(`^${RegExp.escape(original)}(\\.MP)?\\.(heic|jpe?g)(\\.|$)`, "i");
    return all.find((each) => each.counter === counter && still.test(each.name))?.entry;
  }
}

/** Names are cut off at 46 characters. */
const isOf = (sidecar: string, picture: string): boolean =>
  `${picture}.supplemental-metadata`.startsWith(sidecar) && sidecar.length >= Math.min(picture.length, 46);

/** In the language of the account. */
const edited =
  /-(edited|bearbeitet|modifi(?:é|e\u0301)|(?:ha )?editado|editat|modificato|bewerkt|edytowane|redigerad|redigeret|redigert|編集済み)$/i;
