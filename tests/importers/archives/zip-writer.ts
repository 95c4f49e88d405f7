import { crc32, deflateRawSync } from "node:zlib";

/** Zip archives as honest and as hostile programs write them. */

export interface ZipItem {
  readonly name: string | Uint8Array;
  readonly content: Uint8Array | string;
  readonly store?: boolean;
  readonly encrypted?: boolean;
  readonly link?: boolean;
  /** The size that the archive declares, if it is wrong. */
  readonly saidSize?: number;
  readonly zip64?: boolean;
  readonly modified?: Date;
}

export function writeZip(items: readonly ZipItem[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const item of items) {
    const name = Buffer.from(item.name);
    const content = Buffer.from(item.content);
    const packed = item.store ? content : deflateRawSync(content);
    const [crc, size] = [crc32(content), item.saidSize ?? content.length];
    const method = item.store ? 0 : 8;
    const flags = item.encrypted ? 1 : 0;
    const modified = dosTime(item.modified ?? new Date("2026-01-01T00:00:00Z"));
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(modified, 10);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    const extra = item.zip64 ? zip64Extra(size, packed.length) : Buffer.alloc(0);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE((3 << 8) | 20, 4);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(modified, 12);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(item.zip64 ? 0xffffffff : packed.length, 20);
    entry.writeUInt32LE(item.zip64 ? 0xffffffff : size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(item.link ? (0o120777 << 16) >>> 0 : (0o100644 << 16) >>> 0, 38);
    entry.writeUInt32LE(at, 42);
    parts.push(local, name, packed);
    at += local.length + name.length + packed.length;
    directory.push(entry, name, extra);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(items.length, 8);
  end.writeUInt16LE(items.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** In steps of two seconds, by a clock of no zone. */
const dosTime = (at: Date): number =>
  (((at.getUTCFullYear() - 1980) << 25) |
    ((at.getUTCMonth() + 1) << 21) |
    (at.getUTCDate() << 16) |
    (at.getUTCHours() << 11) |
    (at.getUTCMinutes() << 5) |
    (at.getUTCSeconds() >> 1)) >>>
  0;

function zip64Extra(size: number, packed: number): Buffer {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(size), 4);
  extra.writeBigUInt64LE(BigInt(packed), 12);
  return extra;
}
