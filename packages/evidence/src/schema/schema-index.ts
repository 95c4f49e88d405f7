import type {
  CompactSchema,
  CompactStream,
  ExpandCapability,
  FieldCapability,
  FullSchema,
  SchemaDocument,
  StreamMetadata,
} from "@pdpp/contract/wire";

/** The compact schema: one row per stream, one line of flags per field. */

type Connections = StreamMetadata["granted_connections"];

export function createCompactSchema(full: FullSchema): CompactSchema {
  const connectors = full.connectors.map((connector) => {
    const shared = findMostCommon(connector.streams.map((stream) => stream.granted_connections));
    return {
      ...connector,
      granted_connections: shared,
      streams: connector.streams.map((stream) => compactStream(stream, shared)),
    };
  });
  return {
    ...full,
    detail: "compact",
    connector_count: connectors.length,
    stream_count: connectors.reduce((sum, { streams }) => sum + streams.length, 0),
    connectors,
  };
}

export const isCompact = (document: SchemaDocument): document is CompactSchema => document.detail === "compact";

export const toCompactSchema = (document: SchemaDocument): CompactSchema =>
  isCompact(document) ? document : createCompactSchema(document);

/** Most streams share their connections, so the connector lists them once. */
function findMostCommon(lists: readonly Connections[]): Connections {
  const counts = new Map<string, { list: Connections; count: number }>();
  for (const list of lists) {
    const key = JSON.stringify(list);
    const held = counts.get(key);
    counts.set(key, { list, count: (held?.count ?? 0) + 1 });
  }
  return [...counts.values()].reduce((best, next) => (next.count > best.count ? next : best), {
    list: [] as Connections,
    count: 0,
  }).list;
}

function compactStream(stream: StreamMetadata, shared: Connections): CompactStream {
  const own = JSON.stringify(stream.granted_connections) === JSON.stringify(shared);
  return {
    name: stream.name,
    ...(stream.display === undefined ? {} : { display: stream.display }),
    primary_key: stream.primary_key,
    cursor_field: stream.cursor_field,
    consent_time_field: stream.consent_time_field,
    ...(stream.aggregations === undefined ? {} : { aggregations: stream.aggregations }),
    field_capabilities: Object.fromEntries(
      Object.entries(stream.field_capabilities).map(([name, capability]) => [name, formatFieldFlags(capability)]),
    ),
    expand_capabilities: stream.expand_capabilities.map(compactExpand),
    ...(own ? {} : { granted_connections: stream.granted_connections }),
  };
}

function compactExpand({
  name,
  target_stream,
  cardinality,
  usable,
  reason,
  default_limit,
  max_limit,
}: ExpandCapability) {
  return {
    name,
    target_stream,
    cardinality,
    usable,
    ...(reason === undefined ? {} : { reason }),
    ...(default_limit === undefined ? {} : { default_limit }),
    ...(max_limit === undefined ? {} : { max_limit }),
  };
}

/** The field that a stream's records are sorted by; null if none is declared and granted, so they are sorted by record id. */
export function getSortField({ cursor_field: field, field_capabilities: fields }: CompactStream): string | null {
  const flags = field === null || field === undefined ? undefined : fields[field];
  return field === undefined || flags === undefined || flags.split(",").includes("g=false") ? null : field;
}

type Flag = { readonly declared: boolean; readonly usable: boolean; readonly reason?: string | undefined };

/** States what a field declares and whether the grant can use it: `t=type,role=..,g=false,eq,r=gte|lt,lex,sem,a=sum|min`. */
export function formatFieldFlags(field: FieldCapability): string {
  const flags = [`t=${escapeFlagValue(field.type)}`];
  if (field.role !== undefined) flags.push(`role=${field.role}`);
  if (field.unit_field !== undefined) flags.push(`unit=${escapeFlagValue(field.unit_field)}`);
  if (!field.granted) flags.push("g=false");
  pushFlag(flags, "eq", "eq", field.exact_filter);
  pushFlag(flags, "r", `r=${field.range_filter.operators.join("|")}`, field.range_filter);
  pushFlag(flags, "lex", "lex", field.lexical_search);
  pushFlag(flags, "sem", "sem", field.semantic_search);
  const kinds = Object.entries(field.aggregation).filter(([, flag]) => flag?.usable);
  if (kinds.length > 0) flags.push(`a=${kinds.map(([kind]) => kind).join("|")}`);
  return flags.join(",");
}

function pushFlag(flags: string[], name: string, usable: string, flag: Flag): void {
  if (!flag.declared) return;
  flags.push(flag.usable ? usable : `${name}=unusable:${flag.reason ?? "unknown"}`);
}

/** Replaces characters that are part of the flag syntax. */
const escapeFlagValue = (value: string): string => value.replace(/[;,[\]{}=\s]/g, "_");

/** Explains each flag by the argument that uses it. */
const flagLegend = {
  "t=": "type",
  "role=": "what the field is for",
  "unit=": "the field with its unit",
  "g=false": "not granted",
  eq: 'filter {"field": value}',
  "r=": 'filter {"field": {"gte": value}} with these operators',
  lex: "searchable text",
  "a=": "aggregations that take this field",
} as const;

/** The legend for the flags used in these lines. */
export function createLegend(lines: readonly string[]): { [flag: string]: string } {
  const used = new Set(lines.flatMap((line) => line.split(",").map((flag) => flag.replace(/=.*/s, ""))));
  return Object.fromEntries(Object.entries(flagLegend).filter(([flag]) => used.has(flag.replace(/=.*/s, ""))));
}
