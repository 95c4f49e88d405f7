import type { Dice } from "../model/generators/dice.ts";
import { listVisible } from "../model/rules/grant.ts";
import type { World } from "../model/rules/world.ts";
import type { VaultSpec } from "../model/spec.ts";
import { drawHostileText } from "../walker/vaults/hostile-text.ts";

/** The values of fuzzed arguments: existing names, almost existing names, and things no client would send. */

export interface Words {
  readonly streams: readonly string[];
  readonly fields: readonly string[];
  readonly relations: readonly string[];
  readonly connections: readonly string[];
  readonly ids: readonly string[];
  readonly keys: readonly string[];
  readonly blobs: readonly string[];
  /** Grows as answers arrive. */
  readonly cursors: string[];
}

/** Values from one granted source at a time, so that drawn arguments fit together. */
export function listSourceWords({ sources, snapshot }: World, words: Words): Words[] {
  return sources.flatMap((source) => {
    const seen = listVisible(source, snapshot);
    if (seen.length === 0) return [];
    return [
      {
        ...words,
        streams: [source.stream.name],
        fields: [...source.fields],
        relations: [...source.stream.relationships.map(({ name }) => name), "rel 0"],
        connections: source.connectionIds,
        ids: seen.map(({ connectionId, stream, key }) => `${connectionId}/${stream}:${key}`),
        keys: seen.map(({ key }) => key),
      },
    ];
  });
}

export function collectWords(spec: VaultSpec): Words {
  const streams = spec.connectors.flatMap((connector) => connector.streams);
  const written = (spec.writes[0] ?? []).slice(0, 60);
  return {
    streams: streams.map(({ name }) => name),
    fields: streams.flatMap(({ fields }) => fields.map(({ name }) => name)),
    relations: [...streams.flatMap(({ relationships }) => relationships.map(({ name }) => name)), "rel 0"],
    connections: spec.connections.map(({ id }) => id),
    ids: written.map(({ connectionId, stream, key }) => `${connectionId}/${stream}:${key}`),
    keys: written.map(({ key }) => key),
    blobs: spec.blobs.map(({ ref }) => ref.blob_id),
    cursors: ["0", "1", "99999999999999999999"],
  };
}

const strange: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  0.5,
  "",
  " ",
  "\u0000",
  "\ud800",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "%00%ff",
  "' OR 1=1 --",
  "🦊".repeat(300),
  "a".repeat(9000),
  "[".repeat(2000),
  [],
  {},
  [[[]]],
  { gte: {} },
  { __proto__: null, a: 1 },
  ["x", 1, null],
];

export const drawStrangeValue = (d: Dice): unknown =>
  d.chance(30) ? drawHostileText(d, "CNRY_fuzz_") : d.pick(strange);

/** Applies one change: flips a bit, inserts or deletes a character, or swaps two parts. */
export function damageText(d: Dice, text: string): string {
  if (text === "") return "x";
  const at = d.below(text.length);
  switch (d.below(5)) {
    case 0:
      return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << d.below(7))) + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + text.slice(at + 1);
    case 2:
      return `${text.slice(0, at)}${d.pick(["/", ":", ".", "[0]", '["', "{text}", "\n", "%2F"])}${text.slice(at)}`;
    case 3:
      return text.slice(at) + text.slice(0, at);
    default:
      return text + text.slice(0, at);
  }
}

/** Usually returns a value unchanged, sometimes damaged, rarely something unrelated. */
export function drawWord(d: Dice, list: readonly string[]): unknown {
  const roll = d.below(20);
  if (roll < 16 && list.length > 0) return d.pick(list);
  if (roll < 18 && list.length > 0) return damageText(d, d.pick(list));
  return drawStrangeValue(d);
}
