import { folderOf, nameOf } from "../../core/paths.ts";
import type { Entry } from "../../tree/tree.ts";

/**
 * Which file tells of which picture. Its name is the picture's with an ending that may be cut off: `IMG_1.jpg.json`,
 * `IMG_1.jpg.supplemental-metadata.json`, `IMG_1.jpg.suppl.json`; a counter moves behind the ending: `IMG_1(2).jpg`, `IMG_1.jpg(2).json`.
 */
export class Sidecars {
  readonly #byFolder: ReadonlyMap<string, readonly { name: string; counter: string; entry: Entry }[]>;

  constructor(entries: readonly Entry[]) {
    const parted = entries.map((entry) => {
      const plain = nameOf(entry.path).replace(/\.json$/i, "");
      const [, name = plain, counter = ""] = /^(.*)\((\d+)\)$/.exec(plain) ?? [];
      return { name, counter, entry };
    });
    this.#byFolder = Map.groupBy(parted, ({ entry }) => folderOf(entry.path));
  }

  of(path: string): Entry | undefined {
    const all = this.#byFolder.get(folderOf(path)) ?? [];
    const [, stem = "", counter = "", ending = ""] = /^(.*?)(?:\((\d+)\))?(\.[^.]*)?$/.exec(nameOf(path)) ?? [];
    // What was edited, and the film of a live picture, share the original's.
    const bases = [`${stem}${ending}`, `${stem.replace(/-edited$/i, "")}${ending}`];
    for (const base of bases) {
      const whole = `${base}.supplemental-metadata`;
      const found = all.find(
        (each) =>
          each.counter === counter && whole.startsWith(each.name) && each.name.length >= Math.min(base.length, 46),
      );
      if (found !== undefined) return found.entry;
    }
    return all.find(
      (each) =>
        each.counter === counter && new RegExp(`^${RegExp.escape(stem)}\\.(heic|jpe?g)(\\.|$)`, "i").test(each.name),
    )?.entry;
  }
}
