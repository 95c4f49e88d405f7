import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { Grant, GrantedStream } from "@pdpp/contract/grant";
import type { OwnerCatalog } from "@pdpp/contract/owner";
import { groupFields, groupLabels } from "./field-groups.ts";
import { humanize, labelField, labelStream } from "./labels.ts";

export interface SourceAccess {
  readonly label: string;
  /** Every stream and field of its accounts, without limits. */
  readonly isComplete: boolean;
  readonly accounts: readonly string[];
  readonly streams: readonly StreamAccess[];
}

export interface StreamAccess {
  readonly label: string;
  readonly groups: readonly {
    readonly label: string;
    readonly fields: readonly string[];
    readonly isComplete: boolean;
  }[];
  readonly since?: string;
  readonly until?: string;
  readonly records?: number;
}

/** Sources that are no longer in the vault keep the name that the grant has for them. */
export function describeAccess(grants: readonly Grant[], { connectors, connections }: OwnerCatalog): SourceAccess[] {
  return grants.map(({ connector_key, streams }) => {
    const connector = connectors.get(connector_key);
    const ids = [...new Set(streams.flatMap(({ connection_ids }) => connection_ids))];
    const declared = connector?.streams ?? [];
    const isComplete = (stream: StreamDeclaration): boolean =>
      streams.some(
        ({ name, fields, connection_ids, time_constraint, resources }) =>
          name === stream.name &&
          time_constraint === undefined &&
          resources === undefined &&
          connection_ids.length === ids.length &&
          stream.fields.every((field) => fields.includes(field.name)),
      );
    return {
      label: connector?.displayName ?? connector_key,
      isComplete: declared.length > 0 && declared.every(isComplete),
      accounts: ids.map((id) => connections.find((connection) => connection.id === id)?.label ?? id),
      streams: streams.map((granted) =>
        describeStream(
          granted,
          declared.find(({ name }) => name === granted.name),
        ),
      ),
    };
  });
}

function describeStream(granted: GrantedStream, declared: StreamDeclaration | undefined): StreamAccess {
  const { since, until } = granted.time_constraint ?? {};
  const grantedFields = new Set(granted.fields);
  const groups = declared === undefined ? [] : groupFields(declared);
  return {
    label: declared === undefined ? humanize(granted.name) : labelStream(declared),
    groups: groups.flatMap(({ kind, fields }) => {
      const shared = fields.filter(({ name }) => grantedFields.has(name));
      if (shared.length === 0) return [];
      return [
        { label: groupLabels[kind], fields: shared.map(labelField), isComplete: shared.length === fields.length },
      ];
    }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(granted.resources === undefined ? {} : { records: granted.resources.length }),
  };
}

export interface AccessChange {
  readonly kind: "added" | "removed" | "changed";
  readonly text: string;
}

export function compareAccess(before: readonly SourceAccess[], after: readonly SourceAccess[]): AccessChange[] {
  const [old, fresh] = [indexByAccount(before), indexByAccount(after)];
  const changes: AccessChange[] = [];
  for (const [key, entry] of fresh) {
    const previous = old.get(key);
    const added = [...entry.fields].filter((field) => !previous?.fields.has(field));
    if (added.length > 0) changes.push({ kind: "added", text: `${entry.name}: ${added.join(", ")}` });
    if (previous !== undefined && previous.limits !== entry.limits)
      changes.push({ kind: "changed", text: `${entry.name}: ${entry.limits} (now ${previous.limits})` });
  }
  for (const [key, entry] of old) {
    const removed = [...entry.fields].filter((field) => !fresh.get(key)?.fields.has(field));
    if (removed.length > 0) changes.push({ kind: "removed", text: `${entry.name}: ${removed.join(", ")}` });
  }
  return changes;
}

interface AccountEntry {
  readonly name: string;
  readonly fields: Set<string>;
  readonly limits: string;
}

function indexByAccount(sources: readonly SourceAccess[]): Map<string, AccountEntry> {
  const entries = new Map<string, AccountEntry>();
  for (const { label, accounts, streams } of sources) {
    for (const stream of streams) {
      for (const account of accounts) {
        const name = `${account}, ${stream.label}`;
        const key = JSON.stringify([label, name]);
        const fields = entries.get(key)?.fields ?? new Set<string>();
        for (const group of stream.groups) for (const field of group.fields) fields.add(field);
        entries.set(key, { name, fields, limits: formatLimits(stream) });
      }
    }
  }
  return entries;
}

const formatLimits = ({ since, until, records }: StreamAccess): string =>
  [
    since === undefined ? "any date" : `since ${since}`,
    until === undefined ? "" : `before ${until}`,
    records === undefined ? "" : `${records} records`,
  ]
    .filter((part) => part !== "")
    .join(", ");
