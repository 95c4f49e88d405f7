import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Source } from "./rules/grant.ts";
import { canSee } from "./rules/grant.ts";
import { type FieldSpec, findStreamSpec, type VaultSpec, type Write } from "./spec.ts";

/**
 * Builds a vault that a token cannot tell from this one: fields outside the grant have other values, and hidden
 * records and streams are missing. In a quiet twin these fields never change, so that writes which change only them
 * change nothing. Any difference in a response is a leak.
 */
export function createTwin(vault: VaultSpec, sources: readonly Source[], isQuiet: boolean): VaultSpec {
  const place = ({ connectionId, stream, key }: Write) => JSON.stringify([connectionId, stream, key]);
  const sourceOf = (write: Write) =>
    sources.find(
      ({ stream, connectionIds }) => stream.name === write.stream && connectionIds.includes(write.connectionId),
    );
  const everSeen = new Set<string>();
  for (const write of vault.writes.flat()) {
    const source = sourceOf(write);
    const state = { ...write, states: [] };
    if (source !== undefined && write.op === "upsert" && canSee(source, state)) everSeen.add(place(write));
  }
  const alterWrite = (write: Write): Write[] => {
    const source = sourceOf(write);
    if (source === undefined) return [];
    // Counts and times of an unbounded stream cover all its records, so all are kept.
    const bounded = source.time !== undefined || source.resources !== undefined;
    if (bounded && !everSeen.has(place(write))) return [];
    return [{ ...write, data: alterData(vault, source, write, isQuiet) }];
  };
  return { ...vault, writes: vault.writes.map((batch) => batch.flatMap(alterWrite)) };
}

function alterData(vault: VaultSpec, source: Source, write: Write, isQuiet: boolean): JsonObject {
  const stream = findStreamSpec(vault, write.connectorKey, write.stream);
  return Object.fromEntries(
    Object.entries(write.data).map(([name, value]) => {
      const kept = source.fields.has(name) || stream.primaryKey.includes(name) || source.time?.field === name;
      if (kept) return [name, value];
      const field = stream.fields.find((each) => each.name === name)!;
      return [name, isQuiet ? quiet[field.kind] : another(field, value)];
    }),
  );
}

const quiet: Record<FieldSpec["kind"], Json> = {
  text: "quiet",
  boolean: true,
  integer: 7,
  number: 0.5,
  date: "2020-01-01",
  "date-time": "2020-01-01T00:00:00Z",
  json: {},
};

/** Different values stay different, so that a write that changed something still does. */
function another({ kind, nullable }: FieldSpec, value: Json): Json {
  if (value === null) return nullable && kind === "text" ? "once null" : value;
  switch (kind) {
    case "text":
      return [...`Q${String(value)}`].reverse().join("");
    case "boolean":
      return !value;
    case "integer":
      return -(value as number);
    case "number":
      return 1 - (value as number);
    case "date":
      return `19${String(value).slice(2)}`;
    case "date-time":
      return `19${String(value).slice(2)}`;
    case "json":
      return { other: JSON.stringify(value).length, was: [...JSON.stringify(value)].reverse().join("") };
  }
}
