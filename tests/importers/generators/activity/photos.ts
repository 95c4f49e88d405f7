import { photos } from "#importers/formats/photos/photos";
import { type Dice, type Generator, people, sentence } from "../generator.ts";

interface Photo {
  readonly n: number;
  readonly description: string;
}

const photo = (dice: Dice, n: number): Photo => ({ n, description: sentence(dice) });

/** Camera data as a TIFF structure. */
function cameraData(n: number, hasOffset: boolean): Buffer {
  const text = (value: string): Buffer => Buffer.from(`${value}\0`);
  const day = String(1 + (n % 28)).padStart(2, "0");
  const [make, time, offset] = [text("Canon"), text(`2024:03:${day} 10:00:0${n % 10}`), text("+01:00")];
  const u16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
  const u32 = (value: number): Buffer =>
    Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24]);
  const tag = (number: number, type: number, length: number, value: number): Buffer =>
    Buffer.concat([u16(number), u16(type), u32(length), u32(value)]);
  // The header, two tags and an end, then three tags and an end, then the texts.
  const [first, second] = [8, 8 + 2 + 2 * 12 + 4];
  const texts = second + 2 + (hasOffset ? 2 : 1) * 12 + 4;
  return Buffer.concat([
    Buffer.from("II*\0"),
    u32(first),
    u16(2),
    tag(0x010f, 2, make.length, texts),
    tag(0x8769, 4, 1, second),
    u32(0),
    u16(hasOffset ? 2 : 1),
    tag(0x9003, 2, time.length, texts + make.length),
    ...(hasOffset ? [tag(0x9011, 2, offset.length, texts + make.length + time.length)] : []),
    u32(0),
    make,
    time,
    offset,
  ]);
}

/** The beginning of a picture as a camera writes it, without the picture. */
export function jpeg(n: number, hasOffset: boolean): Buffer {
  const segment = Buffer.concat([Buffer.from("Exif\0\0"), cameraData(n, hasOffset)]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe1, (segment.length + 2) >> 8, (segment.length + 2) & 255]),
    segment,
    Buffer.from(`picture ${n}`),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** The beginning of a picture as a phone writes it: its camera data is an item, whose place a table names. */
export function heic(n: number, brand = "heic"): Buffer {
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const box = (kind: string, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    return Buffer.concat([u32(content.length + 8), Buffer.from(kind), content]);
  };
  const item = Buffer.concat([u32(6), Buffer.from("Exif\0\0"), cameraData(n, true)]);
  const info = box("infe", Buffer.from([2, 0, 0, 0, 0, 1, 0, 0]), Buffer.from("Exif\0"));
  const describe = (offset: number): Buffer =>
    Buffer.concat([
      box("ftyp", Buffer.from(`${brand}\0\0\0\0mif1${brand}`)),
      box(
        "meta",
        u32(0),
        box("iinf", u32(0), Buffer.from([0, 1]), info),
        box("iloc", u32(0), Buffer.from([0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1]), u32(offset), u32(item.length)),
      ),
    ]);
  return Buffer.concat([describe(describe(0).length + 8), box("mdat", item)]);
}

const sidecar = ({ n, description }: Photo): string =>
  JSON.stringify({
    title: `IMG_${n}.jpg`,
    description,
    photoTakenTime: { timestamp: String(1_700_000_000 + n), formatted: "Nov 14, 2023" },
    geoData: { latitude: 48.1, longitude: 11.5, altitude: 0 },
    people: [{ name: people[n % people.length] }],
    favorited: n % 2 === 0,
  });

/** Half of them have a sidecar, with its name whole or cut off. */
function files(all: readonly Photo[]): Record<string, string | Uint8Array> {
  const found: Record<string, string | Uint8Array> = {};
  for (const each of all) {
    const { n } = each;
    const name = `Photos from 2024/IMG_${n}.jpg`;
    found[name] = jpeg(n, n % 4 === 0);
    if (n % 2 === 1) found[`${name}.${n % 4 === 1 ? "supplemental-metadata" : "suppl"}.json`] = sidecar(each);
  }
  return found;
}

export const photosGenerator: Generator = {
  importer: photos,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => photo(dice, n));
    const described = all.slice(0, 2).map(({ n }) => ({ n, description: "described" }));
    const added = [photo(dice, size * 2), photo(dice, size * 2 + 1)];
    return { older: files(all), newer: files([...described, ...all.slice(2, -2), ...added]) };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => photo(dice, n));
    const broken = jpeg(5, true);
    broken.fill(0xff, 40, 90);
    return {
      files: {
        ...files(good),
        "Summer/IMG_3.jpg": jpeg(3, false),
        "Photos from 2024/IMG_7.jpg": Buffer.from("no picture at all"),
        "Photos from 2024/IMG_7.jpg.json":
          '{"photoTakenTime": {"timestamp": "never"}, "title": "nul \\u0000", "people": [7]}',
        "Photos from 2024/IMG_8.jpg": broken,
        "Photos from 2024/IMG_8.jpg.json": '{"photoTakenTime": {broken',
      },
      good: 5,
    };
  },
  crowd: (_dice, n) => ({
    path: `Album ${n % 7}/IMG_${n}.jpg`,
    content: Buffer.concat([jpeg(n, true), Buffer.alloc(2000, 1)]),
  }),
};
