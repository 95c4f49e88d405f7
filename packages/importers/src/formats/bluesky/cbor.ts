/** The subset of CBOR that Bluesky repositories use. */

/** A reference to another block. */
export class Cid {
  readonly text: string;
  constructor(bytes: Uint8Array) {
    this.text = Buffer.from(bytes).toString("hex");
  }

  /** The usual notation: `bafkrei...`. */
  get name(): string {
    const letters = "abcdefghijklmnopqrstuvwxyz234567";
    const bits = [...Buffer.from(this.text, "hex")].map((byte) => byte.toString(2).padStart(8, "0")).join("");
    return `b${(bits.match(/.{1,5}/g) ?? []).map((five) => letters[Number.parseInt(five.padEnd(5, "0"), 2)]).join("")}`;
  }
}

const maxDepth = 60;

/** Decodes one value. Throws if the bytes are not valid. */
export function decodeCbor(bytes: Buffer): unknown {
  let at = 0;
  const take = (size: number): Buffer => {
    if (at + size > bytes.length) throw new Error("it is truncated");
    at += size;
    return bytes.subarray(at - size, at);
  };
  const readLength = (info: number): number => {
    if (info < 24) return info;
    if (info === 24) return take(1).readUInt8();
    if (info === 25) return take(2).readUInt16BE();
    if (info === 26) return take(4).readUInt32BE();
    if (info === 27) return Number(take(8).readBigUInt64BE());
    throw new Error("it uses lengths that are not supported");
  };
  const readValue = (depth: number): unknown => {
    if (depth > maxDepth) throw new Error("it is nested too deep");
    const first = take(1).readUInt8();
    const [major, info] = [first >> 5, first & 31];
    if (major === 7) return info === 20 ? false : info === 21 ? true : info === 27 ? take(8).readDoubleBE() : null;
    const n = readLength(info);
    if (major === 0) return n;
    if (major === 1) return -1 - n;
    if (major === 2) return Buffer.from(take(n));
    if (major === 3) return take(n).toString("utf8");
    if (major === 6) {
      const inner = readValue(depth + 1);
      // A reference starts with a zero byte.
      return n === 42 && Buffer.isBuffer(inner) ? new Cid(inner.subarray(1)) : inner;
    }
    if (n > bytes.length) throw new Error("it claims more items than it has");
    if (major === 4) return Array.from({ length: n }, () => readValue(depth + 1));
    const map: Record<string, unknown> = {};
    for (let i = 0; i < n; i += 1) {
      const key = readValue(depth + 1);
      map[String(key)] = readValue(depth + 1);
    }
    return map;
  };
  return readValue(0);
}
