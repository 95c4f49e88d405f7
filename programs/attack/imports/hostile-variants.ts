import { gzipSync } from "node:zlib";
import { createRandom } from "@pdpp/test-support/vitest/random";
import type { Files } from "../../../tests/importers/generators/generator.ts";

/** 36 ways to turn an export into a hostile one. Its largest file is changed. */

type Change = (bytes: Buffer) => Buffer | string;

const asText =
  (change: (text: string) => string): Change =>
  (bytes) =>
    Buffer.from(change(bytes.toString("latin1")), "latin1");
const replaceNumbers = (value: string): Change => asText((text) => text.replace(/\d{2,}/g, value));
const insert = (bytes: Buffer, at: number, piece: Buffer | string): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at)]);
const insertEvery =
  (every: number, piece: string): Change =>
  (bytes) => {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += every)
      parts.push(bytes.subarray(at, at + every), Buffer.from(piece, "latin1"));
    return Buffer.concat(parts);
  };
const large = 3_000_000;
const deep = 100_000;
const entityBomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from(
  { length: 9 },
  (_, n) => `<!ENTITY ${String.fromCharCode(98 + n)} "${`&${String.fromCharCode(97 + n)};`.repeat(10)}">`,
).join("")}]><x>&j;</x>`;

const changes: Readonly<Record<string, Change>> = {
  empty: () => "",
  "one byte": (bytes) => bytes.subarray(0, 1),
  "a third": (bytes) => bytes.subarray(0, Math.floor(bytes.length / 3)),
  "the last byte missing": (bytes) => bytes.subarray(0, -1),
  "the first 100 bytes missing": (bytes) => bytes.subarray(100),
  "twice in one file": (bytes) => Buffer.concat([bytes, bytes]),
  "lines in reverse": asText((text) => text.split("\n").reverse().join("\n")),
  "flipped bits": (bytes) => {
    const random = createRandom(3);
    const changed = Buffer.from(bytes);
    for (let n = 0; n < bytes.length / 100; n += 1) {
      const at = random.int(0, bytes.length - 1);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.int(0, 7));
    }
    return changed;
  },
  "noise after the head": (bytes) => {
    const random = createRandom(4);
    return Buffer.concat([
      bytes.subarray(0, 300),
      Buffer.from(Array.from({ length: 50_000 }, () => random.int(0, 255))),
    ]);
  },
  "NUL characters": insertEvery(97, "\0"),
  "broken UTF-8": insertEvery(97, "\xc3\x28\xed\xa0\x80\xff"),
  "UTF-16": (bytes) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bytes.toString(), "utf16le")]),
  "three byte order marks": (bytes) => insert(bytes, 0, "\ufeff\ufeff\ufeff"),
  "carriage returns only": asText((text) => text.replaceAll("\n", "\r")),
  "mixed line ends": asText((text) => text.replace(/\n/g, "\r\r\n")),
  "other line separators": (bytes) => bytes.toString().replaceAll("\n", "\u2028"),
  "one endless line": (bytes) => insert(bytes, Math.floor(bytes.length / 2), "x".repeat(large)),
  "a million line ends": (bytes) => insert(bytes, Math.floor(bytes.length / 2), "\n".repeat(1_000_000)),
  "infinite numbers": replaceNumbers("1e309"),
  "numbers beyond 64 bits": replaceNumbers("-9223372036854775809"),
  "no numbers": replaceNumbers("NaN"),
  "impossible dates": asText((text) => text.replace(/\b20\d\d\b/g, "275761").replace(/\b(0[1-9]|1[0-2])\b/g, "31")),
  formulas: asText((text) => text.replace(/[A-Z][a-z]{3,}/g, "=cmd|'/C calc'!A0")),
  "no quotes": asText((text) => text.replaceAll('"', "")),
  "quotes that do not end": asText((text) => text.replaceAll(",", ',"')),
  "deep lists": (bytes) => insert(bytes, 0, "[".repeat(deep)),
  "deep objects": (bytes) => insert(bytes, Math.floor(bytes.length / 2), '{"a":'.repeat(deep)),
  "prototype keys": asText((text) =>
    text.replace(/"(\w+)":/g, (_, key: string) => (key.length % 2 ? '"__proto__":' : `"${key}":`)),
  ),
  "an entity bomb": () => entityBomb,
  "deep elements": (bytes) => insert(bytes, Math.floor(bytes.length / 2), "<a>".repeat(deep)),
  "a hundred thousand columns": (bytes) => insert(bytes, 0, `${"c,".repeat(deep)}c\n`),
  "bidirectional and control characters": (bytes) =>
    bytes.toString().replace(/[a-z]{4,}/g, "\u202egnp\u2066\u0007\u001b[2J"),
  "long repetitions for patterns": asText((text) =>
    text.replace(/[A-Za-z]{5,}/g, () => `${"a".repeat(3000)} `).slice(0, large),
  ),
  "a database's head": (bytes) => Buffer.concat([Buffer.from("SQLite format 3\0"), bytes]),
  "compressed under its name": (bytes) => gzipSync(bytes),
  "an archive's head": (bytes) => Buffer.concat([Buffer.from("PK\u0003\u0004"), bytes]),
};

export const variantNames: readonly string[] = Object.keys(changes);

export function* listVariants(files: Files): Generator<readonly [name: string, files: Files]> {
  const [largest = "", content = ""] = Object.entries(files).toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  for (const [name, change] of Object.entries(changes))
    yield [name, { ...files, [largest]: change(Buffer.from(content)) }];
}
