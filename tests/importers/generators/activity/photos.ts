import { photos } from "#importers/formats/photos/photos";
import { type Dice, drawSentence, type Generator, people } from "../generator.ts";

interface Photo {
  readonly n: number;
  readonly description: string;
}

const drawPhoto = (dice: Dice, n: number): Photo => ({ n, description: drawSentence(dice) });

/** Camera data as a TIFF structure. */
function encodeCameraData(n: number, hasOffset: boolean): Buffer {
  const encodeText = (value: string): Buffer => Buffer.from(`${value}\0`);
  const day = String(1 + (n % 28)).padStart(2, "0");
  const [make, time, offset] = [
    encodeText("Canon"),
    encodeText(`2024:03:${day} 10:00:0${n % 10}`),
    encodeText("+01:00"),
  ];
  const encodeU16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
  const encodeU32 = (value: number): Buffer =>
    Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24]);
  const encodeTag = (number: number, type: number, length: number, value: number): Buffer =>
    Buffer.concat([encodeU16(number), encodeU16(type), encodeU32(length), encodeU32(value)]);
  // The header, two tags and an end, then three tags and an end, then the texts.
  const [first, second] = [8, 8 + 2 + 2 * 12 + 4];
  const texts = second + 2 + (hasOffset ? 2 : 1) * 12 + 4;
  return Buffer.concat([
    Buffer.from("II*\0"),
    encodeU32(first),
    encodeU16(2),
    encodeTag(0x010f, 2, make.length, texts),
    encodeTag(0x8769, 4, 1, second),
    encodeU32(0),
    encodeU16(hasOffset ? 2 : 1),
    encodeTag(0x9003, 2, time.length, texts + make.length),
    ...(hasOffset ? [encodeTag(0x9011, 2, offset.length, texts + make.length + time.length)] : []),
    encodeU32(0),
    make,
    time,
    offset,
  ]);
}

/** The beginning of a picture as a camera writes it, without the picture. */
export function encodeJpeg(n: number, hasOffset: boolean): Buffer {
  const segment = Buffer.concat([Buffer.from("Exif\0\0"), encodeCameraData(n, hasOffset)]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe1, (segment.length + 2) >> 8, (segment.length + 2) & 255]),
    segment,
    Buffer.from(`picture ${n}`),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** The beginning of a picture as a phone writes it: its camera data is an item, whose place a table names. */
export function encodeHeic(n: number, brand = "heic"): Buffer {
  const encodeU32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const encodeBox = (kind: string, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    return Buffer.concat([encodeU32(content.length + 8), Buffer.from(kind), content]);
  };
  const item = Buffer.concat([encodeU32(6), Buffer.from("Exif\0\0"), encodeCameraData(n, true)]);
  const info = encodeBox("infe", Buffer.from([2, 0, 0, 0, 0, 1, 0, 0]), Buffer.from("Exif\0"));
  const describe = (offset: number): Buffer =>
    Buffer.concat([
      encodeBox("ftyp", Buffer.from(`${brand}\0\0\0\0mif1${brand}`)),
      encodeBox(
        "meta",
        encodeU32(0),
        encodeBox("iinf", encodeU32(0), Buffer.from([0, 1]), info),
        encodeBox(
          "iloc",
          encodeU32(0),
          Buffer.from([0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1]),
          encodeU32(offset),
          encodeU32(item.length),
        ),
      ),
    ]);
  return Buffer.concat([describe(describe(0).length + 8), encodeBox("mdat", item)]);
}

const buildSidecar = ({ n, description }: Photo): string =>
  JSON.stringify({
    title: `IMG_${n}.jpg`,
    description,
    photoTakenTime: { timestamp: String(1_700_000_000 + n), formatted: "Nov 14, 2023" },
    geoData: { latitude: 48.1, longitude: 11.5, altitude: 0 },
    people: [{ name: people[n % people.length] }],
    favorited: n % 2 === 0,
  });

/** Half of them have a sidecar, with its name whole or cut off. */
function buildFiles(all: readonly Photo[]): Record<string, string | Uint8Array> {
  const found: Record<string, string | Uint8Array> = {};
  for (const each of all) {
    const { n } = each;
    const name = `Photos from 2024/IMG_${n}.jpg`;
    found[name] = encodeJpeg(n, n % 4 === 0);
    if (n % 2 === 1) found[`${name}.${n % 4 === 1 ? "supplemental-metadata" : "suppl"}.json`] = buildSidecar(each);
  }
  return found;
}

export const photosGenerator: Generator = {
  importer: photos,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawPhoto(dice, n));
    const described = all.slice(0, 2).map(({ n }) => ({ n, description: "described" }));
    const added = [drawPhoto(dice, size * 2), drawPhoto(dice, size * 2 + 1)];
    return { older: buildFiles(all), newer: buildFiles([...described, ...all.slice(2, -2), ...added]) };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => drawPhoto(dice, n));
    const broken = encodeJpeg(5, true);
    broken.fill(0xff, 40, 90);
    return {
      files: {
        ...buildFiles(good),
        "Summer/IMG_3.jpg": encodeJpeg(3, false),
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
    content: Buffer.concat([encodeJpeg(n, true), Buffer.alloc(2000, 1)]),
  }),
};
