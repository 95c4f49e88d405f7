import { type FieldAggregation, type FieldKind, type JsonObject, rangeOperators } from "@pdpp/contract/declaration";
import fc from "fast-check";
import type { BlobSpec, ConnectionSpec, ConnectorSpec, FieldSpec, StreamSpec, VaultSpec, Write } from "../spec.ts";
import { createDice } from "./dice.ts";
import { createKeyFields, formatKey, keyCount } from "./keys.ts";
import { createBlob, dateTimes, drawFieldValue } from "./values.ts";

/**
 * Generates random vaults. A blueprint consists of independent numbers and flags, so that fast-check can shrink each
 * one; building reads the numbers modulo the number of choices.
 */

export const nat = fc.nat({ max: 0xffff });

const fieldBlueprint = fc.record({ name: nat, kind: nat, nullable: fc.boolean(), required: fc.boolean(), uses: nat });
const relationBlueprint = fc.record({ target: nat, shape: nat, limits: nat });
const streamBlueprint = fc.record({
  mutable: fc.boolean(),
  key: fc.nat({ max: 3 }),
  fields: fc.array(fieldBlueprint, { minLength: 1, maxLength: 7 }),
  cursor: nat,
  consent: nat,
  countable: nat,
  views: fc.array(nat, { maxLength: 2 }),
  blob: fc.boolean(),
  relations: fc.array(relationBlueprint, { maxLength: 2 }),
});
const connectorBlueprint = fc.record({
  streams: fc.array(streamBlueprint, { minLength: 1, maxLength: 3 }),
  connections: fc.nat({ max: 2 }),
});
const writeBlueprint = fc.record({
  connection: nat,
  stream: nat,
  key: fc.nat({ max: keyCount - 1 }),
  gone: fc.nat({ max: 9 }),
  seed: nat,
});
export const drawVaultBlueprint = (mostWrites = 300) =>
  fc.record({
    connectors: fc.array(connectorBlueprint, { minLength: 1, maxLength: 3 }),
    writes: fc.array(writeBlueprint, { minLength: Math.floor(mostWrites / 4), maxLength: mostWrites, size: "max" }),
    later: fc.array(fc.array(writeBlueprint, { minLength: 1, maxLength: 25 }), { maxLength: 3 }),
  });

export type Blueprint<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type VaultBlueprint = Blueprint<ReturnType<typeof drawVaultBlueprint>>;
type StreamBlueprint = Blueprint<typeof streamBlueprint>;
type FieldBlueprint = Blueprint<typeof fieldBlueprint>;
type WriteBlueprint = Blueprint<typeof writeBlueprint>;

export const at = <T>(list: readonly T[], n: number): T => list[n % list.length]!;

const kinds: readonly FieldKind[] = [
  "text",
  "date-time",
  "number",
  "integer",
  "date",
  "boolean",
  "json",
  "text",
  "date-time",
];
const fieldNames = [
  "title",
  "when",
  "amount",
  "a.b",
  "x[y]",
  "naïve 字段",
  "f,g",
  "constructor",
  "key",
  "data",
  "limit",
  "q'\"",
  "id2",
];
const streamNames = ["notes", "mail box", "log.ÿ", "it's%20", "notes", "a?b#c"];
const connectorKeys = ["alpha", "beta", "gamma"];
const orderedKinds: readonly FieldKind[] = ["integer", "number", "date", "date-time"];
const timeKinds: readonly FieldKind[] = ["date", "date-time"];

/** Generates a vault whose connectors share stream names, so that packages are ambiguous. */
export function buildVault(blueprint: VaultBlueprint): VaultSpec {
  const connectors = blueprint.connectors.map((connector, c): ConnectorSpec => {
    const names = connector.streams.map((_, s) => streamNames[(c * 2 + s) % streamNames.length]!);
    const unique = names.map((name, i) => (names.indexOf(name) === i ? name : `${name} ${i}`));
    const bare = connector.streams.map((stream, s) => bareStream(unique[s]!, stream));
    return { key: connectorKeys[c]!, streams: relate(bare, connector.streams) };
  });
  const connections = blueprint.connectors.flatMap((connector, c): ConnectionSpec[] =>
    Array.from({ length: connector.connections + 1 }, (_, i) => ({
      // Ids are not in insertion order, because results must be ordered by id.
      id: `${["m", "c", "x"][i]}-${connectorKeys[c]}`,
      connectorKey: connectorKeys[c]!,
      ...(i === 1 ? {} : { label: `Label ${i} of ${connectorKeys[c]}` }),
    })),
  );
  const blobs = [0, 1, 2, 3].map(createBlob);
  const numbers = { next: 1 };
  const buildWrites = (list: readonly WriteBlueprint[]) =>
    list.map((write) => buildWrite(connectors, connections, blobs, write, numbers));
  // Initial records are grouped by stream, because each switch costs a transaction; later writes are mixed.
  const place = ({ connectionId, stream }: Write) => `${connectionId} ${stream}`;
  const first = buildWrites(blueprint.writes).sort((a, b) =>
    place(a) === place(b) ? 0 : place(a) < place(b) ? -1 : 1,
  );
  return { connectors, connections, blobs, writes: [first, ...blueprint.later.map(buildWrites)] };
}

const keyForms: readonly { name: string; kind: FieldKind }[][] = [
  [{ name: "id", kind: "text" }],
  [{ name: "no", kind: "integer" }],
  [
    { name: "user", kind: "text" },
    { name: "day", kind: "integer" },
  ],
  [
    { name: "seq", kind: "integer" },
    { name: "part", kind: "text" },
    { name: "rest", kind: "text" },
  ],
];

function bareStream(name: string, blueprint: StreamBlueprint): StreamSpec {
  const keys = keyForms[blueprint.key]!.map(
    (key, i): FieldSpec => ({
      ...key,
      nullable: false,
      required: true,
      blob: false,
      range: key.kind === "integer" ? ["gte", "lt"] : [],
      aggregations: i === 0 ? ["group_by", "count_distinct"] : [],
    }),
  );
  const taken = new Set(keys.map((field) => field.name));
  const fields = blueprint.fields.flatMap((field): FieldSpec[] => {
    const built = buildField(field);
    if (taken.has(built.name)) return [];
    taken.add(built.name);
    return [built];
  });
  const blob: FieldSpec[] = blueprint.blob
    ? [{ name: "blob_ref", kind: "json", nullable: true, required: false, blob: true, range: [], aggregations: [] }]
    : [];
  // Half of the numbers are amounts whose unit is in another field of the record.
  const texts = fields.filter(({ kind }) => kind === "text");
  const measured = fields.map((field, i): FieldSpec => {
    const isAmount =
      (field.kind === "integer" || field.kind === "number") && texts.length > 0 && blueprint.cursor % 2 === 0;
    return isAmount ? { ...field, unit: at(texts, i).name } : field;
  });
  const all = [...keys, ...measured, ...blob];
  const scalars = all.filter(({ kind }) => kind !== "json");
  const times = all.filter(({ kind }) => timeKinds.includes(kind));
  const consent = times.length === 0 || blueprint.consent % 5 === 0 ? undefined : at(times, blueprint.consent).name;
  // Mostly a field with nulls or ties, rarely the key or none.
  const cursor =
    blueprint.cursor % 7 === 0 ? undefined : at([...scalars.slice(keys.length), scalars[0]!], blueprint.cursor).name;
  return {
    name,
    semantics: blueprint.mutable ? "mutable_state" : "append_only",
    primaryKey: keys.map((field) => field.name),
    fields: all,
    ...(cursor === undefined ? {} : { cursorField: cursor }),
    ...(consent === undefined ? {} : { consentTimeField: consent }),
    views: blueprint.views.map((view, i) => ({
      id: `view ${i}`,
      fields: all.filter((_, f) => ((view >> f) & 1) === 1).map((field) => field.name),
    })),
    relationships: [],
    countable: blueprint.countable % 5 !== 0,
  };
}

function buildField({ name, kind: kindNo, nullable, required, uses }: FieldBlueprint): FieldSpec {
  const kind = at(kinds, kindNo);
  const ordered = orderedKinds.includes(kind);
  const may: [FieldAggregation, boolean][] = [
    ["sum", kind === "integer" || kind === "number"],
    ["min", ordered],
    ["max", ordered],
    ["group_by", kind !== "json"],
    ["group_by_time", timeKinds.includes(kind)],
    ["count_distinct", kind !== "json"],
  ];
  return {
    name: at(fieldNames, name),
    kind,
    nullable,
    required,
    blob: false,
    range: ordered ? rangeOperators.filter((_, i) => ((uses >> i) & 1) === 0) : [],
    aggregations: may.flatMap(([aggregation, fits], i) => (fits && ((uses >> (4 + i)) & 1) === 0 ? [aggregation] : [])),
  };
}

/** Adds relationships, each with its own foreign key field. */
function relate(streams: readonly StreamSpec[], blueprints: readonly StreamBlueprint[]): StreamSpec[] {
  const added = streams.map((): FieldSpec[] => []);
  const related = streams.map((stream, s) => ({
    ...stream,
    relationships: blueprints[s]!.relations.map(({ target, shape, limits }, r) => {
      const t = target % streams.length;
      const cardinality = shape % 2 === 0 ? ("has_many" as const) : ("has_one" as const);
      // In a self-reference the record holds the key itself.
      const own = cardinality === "has_one" && (t === s || shape % 4 === 1);
      const holder = own ? ("this" as const) : ("related" as const);
      const [holding, held] = holder === "this" ? [s, t] : [t, s];
      const foreignKey = `ref_${s}_${r}`;
      const heldKey = streams[held]!.primaryKey;
      const heldKind = streams[held]!.fields.find(({ name }) => name === heldKey[0])!.kind;
      const whole = heldKey.length === 1 && (heldKind === "integer" ? shape % 8 < 6 : shape % 16 > 13);
      added[holding]!.push({
        name: foreignKey,
        kind: whole ? "integer" : "text",
        nullable: true,
        required: false,
        blob: false,
        range: [],
        aggregations: [],
        refersTo: streams[held]!.name,
      });
      const max = 1 + ((limits >> 4) % 6);
      const chosen = [null, {}, { default_limit: 2 }, { max_limit: max }, { default_limit: 1, max_limit: max }][
        limits % 5
      ]!;
      return {
        name: `rel ${r}`,
        stream: streams[t]!.name,
        foreignKey,
        cardinality,
        holder,
        expand: cardinality === "has_one" && chosen !== null ? {} : chosen,
      };
    }),
  }));
  return related.map((stream, s) => ({ ...stream, fields: [...stream.fields, ...added[s]!] }));
}

function buildWrite(
  connectors: readonly ConnectorSpec[],
  connections: readonly ConnectionSpec[],
  blobs: readonly BlobSpec[],
  { connection: c, stream: s, key, gone, seed }: WriteBlueprint,
  numbers: { next: number },
): Write {
  const connection = at(connections, c);
  const connector = connectors.find((candidate) => candidate.key === connection.connectorKey)!;
  const stream = at(connector.streams, s);
  const data: JsonObject = { ...createKeyFields(stream, key) };
  for (const field of stream.fields) {
    if (stream.primaryKey.includes(field.name)) continue;
    const value =
      field.refersTo === undefined
        ? drawFieldValue(field, numbers.next++, seed, blobs)
        : reference(connector, field, seed);
    if (value !== undefined) data[field.name] = value;
  }
  const target = {
    connectionId: connection.id,
    connectorKey: connector.key,
    stream: stream.name,
    key: formatKey(stream, data),
  };
  if (gone === 9) return { ...target, op: "delete", data: {} };
  return { ...target, op: "upsert", data, ...(seed % 3 === 0 ? {} : { emittedAt: at(dateTimes, seed) }) };
}

function reference(connector: ConnectorSpec, { refersTo, kind, name }: FieldSpec, seed: number) {
  const d = createDice(seed, name.charCodeAt(name.length - 1));
  const target = connector.streams.find((stream) => stream.name === refersTo)!;
  if (d.chance(15)) return null;
  if (d.chance(8)) return undefined;
  const key = formatKey(target, createKeyFields(target, d.below(d.chance(60) ? 4 : keyCount)));
  if (kind !== "integer") return key;
  return /^-?[1-9]\d*$|^0$/.test(key) ? Number(key) : 12;
}
