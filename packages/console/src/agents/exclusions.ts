import { compareSources, humanize, labelField, labelStream } from "@pdpp/consent/labels";
import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { Grant, GrantedStream } from "@pdpp/contract/grant";
import type { OwnerCatalog } from "@pdpp/contract/owner";

/** Describes what grants do not allow, which matters as much as what they allow. */

export interface Exclusion {
  /** A source, or "Other". */
  readonly label: string;
  readonly lines: readonly string[];
}

const maxNames = 12;

function joinNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

const joinSorted = (names: readonly string[]): string => joinNames(names.toSorted((a, b) => a.localeCompare(b)));

export function listExcluded(grants: readonly Grant[], { connectors, connections }: OwnerCatalog): Exclusion[] {
  const label = (id: string): string => connections.find((held) => held.id === id)?.label ?? id;
  const parts = [...Map.groupBy(grants, ({ connector_key }) => connector_key)].map(([key, mine]): Exclusion => {
    const declared = connectors.get(key);
    const streams = mine.flatMap((grant) => grant.streams);
    const ids = new Set(streams.flatMap(({ connection_ids }) => connection_ids));
    const others = connections
      .filter(({ id, connectorKey }) => connectorKey === key && !ids.has(id))
      .map(({ id }) => label(id));
    const unread = (declared?.streams ?? []).filter(({ name }) => !streams.some((held) => held.name === name));
    return {
      label: declared?.displayName ?? key,
      lines: [
        ...(others.length === 0 ? [] : [joinSorted(others)]),
        ...(unread.length === 0 ? [] : [joinNames(unread.map(labelStream))]),
        ...streams.flatMap((held) => {
          const stream = declared?.streams.find(({ name }) => name === held.name);
          return listStreamExclusions(held, stream, ids, label);
        }),
      ],
    };
  });
  const held = new Set(grants.map(({ connector_key }) => connector_key));
  const besides = connections.filter(({ connectorKey }) => !held.has(connectorKey)).map(({ id }) => label(id));
  return [
    ...parts.filter(({ lines }) => lines.length > 0).toSorted(compareSources),
    ...(besides.length === 0 ? [] : [{ label: "Other sources", lines: [joinSorted(besides)] }]),
    { label: "New data", lines: ["accounts and kinds of data you add later"] },
  ];
}

function listStreamExclusions(
  held: GrantedStream,
  stream: StreamDeclaration | undefined,
  ids: ReadonlySet<string>,
  label: (id: string) => string,
): string[] {
  const name = stream === undefined ? humanize(held.name) : labelStream(stream);
  const fields = (stream?.fields ?? []).filter((field) => !held.fields.includes(field.name));
  const accounts = [...ids].filter((id) => !held.connection_ids.includes(id));
  const { since, until } = held.time_constraint ?? {};
  return [
    ...(fields.length === 0 ? [] : [`${name}: ${joinNames(fields.map(labelField))}`]),
    ...(accounts.length === 0 ? [] : [`${name} of ${joinSorted(accounts.map(label))}`]),
    ...(since === undefined ? [] : [`${name} dated before ${since}, or without a date`]),
    ...(until === undefined ? [] : [`${name} dated ${until} or later`]),
    ...(held.resources === undefined
      ? []
      : [
          `${name} other than the ${held.resources.length === 1 ? "one record" : `${held.resources.length} records`} above`,
        ]),
  ];
}
