import { hash } from "node:crypto";

/**
 * Ids for what has none of its own, by the recipe `h1`: a digest over the fields that tell one thing from another, each with its
 * length before it, so that no two lists of fields look alike. A better recipe gets another name, and never the same ids.
 */
export function deriveId(...fields: readonly (string | number | null | undefined)[]): string {
  let all = "";
  for (const field of fields) {
    if (field === null || field === undefined) all += "-:";
    else {
      const text = String(field);
      all += `${countBytes(text)}:${text}`;
    }
  }
  return `h1_${hash("sha256", all, "hex").slice(0, 40)}`;
}

/** Nearly all fields are short and plain; asking outside for their length takes longer than looking at them. */
function countBytes(text: string): number {
  if (text.length > 64) return Buffer.byteLength(text);
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text);
  return text.length;
}

/** Equal things stand close together in an export; so many are remembered. */
const maxRemembered = 20_000;

/** Numbers equal things: the first has none, so that a thing that is alone keeps its id whatever follows. */
export class Occurrences {
  #recent = new Map<string, number>();
  #before = new Map<string, number>();

  number(id: string): string {
    const n = (this.#recent.get(id) ?? this.#before.get(id) ?? 0) + 1;
    this.#recent.set(id, n);
    if (this.#recent.size >= maxRemembered / 2) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    return n === 1 ? id : `${id}_${n}`;
  }
}
