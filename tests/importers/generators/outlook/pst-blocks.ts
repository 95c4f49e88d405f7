/** Blocks, pages and trees of a PST file: the Unicode version, without encryption and checksums. */

const maxBlockBytes = 8176;
const pageBytes = 512;

interface TreeEntry {
  readonly key: number;
  readonly bytes: Buffer;
}

export interface NodeData {
  readonly data: Buffer;
  readonly subnodes?: readonly ({ readonly nid: number } & NodeData)[];
}

const pad = (bytes: Buffer, to: number): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & (to - 1))]);

const writeLong = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

export class PstBlocks {
  readonly #parts: Buffer[] = [Buffer.alloc(1024)];
  #size = 1024;
  #nextBlock = 4;
  readonly #blocks: TreeEntry[] = [];
  readonly #nodes: TreeEntry[] = [];

  /** `isBroken`: its data is not in the file. */
  addNode(nid: number, parent: number, node: NodeData, isBroken = false): void {
    const data = isBroken ? 0xfff0 : this.#addData(node.data);
    const bytes = Buffer.concat([
      writeLong(nid),
      writeLong(data),
      writeLong(this.#addSubnodes(node.subnodes ?? [])),
      writeLong(parent),
    ]);
    this.#nodes.push({ key: nid, bytes });
  }

  finish(): Buffer {
    const nodes = this.#addTree(this.#nodes, 0x81, 32);
    const blocks = this.#addTree(this.#blocks, 0x80, 24);
    const file = Buffer.concat(this.#parts);
    file.write("!BDN", 0, "latin1");
    file.write("SM", 8, "latin1");
    file.writeUInt16LE(23, 10);
    file.writeUInt16LE(19, 12);
    writeLong(file.length).copy(file, 184);
    writeLong(nodes).copy(file, 224);
    writeLong(blocks).copy(file, 240);
    file[512] = 0x80;
    return file;
  }

  #append(bytes: Buffer, alignment: number): number {
    const gap = -this.#size & (alignment - 1);
    this.#parts.push(Buffer.alloc(gap), bytes);
    const at = this.#size + gap;
    this.#size = at + bytes.length;
    return at;
  }

  #addBlock(data: Buffer, isInternal: boolean): number {
    const id = this.#nextBlock | (isInternal ? 2 : 0);
    this.#nextBlock += 4;
    const trailer = Buffer.alloc(16);
    trailer.writeUInt16LE(data.length, 0);
    writeLong(id).copy(trailer, 8);
    const at = this.#append(Buffer.concat([pad(Buffer.concat([data, trailer]), 64)]), 64);
    const size = Buffer.alloc(8);
    size.writeUInt16LE(data.length, 0);
    size.writeUInt16LE(2, 2);
    this.#blocks.push({ key: id, bytes: Buffer.concat([writeLong(id), writeLong(at), size]) });
    return id;
  }

  #addData(data: Buffer): number {
    if (data.length <= maxBlockBytes) return this.#addBlock(data, false);
    const ids: Buffer[] = [];
    for (let at = 0; at < data.length; at += maxBlockBytes)
      ids.push(writeLong(this.#addBlock(data.subarray(at, at + maxBlockBytes), false)));
    const head = Buffer.alloc(8);
    head[0] = 1;
    head[1] = 1;
    head.writeUInt16LE(ids.length, 2);
    head.writeUInt32LE(data.length, 4);
    return this.#addBlock(Buffer.concat([head, ...ids]), true);
  }

  #addSubnodes(subnodes: NonNullable<NodeData["subnodes"]>): number {
    if (subnodes.length === 0) return 0;
    const head = Buffer.alloc(8);
    head[0] = 2;
    head.writeUInt16LE(subnodes.length, 2);
    const entries = subnodes.map(({ nid, data, subnodes: inner = [] }) =>
      Buffer.concat([writeLong(nid), writeLong(this.#addData(data)), writeLong(this.#addSubnodes(inner))]),
    );
    return this.#addBlock(Buffer.concat([head, ...entries]), true);
  }

  /** Returns the place of its root page. */
  #addTree(entries: readonly TreeEntry[], type: number, entryBytes: number): number {
    let level = 0;
    let below = [...entries].sort((a, b) => a.key - b.key);
    for (let bytes = entryBytes; ; bytes = 24, level += 1) {
      const perPage = Math.floor(488 / bytes);
      const pages: TreeEntry[] = [];
      let at = 0;
      for (let n = 0; n < below.length; n += perPage) {
        const some = below.slice(n, n + perPage);
        const page = Buffer.alloc(pageBytes);
        Buffer.concat(some.map((entry) => entry.bytes)).copy(page);
        page.set([some.length, perPage, bytes, level], 488);
        page.set([type, type], 496);
        at = this.#append(page, pageBytes);
        const key = some[0]?.key ?? 0;
        pages.push({ key, bytes: Buffer.concat([writeLong(key), writeLong(0), writeLong(at)]) });
      }
      if (pages.length === 1) return at;
      below = pages;
    }
  }
}
