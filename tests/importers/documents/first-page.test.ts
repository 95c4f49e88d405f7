import { deflateSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { fitPage } from "#importers/pictures/pdf-page";
import { readPictureHeader } from "#importers/pictures/picture-header";
import { createThumbnailMaker, defaultThumbnailMaker } from "#importers/pictures/thumbnail-maker";
import { writeDocument, writeManyPages, writePdf, writeStream } from "./pdf-writer.ts";

const maker = createThumbnailMaker(defaultThumbnailMaker);
afterAll(() => maker.close());

const drawHeader = async (bytes: Uint8Array) => {
  const made = await maker.make(bytes);
  return made === undefined ? undefined : readPictureHeader(made);
};

/** One page with `drawing` on it, and further objects from number 5 on. */
const writePage = (drawing: Buffer, box = "0 0 595 842", resources = "", others: readonly Buffer[] = []): Buffer =>
  writeDocument([
    "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R /Resources << ${resources} >> >>`,
    drawing,
    ...others,
  ]);
const draw = (operators: string | Buffer): Buffer => writeStream(deflateSync(operators), "/Filter /FlateDecode");

const square = "1 0 0 rg 0 0 300 300 re f";

it("[BIG-20] is the first page, as wide as 800 pixels or as high as 1132", async () => {
  expect(await drawHeader(writePdf(["Invoice 14", "second page"]))).toEqual({ type: "jpeg", width: 800, height: 800 });
  expect(await drawHeader(writePage(draw(square)))).toEqual({ type: "jpeg", width: 800, height: 1132 });
  expect(await drawHeader(writePage(draw(square), "0 0 842 595"))).toMatchObject({ width: 800, height: 565 });
  const blank = await maker.make(writePdf([""]));
  const written = await maker.make(writePdf(["one\ntwo\nthree"]));
  expect(written?.length).toBeGreaterThan((blank?.length ?? 0) + 500);
});

it("[BIG-20] has bounded pixels, whatever size the page says it has", async () => {
  for (const box of ["0 0 1000000000 1000000000", "0 0 0.001 0.001", "0 0 14400 1", "5 5 -9 -9", "a b c d"]) {
    const { width = 0, height = 0 } = (await drawHeader(writePage(draw(square), box))) ?? {};
    expect(width).toBeLessThanOrEqual(800);
    expect(height).toBeLessThanOrEqual(1132);
  }
  expect(() => fitPage(0, 10)).toThrow("no size");
  expect(() => fitPage(Number.NaN, 10)).toThrow("no size");
});

it("[BIG-20] is missing for damaged, encrypted and hostile documents, and the next one still gets it", async () => {
  const pdf = writePdf(["text"]);
  const form = (operators: string, next: number): Buffer =>
    writeStream(
      Buffer.from(operators),
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${next} 0 R >> >>`,
    );
  const none = [
    Buffer.from("%PDF-1.7\n"),
    Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(100_000, "obj << [ ( ")]),
    writePdf(["secret"], { encrypted: true }),
    pdf.subarray(0, 60),
    writeDocument(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"]),
    // It unpacks to a gigabyte.
    writePage(writeStream(deflateSync(deflateSync(Buffer.alloc(2 ** 30, 32))), "/Filter [/FlateDecode /FlateDecode]")),
    // Each form shows the next one ten times.
    writePage(draw("/X Do"), "0 0 9 9", "/XObject << /X 5 0 R >>", [
      ...Array.from({ length: 9 }, (_, n) => form("/X Do ".repeat(10), n + 6)),
      form("0 0 9 9 re f", 1),
    ]),
    writePage(draw("/X Do"), "0 0 9 9", "/XObject << /X 5 0 R >>", [form("/X Do /X Do", 5)]),
  ];
  for (const [n, bytes] of none.entries()) expect([n, await maker.make(bytes)]).toEqual([n, undefined]);
  expect(await drawHeader(writeManyPages(100_000))).toMatchObject({ width: 800 });
  expect(await drawHeader(pdf)).toMatchObject({ width: 800 });
});

it("[BIG-20] is given up when it takes too long", async () => {
  const bounds = { ...defaultThumbnailMaker.bounds, maxTaskMs: 1000 };
  const hurried = createThumbnailMaker({ ...defaultThumbnailMaker, bounds });
  const endless = writePage(draw(Buffer.from("0 0 m 500 800 l 13 700 l 400 3 l S\n".repeat(1_000_000))));
  expect(await hurried.make(endless)).toBeUndefined();
  expect(await hurried.make(writePdf(["text"]))).toBeDefined();
  await hurried.close();
});
