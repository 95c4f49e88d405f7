import { createHash } from "node:crypto";
import type { Json } from "@pdpp/contract/declaration";
import type { BlobSpec, FieldSpec, Value } from "../spec.ts";
import { createDice, type Dice } from "./dice.ts";

/** Field values. Most carry a unique canary; others repeat, to create ties and groups. */

const prose =
  "The kettle had boiled twice before anyone noticed, and by then the letter on the table had been read by all of them. ";

export const createMark = (n: number): string => `CNRY_${n}_`;
/** Far enough apart that adding small numbers does not reach the next one. */
const markNumber = (n: number): number => 77_300_000_000 + n * 9973;

export const dates = ["2024-02-29", "2025-03-30", "2025-12-31", "2026-01-01", "1969-12-31", "2026-07-15"] as const;

/** The same few moments in several spellings, including hours that clocks skip or repeat. */
export const dateTimes = [
  "2026-01-01T00:00:00Z",
  "2026-01-01T01:00:00+01:00",
  "2025-12-31T19:00:00.000-05:00",
  "2025-10-26T00:30:00Z",
  "2025-10-26T01:30:00Z",
  "2025-03-30T01:00:00.000Z",
  "2025-03-30T00:59:59.999Z",
  "2026-06-30T23:45:00+05:45",
  "1999-12-31T23:59:59Z",
  "2026-02-03T04:05:06.789Z",
  "2026-11-01T05:30:00Z",
  "2026-11-01T06:30:00Z",
] as const;

function textValue(d: Dice, mark: string): string {
  const pooled = `CNRY_p${d.below(4)}_`;
  return d.pick<() => string>([
    () => mark,
    () => pooled,
    () => pooled,
    () => `${prose}${mark}${prose}${prose}`,
    () => `${prose.slice(0, 60)}${mark}${"long ".repeat(80)}`,
    () => `${prose}${pooled}${prose}${prose}`,
    () => `${mark} "quoted" \\ / , ; [x] {y} %41 & = <b>`,
    () => `ÅÅ\u{1F600}${mark}\u0301\uFFFF`,
    () => "",
    () => `${mark}\n\tline two`,
  ])();
}

function jsonValue(d: Dice, mark: string, depth = 0): Json {
  const kind = d.below(depth > 2 ? 3 : 7);
  switch (kind) {
    case 0:
      return mark;
    case 1:
      return d.pick<Json>([null, true, 3.5, -1, ""]);
    case 2:
      return { id: mark, url: `https://example.org/${mark}`, content_type: "text/plain" };
    case 3:
      return [jsonValue(d, mark, depth + 1), jsonValue(d, mark, depth + 1), mark];
    case 4:
      return [];
    default:
      return {
        name: mark,
        "a.b": jsonValue(d, mark, depth + 1),
        "": { blob_id: `not-a-blob-${mark}` },
        nested: jsonValue(d, mark, depth + 1),
      };
  }
}

function dateTime(d: Dice, n: number): string {
  if (d.chance(65)) return d.pick(dateTimes);
  const at = new Date(Date.UTC(2025, d.below(14), 1 + d.below(28), d.below(24), d.below(60), d.below(60), n % 1000));
  return d.chance(50)
    ? at.toISOString()
    : `${at.toISOString().slice(0, 19)}${d.pick(["+02:00", "-09:30", "+00:00", "Z"])}`;
}

const numbers = (n: number): number[] => {
  const mark = markNumber(n) + 0.25;
  return [0.1, 0.2, -3.5, 12.34, 1234567890.123456, 1e-7, mark, mark, 0, 1e15, 99999.999999, 40000000000.12346];
};

/** A value for a field; `n` is unique. Undefined omits the field. */
export function drawFieldValue(field: FieldSpec, n: number, seed: number, blobs: readonly BlobSpec[]): Value {
  const d = createDice(seed, n);
  if (!field.required && d.chance(12)) return undefined;
  if (field.nullable && d.chance(18)) return null;
  if (field.blob) return blobValue(d, n, blobs);
  switch (field.kind) {
    case "text":
      return textValue(d, createMark(n));
    case "integer":
      return d.pick([1, 0, -5, 42, 42, markNumber(n), markNumber(n), 9007199254740991]);
    case "number":
      return d.pick(d.chance(3) ? [1e303, -1e303, 1.5e200] : numbers(n));
    case "boolean":
      return d.chance(50);
    case "date":
      return d.pick(dates);
    case "date-time":
      return dateTime(d, n);
    case "json":
      return jsonValue(d, createMark(n));
  }
}

function blobValue(d: Dice, n: number, blobs: readonly BlobSpec[]): Json {
  const ref = () => ({ ...d.pick(blobs).ref });
  return d.pick<() => Json>([
    ref,
    ref,
    () => [ref(), ref()],
    () => null,
    () => ({
      blob_id: `blob_sha256_${"0".repeat(64)}`,
      mime_type: "text/plain",
      size_bytes: 1,
      sha256: "0".repeat(64),
    }),
    () => ({ note: createMark(n) }),
  ])();
}

export function createBlob(n: number): BlobSpec {
  const bytes = Buffer.from(n % 3 === 2 ? "" : `CNRY_b${n}_ \u0000 bytes of blob ${"~".repeat(n * 37)}`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const mime = ["text/plain", "image/png", "application/x-thing"][n % 3]!;
  return { ref: { blob_id: `blob_sha256_${sha256}`, mime_type: mime, size_bytes: bytes.length, sha256 }, bytes };
}
