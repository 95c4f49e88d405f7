import type { NodeData } from "./pst-blocks.ts";

/** Properties and tables, as they are in the nodes of a PST file. */

/** A text, a number, a boolean, a time or bytes. */
type PstValue = string | number | boolean | Date | Buffer | { readonly subnode: number };
export type PstProperties = Readonly<Record<number, PstValue>>;

/** Longer values are stored in a separate node. */
const maxHeapValue = 1000;

/** A heap in one block. Its first item has the number 0x20. */
class Heap {
  readonly #items: Buffer[] = [];

  add(item: Buffer): number {
    this.#items.push(item);
    return this.#items.length << 5;
  }

  finish(signature: number, root: number): Buffer {
    const head = Buffer.alloc(12);
    head[2] = 0xec;
    head[3] = signature;
    head.writeUInt32LE(root, 4);
    const body = Buffer.concat([head, ...this.#items]);
    head.writeUInt16LE(body.length, 0);
    const map = Buffer.alloc(4 + 2 * (this.#items.length + 1));
    map.writeUInt16LE(this.#items.length, 0);
    let at = 12;
    for (const [n, item] of this.#items.entries()) {
      map.writeUInt16LE(at, 4 + 2 * n);
      at += item.length;
    }
    map.writeUInt16LE(at, 4 + 2 * this.#items.length);
    return Buffer.concat([head, ...this.#items, map]);
  }
}

const treeHead = (keyBytes: number, valueBytes: number, root: number): Buffer => {
  const head = Buffer.from([0xb5, keyBytes, valueBytes, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(root, 4);
  return head;
};

function encodeTime(time: Date): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE((BigInt(time.getTime()) + 11_644_473_600_000n) * 10_000n);
  return bytes;
}

/** The type, and the value itself or its bytes. */
function encodeValue(value: PstValue): readonly [type: number, number | Buffer] {
  if (typeof value === "number") return [0x0003, value];
  if (typeof value === "boolean") return [0x000b, value ? 1 : 0];
  if (typeof value === "string") return [0x001f, Buffer.from(value, "utf16le")];
  if (value instanceof Date) return [0x0040, encodeTime(value)];
  if (Buffer.isBuffer(value)) return [0x0102, value];
  const reference = Buffer.alloc(8);
  reference.writeUInt32LE(value.subnode);
  return [0x000d, reference];
}

export function buildProperties(properties: PstProperties, more: NonNullable<NodeData["subnodes"]> = []): NodeData {
  const heap = new Heap();
  const subnodes = [...more];
  heap.add(treeHead(2, 6, 0x40));
  const entries = Object.entries(properties).sort(([a], [b]) => Number(a) - Number(b));
  const table = Buffer.alloc(entries.length * 8);
  heap.add(table);
  for (const [n, [id, value]] of entries.entries()) {
    const [type, content] = encodeValue(value);
    table.writeUInt16LE(Number(id), n * 8);
    table.writeUInt16LE(type, n * 8 + 2);
    if (typeof content === "number") table.writeUInt32LE(content, n * 8 + 4);
    else if (content.length <= maxHeapValue) table.writeUInt32LE(heap.add(content), n * 8 + 4);
    else {
      const nid = ((0x400 + n) << 5) | 0x1f;
      subnodes.push({ nid, data: content });
      table.writeUInt32LE(nid, n * 8 + 4);
    }
  }
  return { data: heap.finish(0xbc, 0x20), subnodes };
}

export interface PstRow {
  readonly id: number;
  readonly values?: Readonly<Record<number, string | number>>;
}

/** All rows have the columns of the first. */
export function buildTable(rows: readonly PstRow[]): NodeData {
  const heap = new Heap();
  const ids = [0x67f2, 0x67f3, ...Object.keys(rows[0]?.values ?? {}).map(Number)];
  const bits = ids.length * 4;
  const rowBytes = bits + Math.ceil(ids.length / 8);
  const matrix = Buffer.alloc(rows.length * rowBytes);
  const index = Buffer.alloc(rows.length * 8);
  const root = heap.add(treeHead(4, 4, rows.length === 0 ? 0 : 0x40));
  if (rows.length > 0) heap.add(index);
  for (const [n, { id, values = {} }] of rows.entries()) {
    const at = n * rowBytes;
    index.writeUInt32LE(id, n * 8);
    index.writeUInt32LE(n, n * 8 + 4);
    matrix.writeUInt32LE(id, at);
    for (const [column, name] of ids.entries()) {
      const value = values[name];
      if (column > 1 && value !== undefined)
        matrix.writeUInt32LE(
          typeof value === "number" ? value : heap.add(Buffer.from(value, "utf16le")),
          at + column * 4,
        );
      matrix[at + bits + (column >> 3)] = (matrix[at + bits + (column >> 3)] ?? 0) | (0x80 >> (column & 7));
    }
  }
  const rowsId = rows.length === 0 ? 0 : heap.add(matrix);
  const info = Buffer.alloc(22 + ids.length * 8);
  info.set([0x7c, ids.length]);
  for (const at of [2, 4, 6]) info.writeUInt16LE(bits, at);
  info.writeUInt16LE(rowBytes, 8);
  info.writeUInt32LE(root, 10);
  info.writeUInt32LE(rowsId, 14);
  for (const [column, name] of ids.entries()) {
    const isText = typeof rows[0]?.values?.[name] === "string";
    const at = 22 + column * 8;
    info.writeUInt16LE(isText ? 0x001f : 0x0003, at);
    info.writeUInt16LE(name, at + 2);
    info.writeUInt16LE(column * 4, at + 4);
    info.set([4, column], at + 6);
  }
  return { data: heap.finish(0x7c, heap.add(info)) };
}
