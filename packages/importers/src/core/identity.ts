import { hash } from "node:crypto";

/**
 * Derives an id for items that have none: a digest over identifying fields, each prefixed with its length so that different field lists
 * never collide. The `h1_` prefix names this algorithm; a different algorithm must use a different prefix.
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

/** Almost all fields are short ASCII; scanning them is faster than calling Buffer.byteLength. */
function countBytes(text: string): number {
  if (text.length > 64) return Buffer.byteLength(text);
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text);
  return text.length;
}

/** Duplicates are close together in an export, so remembering this many ids is enough. */
const maxRemembered = 20_000;

/** Numbers duplicates. The first keeps its id unchanged, so that later duplicates do not affect it. */
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
