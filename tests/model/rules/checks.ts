import type { JsonObject } from "@pdpp/contract/declaration";
import type { FilterSpec } from "../requests.ts";
import { type FieldSpec, findFieldSpec } from "../spec.ts";
import type { Source, VisibleRecord } from "./grant.ts";
import { compareValues, toComparable } from "./order.ts";
import type { World } from "./world.ts";

/** Validates requests and interprets their filters. */

export type ExpectedError = readonly [status: number, code: string];
/** Candidates for an ambiguous request. */
export type Candidates = readonly JsonObject[];
type Found =
  | { readonly source: Source }
  | { readonly faults: readonly ExpectedError[]; readonly candidates?: Candidates };

const maxFilters = 20;

function named(world: World, stream: string, connectionId: string | undefined): Source[] | ExpectedError {
  const sources = world.sources.filter((source) => source.stream.name === stream);
  if (sources.length === 0) return [403, "grant_stream_not_allowed"];
  if (connectionId === undefined) return sources;
  const narrowed = sources.filter(({ connectionIds }) => connectionIds.includes(connectionId));
  if (narrowed.length === 0) return [404, "connection_not_found"];
  return narrowed.map((source) => ({ ...source, connectionIds: [connectionId] }));
}

const isFault = (found: Source[] | ExpectedError): found is ExpectedError => typeof found[0] === "number";

/** Connections that can answer are candidates; if none can, the request itself is wrong. */
function ambiguous(
  world: World,
  sources: readonly Source[],
  faultsIn: (source: Source) => readonly ExpectedError[],
): Found {
  const able = sources.filter((source) => faultsIn(source).length === 0);
  if (able.length === 0) return { faults: sources.flatMap((source) => faultsIn(source)) };
  const candidates = able.flatMap(({ grantId, connectorKey, connectionIds }) =>
    connectionIds.map((id) => {
      const label = world.vault.connections.find((connection) => connection.id === id)?.label;
      const named = { grant_id: grantId, connector_key: connectorKey, connection_id: id };
      return label === undefined ? named : { ...named, display_name: label };
    }),
  );
  return { faults: [[409, "ambiguous_connection"]], candidates };
}

interface Named {
  readonly stream: string;
  readonly connection_id?: string;
}

/** Lists and counts cover all connections of one source. */
export function resolveSource(
  world: World,
  { stream, connection_id: connectionId }: Named,
  faultsIn: (source: Source) => readonly ExpectedError[],
): Found {
  const found = named(world, stream, connectionId);
  if (isFault(found)) return { faults: [found] };
  return found.length > 1 ? ambiguous(world, found, faultsIn) : { source: found[0]! };
}

/** One record is in one connection: if there are several, nothing is looked up. */
export function resolveConnection(
  world: World,
  { stream, connection_id: connectionId }: Named,
  faultsIn: (source: Source) => readonly ExpectedError[],
): Found {
  const found = named(world, stream, connectionId);
  if (isFault(found)) return { faults: [found] };
  const several = found.length > 1 || found[0]!.connectionIds.length > 1;
  return several ? ambiguous(world, found, faultsIn) : { source: found[0]! };
}

export function findConnectionErrors(sources: readonly Source[], connectionId: string | undefined): ExpectedError[] {
  if (connectionId === undefined || sources.some(({ connectionIds }) => connectionIds.includes(connectionId)))
    return [];
  return [[404, "connection_not_found"]];
}

export function findFieldErrors(source: Source, name: string): ExpectedError[] {
  if (findFieldSpec(source.stream, name) === undefined) return [[400, "unknown_field"]];
  return source.fields.has(name) ? [] : [[403, "field_not_granted"]];
}

interface Projecting {
  readonly fields?: string[];
  readonly view?: string;
}

export function getProjection(
  source: Source,
  { fields, view }: Projecting,
): { fields: ReadonlySet<string>; faults: ExpectedError[] } {
  const faults: ExpectedError[] = [];
  if (fields !== undefined && view !== undefined) faults.push([400, "invalid_request"]);
  if (fields !== undefined)
    return {
      fields: withUnits(source, fields),
      faults: [...faults, ...fields.flatMap((name) => findFieldErrors(source, name))],
    };
  if (view === undefined) return { fields: source.fields, faults };
  // A view without a granted field does not exist for this grant.
  const seen = source.stream.views.filter((each) => each.fields.some((name) => source.fields.has(name)));
  const declared = seen.find(({ id }) => id === view);
  if (declared === undefined) return { fields: new Set(), faults: [...faults, [400, "invalid_request"]] };
  return { fields: withUnits(source, declared.fields), faults };
}

/** An amount includes its unit if the grant shows it. */
function withUnits(source: Source, names: readonly string[]): ReadonlySet<string> {
  const units = names.flatMap((name) => (source.fields.has(name) ? (getVisibleUnit(source, name)?.name ?? []) : []));
  return new Set([...names, ...units]);
}

/** The unit field of another field, if granted. */
export function getVisibleUnit(source: Source, name: string): FieldSpec | undefined {
  const unit = findFieldSpec(source.stream, name)?.unit;
  return unit === undefined || !source.fields.has(unit) ? undefined : findFieldSpec(source.stream, unit);
}

export function filterFaults(source: Source, filter: FilterSpec | undefined): ExpectedError[] {
  const entries = Object.entries(filter ?? {});
  if (entries.length > maxFilters) return [[400, "invalid_request"]];
  return entries.flatMap(([name, wanted]): ExpectedError[] => {
    const faults = findFieldErrors(source, name);
    if (faults.length > 0) return faults;
    const field = findFieldSpec(source.stream, name)!;
    const refused: ExpectedError = [400, "invalid_request"];
    if (field.kind === "json") return [refused];
    if (typeof wanted === "string") return parseOperand(source, name, wanted) === null ? [refused] : [];
    return Object.entries(wanted).flatMap(([operator, text]): ExpectedError[] =>
      !(field.range as readonly string[]).includes(operator) || parseOperand(source, name, text) === null
        ? [refused]
        : [],
    );
  });
}

/** Parses a parameter for the field; null if it is invalid. */
function parseOperand(source: Source, name: string, text: string): string | number | null {
  const { kind } = findFieldSpec(source.stream, name)!;
  switch (kind) {
    case "text":
      return text;
    case "boolean":
      return text === "true" ? 1 : text === "false" ? 0 : null;
    case "date":
    case "date-time": {
      // Only ISO dates: the platform's parser guesses at anything else.
      const instant = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
      return Number.isNaN(instant) ? null : instant;
    }
    default:
      return text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text);
  }
}

const holds: Record<string, (order: number) => boolean> = {
  gte: (order) => order >= 0,
  gt: (order) => order > 0,
  lte: (order) => order <= 0,
  lt: (order) => order < 0,
};

export function matchesFilter(source: Source, filter: FilterSpec | undefined, record: VisibleRecord): boolean {
  return Object.entries(filter ?? {}).every(([name, wanted]) => {
    const value = toComparable(findFieldSpec(source.stream, name)!.kind, record.data[name]);
    if (value === null) return false;
    if (typeof wanted === "string") return value === parseOperand(source, name, wanted);
    return Object.entries(wanted).every(([operator, text]) =>
      holds[operator]!(compareValues(value, parseOperand(source, name, text)!)),
    );
  });
}
