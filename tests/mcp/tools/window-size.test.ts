import { continueWith } from "@pdpp/contract/continuation";
import type { FieldWindow } from "@pdpp/contract/wire";
import { budget } from "@pdpp/evidence/sizes/budget";
import { estimateTokens } from "@pdpp/evidence/sizes/tokens";
import { countChars } from "@pdpp/evidence/text/text";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureToolResult } from "#mcp/layout/measure";
import { sizes } from "#mcp/layout/part";
import { formatFieldWindow } from "#mcp/render/field-window";
import { countChars as countResultChars, fits } from "#mcp/size";
import type { Answer } from "#mcp/tool";
import { cutWindow } from "#server/read/field-window/cut-window";
import { detectBytes } from "#server/read/field-window/encoded-spans";
import { buildFieldWindow, chooseLimits, type WindowSubject } from "#server/read/field-window/window-answer";
import type { WindowPlace } from "#server/read/field-window/window-request";
import { createHeldText } from "#server/store/records/text-source";

/** The server sizes a window by an estimate and the adapter prints it. This compares the estimate with the output. */

const kinds = [
  "Plain words, one after the other, as in any letter. ",
  'He said: "No\\nnever", and {"a": ["b"]} ',
  "日本語の長い文章がここにあります。",
  "안녕하세요 반갑습니다 ",
  "👨‍👩‍👧‍👦🏳️‍🌈 ",
  "\u0001\u0002\u001f",
  "e\u0301a\u0308o\u0302 Zwölf Boxkämpfer ",
  "مرحبا بالعالم ",
  "0123 456,78 2026-01-01T00:00:00Z\n",
  "x",
  "\u{E0041}\u{F0000}",
];
const long = fc
  .array(fc.tuple(fc.constantFrom(...kinds), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.map(([text, times]) => text.repeat(times)).join(""));

const name = (most: number) => fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: "grapheme", maxLength: most }));
/** An id can be so long that results repeat it only where they must. */
const longId = fc
  .tuple(fc.constantFrom("x", "xy-"), fc.integer({ min: 40, max: 1000 }))
  .map(([unit, chars]) => [...unit.repeat(chars)].slice(0, chars).join(""));
const subject = fc
  .record({ id: fc.oneof(name(40), longId), stream: name(20), label: name(30), path: name(30), isBlob: fc.boolean() })
  .map(
    ({ id, stream, label, path, isBlob }): WindowSubject => ({
      connection_id: "cin_Zk3bq0hT8w",
      connector_key: "archive",
      connector_instance_id: "cin_Zk3bq0hT8w",
      display_name: label,
      stream: `s${stream}`,
      record_id: `r${id}`,
      record_version: "12",
      event_time: "2026-04-01T08:00:00.000Z",
      emitted_at: "2026-06-01T12:00:00.000Z",
      field: {
        path: `f${path}`,
        type: "string",
        ...(isBlob ? { blob_id: `blob_sha256_${"a".repeat(64)}`, media_type: "text/plain" } : {}),
      },
      bytes: isBlob
        ? continueWith("readBlob", { blob_id: `blob_sha256_${"a".repeat(64)}`, connection_id: "cin_Zk3bq0hT8w" })
        : continueWith("fetch", { connection_id: "cin_Zk3bq0hT8w", stream: "s", record_id: id, fields: ["f"] }),
    }),
  );

const context = { origin: "http://127.0.0.1:7663", nonce: () => "0123456789ab", api: undefined as never };

async function shown(
  of: WindowSubject,
  text: string,
  place: WindowPlace,
  most: number,
): Promise<{ read: FieldWindow; answer: Answer }> {
  const source = createHeldText(text, countChars(text));
  const cut = await cutWindow(source, place, {
    bytes: detectBytes(source),
    limits: chooseLimits(measureToolResult, of, most),
  });
  const input = { stream: of.stream, record_id: of.record_id, field: of.field.path, max_chars: most };
  const read = buildFieldWindow(input, of, source.chars, cut!, () => "cursor", []);
  return { read, answer: formatFieldWindow(context, read, { most, limit: place.limit }) };
}

/** How much of the tightest limit is used. */
function measureFill({ structured, text, ...answer }: Answer, most: number, chars: number, limit: number): number {
  const forms = [text, JSON.stringify(structured)];
  return Math.max(
    countResultChars({ structured, text, ...answer }) / most,
    (chars + budget.window.wordUnits) / limit,
    ...forms.map((form) => Buffer.byteLength(form) / sizes.maxBytes),
    ...forms.map((form) => estimateTokens(form) / sizes.maxTokens),
    ...text.split("\n").map((line) => line.length / sizes.lineChars),
  );
}

describe("[WIN-8] a window in a tool result", () => {
  it.each([sizes.raw, sizes.bothCopies])(
    "never exceeds %i characters, and fills them while text remains",
    async (most) => {
      let least = 1;
      await fc.assert(
        fc.asyncProperty(subject, long, fc.nat(20_000), fc.boolean(), async (of, text, at, ahead) => {
          const limit = most === sizes.raw ? budget.window.chars : budget.window.maxChars;
          const { read, answer } = await shown(of, text, { kind: ahead ? "from" : "to", at, limit }, most);
          expect(fits(answer, most)).toBe(true);
          const { start_chars: start, end_chars: end } = read.window;
          // The estimate reserves space for an id in a call that may be absent.
          if (of.record_id.length > 100) return;
          if ((ahead ? read.next : read.previous) === null || read.bytes !== undefined) return;
          const share = measureFill(answer, most, end - start, limit);
          least = Math.min(least, share);
          expect(share).toBeGreaterThan(0.85);
        }),
        { numRuns: 120, seed: 11 },
      );
      expect(least).toBeLessThan(1);
    },
  );
});
