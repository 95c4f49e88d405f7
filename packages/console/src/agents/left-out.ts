import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { Grant, GrantedStream } from "@pdpp/contract/grant";
import type { OwnerCatalog } from "@pdpp/contract/owner";
import { humanize, labelField, labelStream } from "@pdpp/server/consent/labels";

/** What grants do not let somebody read, in the owner's words: as much of the truth as what they do. */

export interface LeftOut {
  /** A source, or what is beside all of them. */
  readonly of: string;
  readonly what: readonly string[];
}

const mostNames = 12;

/** Some of the names, and how many more there are. */
function named(names: readonly string[]): string {
  const shown = names.slice(0, mostNames);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

export function leftOutOf(grants: readonly Grant[], { connectors, connections }: OwnerCatalog): LeftOut[] {
  const label = (id: string): string => connections.find((held) => held.id === id)?.label ?? id;
  const parts = [...Map.groupBy(grants, ({ connector_key }) => connector_key)].map(([key, mine]): LeftOut => {
    const declared = connectors.get(key);
    const streams = mine.flatMap((grant) => grant.streams);
    const ids = new Set(streams.flatMap(({ connection_ids }) => connection_ids));
    const others = connections.filter(({ id, connectorKey }) => connectorKey === key && !ids.has(id));
    const unread = (declared?.streams ?? []).filter(({ name }) => !streams.some((held) => held.name === name));
    return {
      of: declared?.displayName ?? key,
      what: [
        ...(others.length === 0 ? [] : [named(others.map(({ id }) => label(id)))]),
        ...(unread.length === 0 ? [] : [named(unread.map(labelStream))]),
        ...streams.flatMap((held) => {
          const stream = declared?.streams.find(({ name }) => name === held.name);
          return streamLimits(held, stream, ids, label);
        }),
      ],
    };
  });
  const held = new Set(grants.map(({ connector_key }) => connector_key));
  const besides = [...new Set(connections.map(({ connectorKey }) => connectorKey))]
    .filter((key) => !held.has(key))
    .map((key) => connectors.get(key)?.displayName ?? key);
  return [
    ...parts.filter(({ what }) => what.length > 0),
    ...(besides.length === 0 ? [] : [{ of: "Other sources", what: [named(besides)] }]),
    { of: "New data", what: ["accounts and kinds of data you add later"] },
  ];
}

function streamLimits(
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
    ...(fields.length === 0 ? [] : [`${name}: ${named(fields.map(labelField))}`]),
    ...(accounts.length === 0 ? [] : [`${name} of ${named(accounts.map(label))}`]),
    ...(since === undefined ? [] : [`${name} dated before ${since}, or without a date`]),
    ...(until === undefined ? [] : [`${name} dated ${until} or later`]),
    ...(held.resources === undefined
      ? []
      : [
          `${name} other than the ${held.resources.length === 1 ? "one record" : `${held.resources.length} records`} above`,
        ]),
  ];
}
