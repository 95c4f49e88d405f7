import type { ObjectKeys } from "./object-state.ts";

/** Tracks which objects contain a record. If an event is in several calendars, the first calendar wins, regardless of the order of changes. */
export class Holders {
  /** By id: the keys of each object, by the object's place. */
  readonly #byId = new Map<string, Map<string, ObjectKeys>>();

  set(place: string, before: ObjectKeys, keys: ObjectKeys): void {
    for (const id of before.keys()) this.#byId.get(id)?.delete(place);
    for (const id of keys.keys()) {
      const held = this.#byId.get(id);
      if (held === undefined) this.#byId.set(id, new Map([[place, keys]]));
      else held.set(place, keys);
    }
  }

  /** The first object that has the record. */
  find(id: string, part: string): string | undefined {
    let first: string | undefined;
    for (const [place, keys] of this.#byId.get(id) ?? [])
      if ((first === undefined || place < first) && keys.get(id)?.includes(part)) first = place;
    return first;
  }

  /** Whether any object has a record with this id. */
  hasId(id: string): boolean {
    return (this.#byId.get(id)?.size ?? 0) > 0;
  }
}

/** Sorts objects by collection, then by name. */
export const formatPlace = (url: string, key: string): string => `${url}\n${key}`;

export function parsePlace(place: string): { readonly url: string; readonly key: string } {
  const end = place.indexOf("\n");
  return { url: place.slice(0, end), key: place.slice(end + 1) };
}
