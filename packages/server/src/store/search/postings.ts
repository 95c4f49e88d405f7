import type { ByteWriter } from "./bytes.ts";

/**
 * The records that have a word, oldest first: for each the distance from the one before, how often it has the word, and the
 * coded length of the field. Once is most often, and takes no byte of its own.
 */

/** The first record of a list is known from the dictionary, so its distance is none. */
export function writePosting(to: ByteWriter, distance: number, times: number, length: number): void {
  to.number(distance * 2 + (times === 1 ? 1 : 0));
  if (times !== 1) to.number(times);
  to.byte(length);
}

/** A list, taken apart. Numbers are read in place below, not by a `ByteReader`: there may be millions, and a call for each costs more. */
export interface Postings {
  readonly docs: Float64Array;
  readonly times: Uint32Array;
  readonly lengths: Uint8Array;
}

export function readPostings(bytes: Buffer, first: number, count: number): Postings {
  const docs = new Float64Array(count);
  const times = new Uint32Array(count);
  const lengths = new Uint8Array(count);
  let at = 0;
  let doc = first;
  for (let n = 0; n < count; n += 1) {
    let value = bytes[at++] ?? 0;
    if (value >= 128) {
      value -= 128;
      for (let unit = 128; ; unit *= 128) {
        const next = bytes[at++] ?? 0;
        if (next < 128) {
          value += next * unit;
          break;
        }
        value += (next - 128) * unit;
      }
    }
    const isOnce = value % 2;
    doc += (value - isOnce) / 2;
    let often = 1;
    if (isOnce === 0) {
      often = bytes[at++] ?? 0;
      if (often >= 128) {
        often -= 128;
        for (let unit = 128; ; unit *= 128) {
          const next = bytes[at++] ?? 0;
          if (next < 128) {
            often += next * unit;
            break;
          }
          often += (next - 128) * unit;
        }
      }
    }
    docs[n] = doc;
    times[n] = often;
    lengths[n] = bytes[at++] ?? 0;
  }
  return { docs, times, lengths };
}

/** Where a word stands in each record of a list; those that are not wanted are passed over. */
export function readPositions(
  bytes: Buffer,
  times: Uint32Array,
  isWanted: (n: number) => boolean,
): Map<number, number[]> {
  const wanted = new Map<number, number[]>();
  let at = 0;
  for (let n = 0; n < times.length; n += 1) {
    const keep = isWanted(n);
    const places: number[] = [];
    let place = 0;
    for (let i = times[n] ?? 0; i > 0; i -= 1) {
      let value = bytes[at++] ?? 0;
      if (value >= 128) {
        value -= 128;
        for (let unit = 128; ; unit *= 128) {
          const next = bytes[at++] ?? 0;
          if (next < 128) {
            value += next * unit;
            break;
          }
          value += (next - 128) * unit;
        }
      }
      place += value;
      if (keep) places.push(place);
    }
    if (keep) wanted.set(n, places);
  }
  return wanted;
}
