import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { FieldDeclaration, JsonObject } from "@pdpp/contract/declaration";
import { measureGrowth } from "@pdpp/test-support/processes/cpu-time";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectEncoded, findEncodedRuns, findPlainEnd, getDeclaredEncoding } from "./binary.ts";

/** The same bytes in every run. */
const noise = (bytes: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes / 32) }, (_, i) => createHash("sha256").update(String(i)).digest()),
  ).subarray(0, bytes);
const lines = (text: string, width: number, end: string) => text.match(new RegExp(`.{1,${width}}`, "g"))!.join(end);

const png = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
  noise(40),
]).toString("base64");
const pdf = Buffer.concat([
  Buffer.from("%PDF-1.7\n%âãÏÓ\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"),
  deflateSync(noise(500)),
]).toString("base64");
const zip = Buffer.concat([Buffer.from("504b0304140000000800", "hex"), noise(90)]).toString("base64");
const plainBytes = noise(400).toString("base64");
const prose = "The bridge was closed on Tuesday, so we took the ferry; it cost 12.50 EUR each. ".repeat(40);
const jwt = [
  "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9",
  noise(700).toString("base64url"),
  noise(256).toString("base64url"),
].join(".");

describe("[BIG-4] detects encoded bytes:", () => {
  it.each<[string, string]>([
    ["a small picture", png],
    ["a PDF", pdf],
    ["a zip archive", zip],
    ["bytes of no known format", plainBytes],
    ["bytes in the alphabet for addresses", noise(400).toString("base64url")],
    ["lines of 76, as mail has them", lines(plainBytes, 76, "\r\n")],
    ["lines of 64 with a line end at the end", `${lines(plainBytes, 64, "\n")}\n`],
    ["a picture in lines", lines(png, 76, "\n")],
    ["a data URL", "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"],
    ["encoded prose", Buffer.from(prose).toString("base64")],
    ["mostly empty bytes", Buffer.concat([noise(60), Buffer.alloc(3000)]).toString("base64")],
  ])("%s", (_, text) => expect(detectEncoded(text)).not.toBeNull());

  it("any 384 bytes or more", () => {
    const mask = noise(900);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 384, maxLength: 900 }), (bytes) => {
        const mixed = Buffer.from(bytes.map((byte, i) => byte ^ mask[i]!));
        expect(detectEncoded(mixed.toString("base64"))).toEqual({});
        expect(detectEncoded(lines(mixed.toString("base64"), 76, "\r\n"))).toEqual({});
      }),
      { numRuns: 300 },
    );
  });

  it("a data URL with or without a media type", () => {
    expect(detectEncoded(`data:Image/PNG;name=a.png;base64,${png}`)).toEqual({ mediaType: "image/png" });
    expect(detectEncoded(`data:;base64,${png}`)).toEqual({});
  });
});

describe("[BIG-2] never takes for bytes:", () => {
  it.each<[string, string]>([
    ["nothing", ""],
    ["prose", prose],
    ["prose without spaces at its line ends", prose.replaceAll(". ", ".\n")],
    ["a hash", createHash("sha512").update("a").digest("hex")],
    [
      "hashes, one a line",
      Array.from({ length: 40 }, (_, i) => createHash("sha256").update(String(i)).digest("hex")).join("\n"),
    ],
    ["a long dump in hexadecimal", noise(3000).toString("hex")],
    ["a hash in base64", createHash("sha512").update("a").digest("base64")],
    ["a UUID", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
    ["the id of a mail", `AAMkA${noise(110).toString("base64url")}=`],
    ["the id of an attachment", noise(370).toString("base64url")],
    ["a signed token", jwt],
    ["a bearer header", `Authorization: Bearer ${jwt}`],
    [
      "an encrypted token",
      ["eyJhbGciOiJSU0EtT0FFUCJ9", ...[256, 12, 900, 16].map((n) => noise(n).toString("base64url"))].join("."),
    ],
    ["a web address with a long tail", `https://click.example.com/ls/click?upn=${noise(900).toString("base64url")}`],
    ["a web address to a file", `https://example.com/iVBORw0KGgo${"A".repeat(80)}`],
    ["a long path", "/usr/local/lib/node_modules/pdpp/packages/Evidence2/src/".repeat(12)],
    ["a slug", "How-we-crossed-the-bridge-in-2024-and-came-back-".repeat(14)],
    ["a sequence of bases", "GATTACACCTGA".repeat(300)],
    ["a scream", "A".repeat(5000)],
    ["Chinese", "東京都庁に行きました。".repeat(300)],
    [
      "identifiers, one a line",
      Array.from({ length: 60 }, (_, i) =>
        noise(60 + i)
          .subarray(i)
          .toString("base64url")
          .slice(0, 70),
      ).join("\n"),
    ],
    ["an object that has an id", JSON.stringify({ id: noise(60).toString("base64url"), url: "https://example.com/a" })],
  ])("%s", (_, text) => {
    expect(findEncodedRuns(text)).toEqual([]);
    expect(detectEncoded(text)).toBeNull();
  });

  it("text that a person could write", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 200 }), fc.array(fc.nat(), { maxLength: 20 }), (words, numbers) => {
        const text = `${words} ${numbers.join(" ")}`;
        expect(findEncodedRuns(text)).toEqual([]);
        expect(findEncodedRuns(text.replaceAll(" ", "-"))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("[BIG-4] encoded bytes inside a text", () => {
  const runsIn = (text: string) => findEncodedRuns(text).map(({ start, end }) => text.slice(start, end));

  it("are found exactly", () => {
    expect(runsIn(`Here it is: ${plainBytes} (that was it)`)).toEqual([plainBytes]);
    expect(runsIn(`![](data:image/png;base64,${png}) and "${zip}"`)).toEqual([`data:image/png;base64,${png}`, zip]);
    expect(runsIn(`-----BEGIN-----\n${lines(plainBytes, 64, "\n")}\n-----END-----`)).toEqual([
      lines(plainBytes, 64, "\n"),
    ]);
    expect(runsIn(`see https://example.com/x\n${plainBytes}`)).toEqual([plainBytes]);
  });

  it("end with their lines", () => {
    const block = lines(plainBytes.slice(0, 760), 76, "\r\n");
    expect(runsIn(`${block}\r\nThanks for all`)).toEqual([block]);
    expect(runsIn(`${block}\r\n${"x".repeat(80)}`)).toEqual([block]);
  });

  it("are found in JSON, across line breaks", () => {
    const body = lines(plainBytes, 76, "\r\n");
    expect(runsIn(JSON.stringify({ u: "https://example.com/", body }))).toEqual([JSON.stringify(body).slice(1, -1)]);
  });

  it("make a value encoded only if they are most of it", () => {
    expect(detectEncoded(`Here is the picture you asked for, with all my greetings: ${png}`)).toBeNull();
    expect(detectEncoded(`Picture: ${plainBytes}\n`)).toEqual({});
    expect(detectEncoded(`${noise(60_000).toString("base64")} ${prose.repeat(20)}`)).toEqual({});
  });

  it("end a preview", () => {
    expect(findPlainEnd(`before ${plainBytes} after`, 1000)).toBe(7);
    expect(findPlainEnd(`before ${plainBytes} after`, 5)).toBe(5);
    expect(findPlainEnd("only text", 100)).toBe(9);
  });

  it("are measured in linear time for any text", async () => {
    const head = `${"://".repeat(600)}"`;
    const text = `${head}${`${"Ab1".repeat(22)}"`.repeat(30)}`;
    const measure = (times: number) => () => findEncodedRuns(text.repeat(times));
    expect(await measureGrowth(measure(26), measure(260))).toBeLessThan(50);
  });
});

describe("[BIG-2] recognizes declared encodings:", () => {
  const field = (more: Partial<FieldDeclaration>, schema: JsonObject = {}): FieldDeclaration => ({
    name: "a",
    kind: "text",
    nullable: false,
    blob: false,
    rangeOperators: [],
    lexical: false,
    semantic: false,
    aggregations: [],
    schema,
    ...more,
  });

  it.each<[string, FieldDeclaration, string | null]>([
    ["the encoding in its schema", field({}, { contentEncoding: "BASE64" }), "base64"],
    ["its type", field({ type: "base64url" }), "base64url"],
    ["its type as binary", field({ type: "Binary" }), "binary"],
    ["a blob field", field({ blob: true }), "binary"],
    ["not an encoding of text", field({}, { contentEncoding: "quoted-printable" }), null],
    ["not what is no text", field({}, { contentEncoding: 7 }), null],
    ["not another type", field({ type: "text" }), null],
    ["not a field without any", field({}), null],
    ["not a name", field({ name: "base64" }), null],
  ])("%s", (_, declared, encoding) => expect(getDeclaredEncoding(declared)).toBe(encoding));
});
