import { createHash } from "node:crypto";
import { bluesky } from "#importers/formats/bluesky/bluesky";
import { type Dice, drawSentence, type Generator } from "../generator.ts";

/** A small writer of CBOR; references are objects with a `cid`. */
export function encode(value: unknown): Buffer {
  const encodeHead = (major: number, n: number): Buffer =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  if (value === null) return Buffer.from([0xf6]);
  if (typeof value === "number") return encodeHead(0, value);
  if (typeof value === "string") return Buffer.concat([encodeHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([encodeHead(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([encodeHead(4, value.length), ...value.map(encode)]);
  if (value instanceof Reference)
    return Buffer.concat([Buffer.from([0xd8, 42]), encode(Buffer.concat([Buffer.from([0]), value.cid]))]);
  const entries = Object.entries(value ?? {});
  return Buffer.concat([
    encodeHead(5, entries.length),
    ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)]),
  ]);
}

export class Reference {
  readonly cid: Buffer;
  constructor(bytes: Buffer) {
    this.cid = Buffer.concat([Buffer.from([1, 0x71, 0x12, 0x20]), createHash("sha256").update(bytes).digest()]);
  }
}

function encodeVarint(n: number): Buffer {
  const bytes: number[] = [];
  for (let left = n; ; left >>= 7) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left & 127) | 128);
  }
}

const block = (bytes: Buffer): Buffer => {
  const { cid } = new Reference(bytes);
  return Buffer.concat([encodeVarint(cid.length + bytes.length), cid, bytes]);
};

interface Entry {
  readonly path: string;
  readonly bytes: Buffer;
}

/** A repository: a commit, a node of its tree for every sixteen records, and the records. */
export function encodeRepository(entries: readonly Entry[], did = "did:plc:ada"): Buffer {
  const nodes: Buffer[] = [];
  for (let i = 0; i < entries.length; i += 16) {
    let last = "";
    nodes.push(
      encode({
        l: null,
        e: entries.slice(i, i + 16).map(({ path, bytes }) => {
          let same = 0;
          while (same < last.length && last[same] === path[same]) same += 1;
          last = path;
          return { p: same, k: Buffer.from(path.slice(same)), v: new Reference(bytes), t: null };
        }),
      }),
    );
  }
  const commit = encode({ did, version: 3, data: new Reference(nodes[0] ?? Buffer.alloc(0)), rev: "1", prev: null });
  const header = encode({ roots: [new Reference(commit)], version: 1 });
  const profile = encode({ $type: "app.bsky.actor.profile", displayName: "Ada" });
  return Buffer.concat([
    encodeVarint(header.length),
    header,
    ...[commit, profile, ...nodes, ...entries.map(({ bytes }) => bytes)].map(block),
  ]);
}

const formatKey = (n: number): string => `3k${String(n).padStart(11, "0")}`;

function drawRecord(dice: Dice, n: number, text = drawSentence(dice)): Entry {
  const createdAt = new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString();
  if (n % 4 === 3) {
    const bytes = encode({
      $type: "app.bsky.feed.like",
      subject: { uri: `at://did:plc:b/app.bsky.feed.post/${n}`, cid: "x" },
      createdAt,
    });
    return { path: `app.bsky.feed.like/${formatKey(n)}`, bytes };
  }
  const bytes = encode({
    $type: "app.bsky.feed.post",
    text,
    createdAt,
    langs: ["en"],
    ...(n % 4 === 1 ? { reply: { parent: { uri: `at://did:plc:ada/app.bsky.feed.post/${formatKey(n - 1)}` } } } : {}),
    ...(n % 4 === 2
      ? {
          embed: {
            $type: "app.bsky.embed.images",
            images: [
              { alt: "a drawing", image: { ref: new Reference(Buffer.from(`${n}`)), mimeType: "image/png", size: 9 } },
            ],
          },
        }
      : {}),
  });
  return { path: `app.bsky.feed.post/${formatKey(n)}`, bytes };
}

export const blueskyGenerator: Generator = {
  importer: bluesky,
  pair(dice, size) {
    const all = Array.from({ length: size * 3 }, (_, n) => drawRecord(dice, n));
    const changed = [drawRecord(dice, 0, "written anew"), drawRecord(dice, 1, "written anew")];
    const added = [drawRecord(dice, size * 3), drawRecord(dice, size * 3 + 1)];
    return {
      older: { "repo.car": encodeRepository(all) },
      newer: { "repo.car": encodeRepository([...changed, ...all.slice(2, -2), ...added]) },
    };
  },
  hostile(dice) {
    const good = [0, 1, 2, 3].map((n) => drawRecord(dice, n));
    const timeless = {
      path: `app.bsky.feed.post/${formatKey(80)}`,
      bytes: encode({ $type: "app.bsky.feed.post", text: "no time" }),
    };
    const broken = { path: `app.bsky.feed.post/${formatKey(81)}`, bytes: Buffer.from([0xbf, 0xff, 0x9b]) };
    const whole = encodeRepository([...good, timeless, broken, drawRecord(dice, 82, "nul \u0000")]);
    return { files: { "a/repo.car": whole, "b/repo.car": whole.subarray(0, whole.length - 20) }, good: 5 };
  },
  crowd: (dice, n) => ({
    path: `${n}/repo.car`,
    content: encodeRepository(
      Array.from({ length: 200 }, (_, i) => drawRecord(dice, n * 200 + i)),
      `did:plc:${n}`,
    ),
  }),
};
