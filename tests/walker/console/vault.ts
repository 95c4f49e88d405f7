import { type Json, type JsonObject, presentationParts, streamKinds } from "@pdpp/contract/declaration";
import { markupAttacks, neutralizeMarkup } from "@pdpp/test-support/web/markup-attacks";
import { createDice, type Dice } from "../../model/generators/dice.ts";
import { buildGrant } from "../../model/generators/grant-generator.ts";
import { createMark } from "../../model/generators/values.ts";
import type { FieldSpec, GrantRequest, StreamSpec, VaultSpec, Write } from "../../model/spec.ts";
import { findStreamSpec } from "../../model/spec.ts";
import { buildHostileVault, type HostileBlueprint, type HostileVault } from "../vaults/hostile-vault.ts";

/** The walker's vaults with attacks on pages in values, labels and field names; and the same vaults without them. */

export function buildConsoleVault(blueprint: HostileBlueprint): HostileVault {
  const { spec } = buildHostileVault({ ...blueprint, grants: [] });
  const armed = armVault(spec, blueprint.hostility);
  const d = createDice(blueprint.hostility, 41);
  return {
    spec: armed,
    grants: blueprint.grants.map((grant) => buildGrant(armed, grant, d.pick(markupAttacks).slice(0, 200))),
  };
}

function armVault(spec: VaultSpec, seed: number): VaultSpec {
  const d = createDice(seed, 37);
  const connectors = spec.connectors.map((connector, c) => ({
    ...connector,
    streams: connector.streams.map((stream, s) => withKind(d, withNamedField(d, stream, 100 * c + s))),
  }));
  // Sources are listed by name, so an attack does not come first.
  const connections = spec.connections.map((connection, i) =>
    d.chance(20)
      ? connection
      : { ...connection, label: `Label ${i} ${d.pick(markupAttacks)} CNRY_c${i}_ ${connection.label ?? ""}` },
  );
  const numbers = { next: 3_000_000 };
  const armed = { ...spec, connectors, connections };
  const writes = spec.writes.map((batch) => batch.map((write) => withAttacks(d, armed, write, numbers)));
  return { ...armed, writes };
}

/** A field whose name is a canary, so that leaked names are detected like values. */
function withNamedField(d: Dice, stream: StreamSpec, n: number): StreamSpec {
  const name = `CNRY_f${n}_ ${d.pick(markupAttacks)}`.slice(0, 190);
  const field: FieldSpec = {
    name: d.chance(30) ? ` ${name}` : name,
    kind: "text",
    nullable: true,
    required: false,
    blob: false,
    range: [],
    aggregations: [],
  };
  return { ...stream, fields: [...stream.fields, field] };
}

/** Most streams say what they are, with any of their fields as the parts, so that every view shows hostile values. */
function withKind(d: Dice, stream: StreamSpec): StreamSpec {
  if (d.chance(20)) return stream;
  const parts = Object.entries(presentationParts).flatMap(([part, kinds]): [string, string][] => {
    const able = stream.fields.filter(({ kind }) => (kinds as readonly string[]).includes(kind));
    return able.length === 0 || d.chance(30) ? [] : [[part, d.pick(able).name]];
  });
  return { ...stream, presentation: { kind: d.pick(streamKinds), fields: Object.fromEntries(parts) } };
}

const isFree = ({ primaryKey, cursorField, consentTimeField }: StreamSpec, { name, refersTo }: FieldSpec): boolean =>
  !primaryKey.includes(name) && refersTo === undefined && name !== cursorField && name !== consentTimeField;

function withAttacks(d: Dice, spec: VaultSpec, write: Write, numbers: { next: number }): Write {
  if (write.op === "delete") return write;
  const stream = findStreamSpec(spec, write.connectorKey, write.stream);
  const data: JsonObject = { ...write.data };
  for (const field of stream.fields) {
    const { name, kind, blob, encoding } = field;
    if (!isFree(stream, field) || blob || encoding !== undefined) continue;
    const held = data[name];
    const attack = () => `${d.pick(markupAttacks)} ${createMark(numbers.next++)}`;
    if (kind === "text" && (held === undefined ? d.chance(70) : typeof held === "string" && d.chance(40)))
      data[name] = d.chance(50) ? attack() : `${typeof held === "string" ? held : ""} ${attack()}`;
    else if (kind === "json" && d.chance(30)) data[name] = { [attack()]: [attack(), d.below(100) / 7] };
  }
  return { ...write, data };
}

const tameJson = (value: Json): Json => {
  if (typeof value === "string") return neutralizeMarkup(value);
  if (Array.isArray(value)) return value.map(tameJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [neutralizeMarkup(name), tameJson(each)]));
};

const tameField = (field: FieldSpec): FieldSpec => ({ ...field, name: neutralizeMarkup(field.name) });

const tamePresentation = ({ kind, fields }: NonNullable<StreamSpec["presentation"]>) => ({
  kind,
  fields: Object.fromEntries(Object.entries(fields).map(([part, name]) => [part, neutralizeMarkup(name)])),
});

const tameStream = (stream: StreamSpec): StreamSpec => ({
  ...stream,
  primaryKey: stream.primaryKey.map(neutralizeMarkup),
  ...(stream.cursorField === undefined ? {} : { cursorField: neutralizeMarkup(stream.cursorField) }),
  ...(stream.consentTimeField === undefined ? {} : { consentTimeField: neutralizeMarkup(stream.consentTimeField) }),
  fields: stream.fields.map(tameField),
  ...(stream.presentation === undefined ? {} : { presentation: tamePresentation(stream.presentation) }),
  views: stream.views.map((view) => ({ ...view, fields: view.fields.map(neutralizeMarkup) })),
  relationships: stream.relationships.map((each) => ({ ...each, foreignKey: neutralizeMarkup(each.foreignKey) })),
});

/** Keys and sort fields are unchanged, so that everything keeps its place. */
export function createTameTwin({ spec, grants }: HostileVault): HostileVault {
  const connectors = spec.connectors.map((connector) => ({
    ...connector,
    streams: connector.streams.map(tameStream),
  }));
  const connections = spec.connections.map((connection) =>
    connection.label === undefined ? connection : { ...connection, label: neutralizeMarkup(connection.label) },
  );
  const tameWrite = (write: Write): Write => {
    if (write.op === "delete") return write;
    const stream = findStreamSpec(spec, write.connectorKey, write.stream);
    const data = Object.entries(write.data).map(([name, value]): [string, Json] => {
      const field = stream.fields.find((each) => each.name === name);
      return [neutralizeMarkup(name), field === undefined || isFree(stream, field) ? tameJson(value) : value];
    });
    return { ...write, data: Object.fromEntries(data) };
  };
  const writes = spec.writes.map((batch) => batch.map(tameWrite));
  return { spec: { ...spec, connectors, connections, writes }, grants: grants.map(tameGrant) };
}

const tameGrant = ({ client, sources }: GrantRequest): GrantRequest => ({
  client: { name: neutralizeMarkup(client.name) },
  sources: sources.map((source) => ({
    ...source,
    streams: source.streams.map((stream) =>
      stream.fields === undefined ? stream : { ...stream, fields: stream.fields.map(neutralizeMarkup) },
    ),
  })),
});
