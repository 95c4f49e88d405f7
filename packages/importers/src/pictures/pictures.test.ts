import { type Color, drawJpeg, drawPng, encodeEmptyJpeg, encodePng } from "@pdpp/test-support/pictures/draw";
import { assert, property, uint8Array } from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { readPictureHeader } from "./picture-header.ts";
import { applyOrientation, getThumbnailSize, scaleDown } from "./pixels.ts";
import { createThumbnailMaker, defaultThumbnailMaker } from "./thumbnail-maker.ts";

const maker = createThumbnailMaker(defaultThumbnailMaker);
afterAll(() => maker.close());

const [red, blue]: readonly Color[] = [
  [200, 30, 30],
  [30, 30, 200],
];
/** Red on the left, blue on the right. */
const drawHalves = (width: number) => (x: number) => (x < width / 2 ? red! : blue!);

const makeHeader = async (bytes: Uint8Array) => {
  const made = await maker.make(bytes);
  return made === undefined ? undefined : readPictureHeader(made);
};

describe("the thumbnail of a picture", () => {
  it("[BIG-19] has a short side of 320 pixels, and never more than the picture", async () => {
    expect(await makeHeader(await drawJpeg(800, 600, drawHalves(800)))).toEqual({
      type: "jpeg",
      width: 427,
      height: 320,
    });
    expect(await makeHeader(drawPng(40, 20, drawHalves(40)))).toEqual({ type: "jpeg", width: 40, height: 20 });
    expect(getThumbnailSize(20_000, 500)).toEqual({ width: 960, height: 24 });
  });

  it("[BIG-19] is turned as the camera was held", async () => {
    expect(await makeHeader(await drawJpeg(800, 600, drawHalves(800), 6))).toMatchObject({ width: 320, height: 427 });
    const pixels = { width: 2, height: 1, data: new Uint8ClampedArray([1, 1, 1, 255, 2, 2, 2, 255]) };
    const firsts = [1, 2, 3, 4, 5, 6, 7, 8].map((each) => applyOrientation(pixels, each).data[0]);
    expect(firsts).toEqual([1, 2, 2, 1, 1, 1, 2, 2]);
    expect(applyOrientation(pixels, 99)).toBe(pixels);
  });

  it("shows transparent parts as white", () => {
    const data = new Uint8ClampedArray([0, 0, 0, 0, 100, 100, 100, 255]);
    expect([...scaleDown({ data, width: 2, height: 1 }, { width: 2, height: 1 }).data]).toEqual([
      ...[255, 255, 255, 255],
      ...[100, 100, 100, 255],
    ]);
  });

  it("[BIG-19] is not made of a picture that its header says is huge", async () => {
    const rows = Buffer.alloc(1000);
    for (const bomb of [encodePng(60_000, 60_000, rows), encodeEmptyJpeg(65_000, 65_000), encodePng(0, 5, rows)])
      expect(await maker.make(bomb)).toBeUndefined();
  });

  it("[BIG-19] is not made of damaged, mislabelled or active files, and the next picture still gets one", async () => {
    const jpeg = await drawJpeg(400, 300, drawHalves(400));
    const png = drawPng(400, 300, drawHalves(400));
    const files = [
      Buffer.alloc(0),
      jpeg.subarray(0, 20),
      png.subarray(0, 60),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      Buffer.from("GIF89a\x01\0\x01\0", "latin1"),
      Buffer.concat([Buffer.from("RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0", "latin1"), Buffer.alloc(60, 1)]),
      Buffer.concat([png.subarray(0, 100), Buffer.alloc(5000, 7)]),
    ];
    for (const file of files) expect(await maker.make(file)).toBeUndefined();
    expect(await maker.make(new Uint8Array(33 * 1024 ** 2))).toBeUndefined();
    expect(await makeHeader(jpeg)).toMatchObject({ height: 300 });
  });

  it("[BIG-19] is what there is of a truncated photo", async () => {
    const jpeg = await drawJpeg(800, 600, (x, y) => [x % 251, y % 241, (x * y) % 239]);
    expect(await makeHeader(jpeg.subarray(0, jpeg.length / 2))).toMatchObject({ width: 427 });
  });
});

it("reads headers of any bytes without an error", () => {
  assert(
    property(uint8Array({ maxLength: 64 }), (bytes) => {
      for (const start of ["", "\xff\xd8", "\x89PNG\r\n\x1a\n", "RIFFxxxxWEBPVP8 ", "RIFFxxxxWEBPVP8L"])
        readPictureHeader(Buffer.concat([Buffer.from(start, "latin1"), bytes]));
    }),
  );
});
