import { isDeepStrictEqual } from "node:util";
import type { Json } from "@pdpp/contract/declaration";
import { listRelatedLinks } from "../../model/rules/expand.ts";
import { listVisible, type Source } from "../../model/rules/grant.ts";
import type { World } from "../../model/rules/world.ts";
import { findFieldSpec } from "../../model/spec.ts";
import type { Rebuilt } from "../results/rebuilt.ts";

/** Compares what the model allows with what a reader has rebuilt. */

export interface Compared {
  readonly records: number;
  readonly characters: number;
  readonly faults: readonly string[];
}

const toText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Base64 has only these characters; nothing else may be withheld as bytes. */
const bytesAsText = /^(?:data:[\w.+/;=-]*,)?(?:[A-Za-z0-9+/_=-]|\\?[rn\\]|\s)*$/;

export function compare(world: World, rebuilt: Rebuilt): Compared {
  const faults: string[] = [];
  const expected = new Set<string>();
  let characters = 0;
  for (const source of world.sources) {
    for (const record of listVisible(source, world.snapshot)) {
      const id = `${record.connectionId}/${record.stream}:${record.key}`;
      expected.add(id);
      const held = rebuilt.records.get(id);
      if (held === undefined) {
        faults.push(`${JSON.stringify(id)} was never seen`);
        continue;
      }
      const data = Object.fromEntries(Object.entries(record.data).filter(([name]) => source.fields.has(name)));
      for (const [name, value] of Object.entries(data)) {
        const fault = findFieldProblem(source, held.get(name), name, value, rebuilt.blobsRead);
        if (fault === null) characters += [...toText(value)].length;
        else faults.push(`${JSON.stringify(name)} of ${JSON.stringify(id)} ${fault}`);
      }
      const links = listRelatedLinks(world, source, record).map(({ relationship, count }) => [relationship, count]);
      const named = rebuilt.links.get(id);
      if (named !== undefined && !isDeepStrictEqual(plain([...named]), plain(links)))
        faults.push(`${JSON.stringify(id)} names ${JSON.stringify([...named])} and has ${JSON.stringify(links)}`);
      for (const name of held.keys()) {
        const top = name.replace(/(?:\[\d+\])?\{text\}$/, "");
        if (!Object.hasOwn(data, name) && !Object.hasOwn(data, top))
          faults.push(`${JSON.stringify(id)} was shown with a field ${JSON.stringify(name)} that it has not`);
      }
    }
  }
  for (const id of rebuilt.records.keys()) if (!expected.has(id)) faults.push(`${JSON.stringify(id)} was seen`);
  return { records: expected.size, characters, faults };
}

const blobId = (item: Json): string =>
  typeof item === "object" && item !== null && !Array.isArray(item) ? String(item.blob_id) : "";

/** A digest that is part of the id is not repeated. */
function told(reference: unknown): unknown {
  const shape = plain(reference);
  if (typeof shape !== "object" || shape === null || !("sha256" in shape) || !("blob_id" in shape)) return shape;
  const { sha256, ...rest } = shape;
  return String(rest.blob_id).includes(String(sha256)) ? rest : shape;
}

type Held = ReturnType<Rebuilt["record"]> extends Map<string, infer F> ? F : never;

function findFieldProblem(
  source: Source,
  held: Held | undefined,
  name: string,
  value: Json,
  blobsRead: ReadonlySet<string>,
): string | null {
  if (held === undefined) return "was never shown";
  const text = toText(value);
  if (held.above !== undefined && held.values.length + held.pieces.length === 0)
    return held.above.some((each) => String(each) === String(value)) ? null : "is not what is shown above";
  if (held.values.length > 0) {
    if (!isDeepStrictEqual(plain(held.values[0]), plain(value)))
      return `was shown as ${JSON.stringify(held.values[0])}`;
    const all = [...text];
    const wrong = held.pieces.find(({ start, chars: shown }) => shown?.some((char, i) => char !== all[start + i]));
    return wrong === undefined ? null : `differs at character ${wrong.start} or after it`;
  }
  if (held.total === undefined && held.blobs.size > 0) {
    const items = Array.isArray(value) ? value : [value];
    const missing = items.find((item) => !isDeepStrictEqual(told(item), told(held.blobs.get(blobId(item)) ?? null)));
    const unread = items.map(blobId).find((id) => !blobsRead.has(id));
    if (unread !== undefined) return `refers to ${unread}, and no way led to the bytes`;
    return missing === undefined ? null : `has a reference that was never described: ${JSON.stringify(missing)}`;
  }
  const isKnown = held.out !== undefined && isDeepStrictEqual(plain(held.out), plain(value));
  if (held.encodedChars !== undefined && held.pieces.length === 0) return isKnown ? null : "has no way to its bytes";
  const chars = [...text];
  if (held.total !== undefined && held.total !== chars.length)
    return `was said to have ${held.total} characters and has ${chars.length}`;
  const shown = held.text();
  if (shown === undefined)
    return `was shown in part: ${held.pieces.map(({ start, end }) => `${start}-${end}`).join(" ")} of ${held.total}`;
  if (shown.includes(null) && !isKnown) return "is bytes in part, without a way to them";
  let from = -1;
  for (let i = 0; i <= chars.length; i += 1) {
    if (i < chars.length && shown[i] === null) {
      if (from < 0) from = i;
      continue;
    }
    if (
      from >= 0 &&
      findFieldSpec(source.stream, name)?.encoding === undefined &&
      !bytesAsText.test(chars.slice(from, i).join(""))
    )
      return `has text at ${from} to ${i} that was kept back`;
    from = -1;
    if (i < chars.length && shown[i] !== chars[i]) return `differs at character ${i}`;
  }
  return null;
}
