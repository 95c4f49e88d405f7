import type { Json } from "@pdpp/contract/declaration";
import type { AggregateRequest, FilterSpec, ReadRequest } from "../requests.ts";
import type { Source } from "../rules/grant.ts";
import type { ModelRecord } from "../rules/vault.ts";
import type { World } from "../rules/world.ts";
import type { FieldSpec, StreamSpec } from "../spec.ts";
import { createDice, type Dice } from "./dice.ts";
import { createKeyFields, formatKey, keyCount } from "./keys.ts";
import { dates, dateTimes } from "./values.ts";

/** Generates a random read for a vault and a grant: mostly sensible, often at or beyond the edge of the grant. */
export function buildRequest(world: World, op: number, seed: number): ReadRequest {
  const d = createDice(seed, op);
  switch (op % 12) {
    case 0:
    case 1:
    case 2:
    case 3:
      return listRequest(world, d);
    case 4:
    case 5:
      return fetchRequest(world, d);
    case 6:
    case 7:
    case 8:
      return aggregateRequest(world, d);
    case 9:
      return blobRequest(world, d);
    case 10:
      return d.chance(50) ? { op: "streams", ...connectionOf(world, d, 30) } : schemaRequest(world, d);
    default:
      return exportRequest(world, d);
  }
}

interface Place {
  readonly connectorKey: string;
  readonly stream: StreamSpec;
  readonly source?: Source;
}

/** A granted stream, rarely another one. */
function placeOf(world: World, d: Dice): Place {
  if (d.chance(94)) {
    const source = d.pick(world.sources);
    return { connectorKey: source.connectorKey, stream: source.stream, source };
  }
  const connector = d.pick(world.vault.connectors);
  return { connectorKey: connector.key, stream: d.pick(connector.streams) };
}

function connectionOf(world: World, d: Dice, percent: number, source?: Source): { connection_id?: string } {
  if (!d.chance(percent)) return {};
  if (d.chance(6)) return { connection_id: "no-such-connection" };
  const ids = source === undefined || d.chance(8) ? world.vault.connections.map(({ id }) => id) : source.connectionIds;
  return { connection_id: d.pick(ids) };
}

function narrowed(world: World, d: Dice, { stream, source }: Place, percent: number) {
  // If several grants have the stream, only a connection makes the request unambiguous.
  const several = world.sources.filter((candidate) => candidate.stream.name === stream.name).length > 1;
  return {
    stream: d.chance(2) ? `${stream.name}?` : stream.name,
    ...connectionOf(world, d, several ? 85 : percent, source),
  };
}

/** A granted field, rarely an ungranted or unknown one. */
function fieldOf(
  { stream, source }: Place,
  d: Dice,
  fits: (field: FieldSpec) => boolean = () => true,
): FieldSpec | undefined {
  const fitting = stream.fields.filter(fits);
  const granted = fitting.filter(({ name }) => source?.fields.has(name));
  const from = granted.length > 0 && d.chance(88) ? granted : fitting.length > 0 ? fitting : stream.fields;
  return from.length === 0 ? undefined : d.pick(from);
}

function projecting(place: Place, d: Dice) {
  if (d.chance(60)) return {};
  if (d.chance(25))
    return { view: place.stream.views.length > 0 && d.chance(85) ? d.pick(place.stream.views).id : "no view" };
  const names = Array.from({ length: 1 + d.below(4) }, () => fieldOf(place, d)?.name ?? "nothing");
  return { fields: d.chance(4) ? [...names, "no such field"] : names, ...(d.chance(2) ? { view: "view 0" } : {}) };
}

function expanding(place: Place, d: Dice) {
  if (!d.chance(45)) return {};
  const usable = place.stream.relationships.filter(({ expand }) => expand !== null);
  if (usable.length === 0) return d.chance(20) ? { expand: ["rel 0"] } : {};
  const names = d.chance(30) ? usable.map(({ name }) => name) : [d.chance(4) ? "rel.deeper" : d.pick(usable).name];
  const limits = d.chance(35) ? { [d.pick(names)]: d.pick(["1", "2", "3", "0", "51", "x"]) } : undefined;
  return { expand: [...new Set(names)], ...(limits === undefined ? {} : { expand_limit: limits }) };
}

function heldValue(world: World, place: Place, field: FieldSpec, d: Dice): Json | undefined {
  const held = recordsOf(world, place).filter(({ data }) => data !== null);
  return held.length === 0 ? undefined : d.pick(held).data![field.name];
}

function operandFor(world: World, place: Place, field: FieldSpec, d: Dice): string {
  const value = heldValue(world, place, field, d);
  if (d.chance(3)) return d.pick(["", "x", "1e400", " ", "2026-13-01"]);
  if (field.kind === "date" || field.kind === "date-time") {
    if (typeof value !== "string" || d.chance(40)) return d.pick([...dates, ...dateTimes]);
    return d.chance(50) ? value : new Date(Date.parse(value)).toISOString();
  }
  if (value === null || value === undefined || typeof value === "object")
    return d.pick(["CNRY_p1_", "42", "true", "0.1"]);
  return String(value);
}

function filtering(world: World, place: Place, d: Dice, percent: number): { filter?: FilterSpec } {
  if (!d.chance(percent)) return {};
  const filter: Record<string, string | { [operator: string]: string }> = {};
  for (let n = 1 + d.below(2); n > 0; n--) {
    const ranged = d.chance(55);
    const field = fieldOf(
      place,
      d,
      (candidate) => candidate.kind !== "json" && (!ranged || candidate.range.length > 0 || d.chance(4)),
    );
    if (field === undefined) continue;
    const operand = () => operandFor(world, place, field, d);
    const operators = field.range.length > 0 && d.chance(96) ? field.range : (["gte"] as const);
    if (!ranged) filter[field.name] = operand();
    else
      filter[field.name] = Object.fromEntries(
        Array.from({ length: 1 + d.below(2) }, () => [d.pick(operators), operand()]),
      );
  }
  if (d.chance(2)) filter["no such field"] = "1";
  return Object.keys(filter).length === 0 ? {} : { filter };
}

function listRequest(world: World, d: Dice): ReadRequest {
  const place = placeOf(world, d);
  const { cursorField } = place.stream;
  const sortable = cursorField !== undefined && d.chance(30);
  return {
    op: "list",
    ...narrowed(world, d, place, 25),
    ...(d.chance(80)
      ? { limit: d.pick(["1", "2", "3", "5", "7", "20", "100", "101", "500", "0", "-3", "junk", "2.9"]) }
      : {}),
    ...(d.chance(40) ? { order: d.pick(["asc", "desc"] as const) } : {}),
    ...(sortable
      ? { sort: [d.chance(50) ? cursorField : `-${cursorField}`] }
      : d.chance(3)
        ? { sort: ["no_such_field"] }
        : {}),
    ...filtering(world, place, d, 45),
    ...projecting(place, d),
    ...expanding(place, d),
    ...(d.chance(40) ? { count: d.pick(["none", "estimated", "exact"] as const) } : {}),
    ...(d.chance(60) ? { window: d.pick(["exact", "exact", "none"] as const) } : {}),
  };
}

const recordsOf = (world: World, place: Place): ModelRecord[] =>
  [...world.snapshot.values()].filter(
    ({ connectorKey, stream }) => connectorKey === place.connectorKey && stream === place.stream.name,
  );

/** A record id: visible, hidden, deleted or nonexistent. */
function idFor(world: World, place: Place, d: Dice): string {
  const held = recordsOf(world, place);
  if (held.length === 0 || d.chance(10))
    return formatKey(place.stream, createKeyFields(place.stream, d.below(keyCount)));
  return d.chance(3) ? `${d.pick(held).key}x` : d.pick(held).key;
}

function fetchRequest(world: World, d: Dice): ReadRequest {
  const place = placeOf(world, d);
  return {
    op: "fetch",
    ...narrowed(world, d, place, 75),
    record_id: idFor(world, place, d),
    ...projecting(place, d),
    ...expanding(place, d),
  };
}

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "america/sao_paulo",
];
const granularities = ["minute", "hour", "day", "week", "month", "quarter", "year"];

function aggregateRequest(world: World, d: Dice): ReadRequest {
  const place = placeOf(world, d);
  const head = { op: "aggregate" as const, ...narrowed(world, d, place, 25), ...filtering(world, place, d, 35) };
  const fitting = (use: string) =>
    fieldOf(place, d, ({ aggregations }) => (aggregations as readonly string[]).includes(use))?.name ?? "nothing";
  const stray: Partial<AggregateRequest> = d.chance(4)
    ? d.pick([{ granularity: "day" }, { time_zone: "UTC" }, { limit: "5" }, { field: "id" }, { group_by: "id" }])
    : {};
  const measuring = (): Pick<AggregateRequest, "metric" | "field"> => {
    if (d.chance(40)) return { metric: "count" };
    const metric = d.chance(4) ? "count_distinct" : d.pick(["sum", "min", "max"]);
    return { metric, field: fitting(metric) };
  };
  switch (d.below(4)) {
    case 0:
      return { ...head, metric: d.pick(["sum", "count"]), ...stray };
    case 1: {
      const limit = d.chance(60) ? { limit: d.pick(["1", "2", "3", "50", "100", "101", "0", "x"]) } : {};
      return { ...head, ...measuring(), group_by: fitting("group_by"), ...limit, ...stray };
    }
    case 2: {
      const zone = d.chance(70) ? { time_zone: d.chance(3) ? "Mars/Olympus" : d.pick(zones) } : {};
      const limit = d.chance(60) ? { limit: d.pick(["1", "2", "3", "50", "100"]) } : {};
      return {
        ...head,
        ...measuring(),
        group_by_time: fitting("group_by_time"),
        granularity: d.pick(granularities),
        ...zone,
        ...limit,
        ...stray,
      };
    }
    default: {
      const metric = d.pick(["sum", "min", "max", "count_distinct"]);
      return { ...head, metric, field: fitting(metric), ...stray };
    }
  }
}

function blobRequest(world: World, d: Dice): ReadRequest {
  const blob = d.chance(90) ? d.pick(world.vault.blobs).ref.blob_id : `blob_sha256_${"0".repeat(64)}`;
  return { op: "blob", blob_id: blob, ...connectionOf(world, d, 70, d.pick(world.sources)) };
}

function exportRequest(world: World, d: Dice): ReadRequest {
  const place = placeOf(world, d);
  return {
    op: "export",
    ...(d.chance(40) ? { stream: place.stream.name } : {}),
    ...connectionOf(world, d, 25, place.source),
    ...(d.chance(40)
      ? { after: `${d.pick(place.source?.connectionIds ?? ["no"])}/${place.stream.name}:${idFor(world, place, d)}` }
      : {}),
  };
}

function schemaRequest(world: World, d: Dice): ReadRequest {
  const place = placeOf(world, d);
  const stream = { stream: place.stream.name, ...connectionOf(world, d, 50, place.source) };
  return d.pick<ReadRequest>([
    { op: "schema" },
    { op: "schema", view: "compact" },
    { op: "schema", detail: "full", ...stream },
    { op: "schema", ...stream },
    { op: "stream", ...stream },
    { op: "connectors" },
  ]);
}
