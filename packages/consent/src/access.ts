import { type ConnectorDeclaration, isDerived, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { Grant, GrantedStream } from "@pdpp/contract/grant";
import type { OwnerCatalog } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { type FieldGroup, groupFields, groupLabels, listLinkFields } from "./field-groups.ts";
import { compareSources, findKindLabel, humanize, labelField, labelStream, lowerFirst } from "./labels.ts";
import { describeGroup } from "./part-words.ts";

/** What grants allow to read from one source. */
export interface SourceAccess {
  readonly label: string;
  /** The connector's name, where the label doesn't say it. */
  readonly kindLabel?: string;
  readonly isDerived: boolean;
  /** The grant that allows it. */
  readonly grantId: string;
  /** Whether the grant allows only this source, so that revoking the grant removes nothing else. */
  readonly isAlone: boolean;
  /** Every stream and field, without limits. */
  readonly isComplete: boolean;
  readonly streams: readonly StreamAccess[];
}

export interface StreamAccess {
  readonly label: string;
  readonly groups: readonly {
    readonly label: string;
    readonly fields: readonly string[];
    readonly isComplete: boolean;
  }[];
  /** The fields read, in words: "senders", "subjects", "dates". */
  readonly words: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly records?: number;
}

/** Each source by its own name, in order. Those that are no longer in the vault keep the name that the grant has for them. */
export function describeAccess(grants: readonly Grant[], { connectors, connections }: OwnerCatalog): SourceAccess[] {
  const sources = grants.flatMap(({ grant_id, connector_key, streams }) => {
    const connector = connectors.get(connector_key);
    const ids = [...new Set(streams.flatMap(({ connection_ids }) => connection_ids))];
    return ids.map((id): SourceAccess => {
      const label = isolateLabel(connections.find((connection) => connection.id === id)?.label ?? id);
      const kindLabel = findKindLabel(label, isolateLabel(connector?.displayName ?? connector_key));
      const granted = streams.filter(({ connection_ids }) => connection_ids.includes(id));
      return {
        label,
        ...(kindLabel === undefined ? {} : { kindLabel }),
        isDerived: connector !== undefined && isDerived(connector),
        grantId: grant_id,
        isAlone: ids.length === 1,
        isComplete: isComplete(granted, connector),
        streams: granted.map((stream) =>
          describeStream(
            stream,
            connector?.streams.find(({ name }) => name === stream.name),
          ),
        ),
      };
    });
  });
  return sources.toSorted(compareSources);
}

function isComplete(granted: readonly GrantedStream[], connector: ConnectorDeclaration | undefined): boolean {
  const declared = connector?.streams ?? [];
  const isWhole = (stream: StreamDeclaration): boolean =>
    granted.some(
      ({ name, fields, time_constraint, resources }) =>
        name === stream.name &&
        time_constraint === undefined &&
        resources === undefined &&
        stream.fields.every((field) => fields.includes(field.name)),
    );
  return declared.length > 0 && declared.every(isWhole);
}

function describeStream(granted: GrantedStream, declared: StreamDeclaration | undefined): StreamAccess {
  const { since, until } = granted.time_constraint ?? {};
  const grantedFields = new Set(granted.fields);
  const groups = declared === undefined ? [] : groupFields(declared);
  // Fields that only connect records are not worth a mention.
  const links = declared === undefined ? new Set<string>() : listLinkFields(declared);
  const shared = groups.flatMap(({ kind, fields }) => {
    const given = fields.filter(({ name }) => grantedFields.has(name));
    const withheld = fields.filter(({ name }) => !(grantedFields.has(name) || links.has(name)));
    return given.length === 0 ? [] : [{ kind, fields: given, isComplete: withheld.length === 0 }];
  });
  return {
    label: declared === undefined ? humanize(granted.name) : labelStream(declared),
    groups: shared.map(({ kind, fields, isComplete }) => ({
      label: groupLabels[kind],
      fields: fields.map(labelField),
      isComplete,
    })),
    words: [...new Set(declared === undefined ? [] : shared.flatMap((group) => describeShared(declared, group)))],
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(granted.resources === undefined ? {} : { records: granted.resources.length }),
  };
}

/** A part that is shared incompletely is named by its fields. */
const describeShared = (stream: StreamDeclaration, group: FieldGroup & { readonly isComplete: boolean }) =>
  group.isComplete || group.kind === "headings"
    ? describeGroup(stream, group).included
    : group.fields.map((field) => lowerFirst(labelField(field)));

export interface AccessChange {
  readonly kind: "added" | "removed" | "changed";
  readonly text: string;
}

export function compareAccess(before: readonly SourceAccess[], after: readonly SourceAccess[]): AccessChange[] {
  const [old, fresh] = [indexByAccount(before), indexByAccount(after)];
  const accounts = new Set([...fresh.values(), ...old.values()].map(({ account }) => account));
  return [...accounts].flatMap((account) => {
    const pick = (entries: ReadonlyMap<string, AccountEntry>) =>
      new Map([...entries].filter(([, entry]) => entry.account === account));
    return compareAccount(account, pick(old), pick(fresh));
  });
}

function compareAccount(
  account: string,
  old: ReadonlyMap<string, AccountEntry>,
  fresh: ReadonlyMap<string, AccountEntry>,
): AccessChange[] {
  if (fresh.size === 0) return [{ kind: "removed", text: account }];
  if (old.size === 0) {
    const streams = [...fresh.values()].map(({ stream, groups }) => `${stream} (${groups.join(", ").toLowerCase()})`);
    return [{ kind: "added", text: `${account}: ${streams.join("; ")}` }];
  }
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

/** Sources whose access stays the same. */
export function listUnchangedAccounts(before: readonly SourceAccess[], after: readonly SourceAccess[]): string[] {
  const held = new Set(before.map(({ label }) => label));
  const changed = compareAccess(before, after).map(({ text }) => text);
  return [...new Set(after.map(({ label }) => label))].filter(
    (account) =>
      held.has(account) && !changed.some((text) => text.startsWith(`${account}, `) || text.startsWith(`${account}: `)),
  );
}

interface AccountEntry {
  readonly account: string;
  readonly stream: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly fields: Set<string>;
  readonly limits: string;
}

function indexByAccount(sources: readonly SourceAccess[]): Map<string, AccountEntry> {
  const entries = new Map<string, AccountEntry>();
  for (const { label: account, kindLabel, streams } of sources) {
    for (const stream of streams) {
      const name = `${account}, ${stream.label}`;
      const key = JSON.stringify([kindLabel, name]);
      const fields = entries.get(key)?.fields ?? new Set<string>();
      for (const group of stream.groups) for (const field of group.fields) fields.add(field);
      const groups = stream.groups.map(({ label: text }) => text);
      entries.set(key, { account, stream: stream.label, name, groups, fields, limits: formatLimits(stream) });
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
