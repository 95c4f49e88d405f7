import { getFileName, getFolder } from "../../core/text/paths.ts";
import type { Entry } from "../../tree/tree.ts";

/**
 * Matches metadata files to images. Their name is the image's plus a suffix that may be truncated: `IMG_1.jpg.json`,
 * `IMG_1.jpg.supplemental-metadata.json`, `IMG_1.jpg.suppl.json`. A counter moves after the extension:
 * `IMG_1(2).jpg`, `IMG_1.jpg(2).json`.
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

  find(path: string): Entry | undefined {
    const all = this.#byFolder.get(getFolder(path)) ?? [];
    const [, stem = "", counter = "", ending = ""] = /^(.*?)(?:\((\d+)\))?(\.[^.]*)?$/.exec(getFileName(path)) ?? [];
    // Edited images and the video of a live photo share the original's.
    const original = stem.replace(edited, "");
    for (const base of [`${stem}${ending}`, `${original}${ending}`]) {
      const found = all.find((each) => each.counter === counter && belongsTo(each.name, base));
      if (found !== undefined) return found.entry;
    }
    // The number in brackets may be part of the image's name: `image (1).jpg`, `image (1).jpg.json`.
    const literal = all.find(
      (each) => counter !== "" && each.name.includes(`(${counter})`) && belongsTo(each.name, getFileName(path)),
    );
    if (literal !== undefined) return literal.entry;
    const still = new RegExp(`^${RegExp.escape(original)}(\\.MP)?\\.(heic|jpe?g)(\\.|$)`, "i");
    return all.find((each) => each.counter === counter && still.test(each.name))?.entry;
  }
}

/** Names are truncated at 46 characters. */
const belongsTo = (sidecar: string, picture: string): boolean =>
  `${picture}.supplemental-metadata`.startsWith(sidecar) && sidecar.length >= Math.min(picture.length, 46);

/** In the account's language. */
const edited =
  /-(edited|bearbeitet|modifi(?:é|e\u0301)|(?:ha )?editado|editat|modificato|bewerkt|edytowane|redigerad|redigeret|redigert|編集済み)$/i;
