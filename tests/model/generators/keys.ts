import type { JsonObject } from "@pdpp/contract/declaration";
import type { StreamSpec } from "../spec.ts";

/** Keys that break careless code. Every text key carries a canary, so that a leak is detected. */

const long = "L".repeat(60);

const shapes: readonly ((mark: string) => string)[] = [
  (m) => m,
  (m) => `${m}/a:b/../c`,
  (m) => `../${m}/..`,
  (m) => `${m}?q=1#f%2Fx%`,
  (m) => `"${m}'\\`,
  (m) => ` ${m}  x `,
  (m) => `🦊${m}👨‍👩‍👧`,
  (m) => `e\u0301${m}é`,
  (m) => `\uFFFD${m}`,
  (m) => `\u{10000}${m}`,
  (m) => `${long}${m}${"x".repeat(1000 - 60 - m.length)}`,
  (m) => `${long}${m}${"🧨".repeat(250)}`,
  (m) => `["${m}"]`,
  (m) => `${m}&a=b+c;d,e`,
  (m) => `${m}\u0001\n\t`,
  (m) => `%2e%2e%2f${m}`,
  (m) => `${"é".repeat(128)}${m}`,
  () => "012",
];

const wholeNumbers = [0, 7, -1, 10, 9, 100, 1000000, -20, 9007199254740991, 3, 99, 1e15, 12, 77, 5, 6, 2, 8];

export const keyCount = shapes.length;

export const createTextKey = (stream: string, index: number): string =>
  shapes[index % shapes.length]!(`CNRY_k${stream.length}${stream.charCodeAt(0)}x${index}_`);

/** The primary key fields of the stream's nth record. */
export function createKeyFields(stream: StreamSpec, index: number): JsonObject {
  const kinds = stream.primaryKey.map((name) => stream.fields.find((field) => field.name === name)!.kind);
  return Object.fromEntries(
    stream.primaryKey.map((name, part) => {
      if (kinds[part] === "integer") return [name, wholeNumbers[(index + part) % wholeNumbers.length]!];
      return [name, createTextKey(stream.name, part === 0 ? index : index % 3)];
    }),
  );
}

/** The canonical key by the wire contract: the text itself, or a minified JSON array of texts. */
export function formatKey(stream: StreamSpec, data: JsonObject): string {
  const parts = stream.primaryKey.map((name) => String(data[name]));
  return parts.length === 1 ? parts[0]! : JSON.stringify(parts);
}
