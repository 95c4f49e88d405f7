import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import { foldName, getIdentityKind, getIdentityValue } from "./identity.ts";
import type { Trace } from "./trace.ts";

/** A record of the `people` stream, from the traces of the identities that are one person. */

export interface PlacedTrace {
  readonly connectionId: string;
  readonly stream: string;
  readonly trace: Trace;
}

export interface KnownIdentity {
  readonly identity: string;
  readonly traces: readonly PlacedTrace[];
}

const maxNames = 20;
const maxSources = 50;
const maxIdentities = 100;
const maxMonths = 600;
const maxSourceMonths = 24;
/** A name in the address book is the owner's own choice. */
const cardWeight = 1_000_000;

export function buildPerson(id: string, known: readonly KnownIdentity[], today: string): JsonObject {
  const identities = known
    .map((each) => ({ ...each, things: sum(each.traces.map(({ trace }) => trace.count)) }))
    .sort((a, b) => b.things - a.things || (a.identity < b.identity ? -1 : 1))
    .slice(0, maxIdentities);
  const traces = identities.flatMap((each) => each.traces);
  const names = rankNames(traces);
  const list = (kind: string) =>
    identities
      .filter(({ identity }) => getIdentityKind(identity) === kind)
      .map(({ identity }) => getIdentityValue(identity));
  const [addresses, numbers] = [list("email"), list("phone")];
  const display = names[0] ?? addresses[0] ?? numbers[0] ?? "?";
  const first = findContact(traces, (a, b) => a < b, "9999");
  const last = findContact(traces, (a, b) => a > b, today);
  const sources = sumSources(traces);
  return {
    id,
    display_name: display,
    known_as: [...names, ...addresses, ...numbers].filter((name) => name !== display).join(", "),
    names,
    addresses,
    numbers,
    things: sum(sources.map(({ things }) => things)),
    source_count: new Set(sources.map(({ connection_id }) => connection_id)).size,
    first_contact: first?.day ?? null,
    first_source: first?.connectionId ?? null,
    last_contact: last?.day ?? null,
    last_source: last?.connectionId ?? null,
    months: sumMonths(traces, maxMonths),
    sources: sources.slice(0, maxSources),
    identities: identities.map(({ identity, traces: placed, things }) => ({
      identity,
      value:
        getIdentityKind(identity) === "name"
          ? (rankNames(placed)[0] ?? getIdentityValue(identity))
          : getIdentityValue(identity),
      kind: getIdentityKind(identity),
      things,
      cards: sum(placed.map(({ trace }) => trace.cards)),
      connection_ids: [...new Set(placed.map(({ connectionId }) => connectionId))].slice(0, maxSources),
    })),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

/** The most used spelling of each name, most used first. */
function rankNames(traces: readonly PlacedTrace[]): string[] {
  const spellings = new Map<string, number>();
  for (const { trace } of traces) {
    const weight = trace.cards > 0 ? cardWeight : 1;
    for (const [name, count] of Object.entries(trace.names))
      spellings.set(name, (spellings.get(name) ?? 0) + count * weight);
  }
  const ranked = [...spellings].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([name]) => name);
  return [...new Map([...ranked].reverse().map((name) => [foldName(name), name])).values()]
    .reverse()
    .slice(0, maxNames);
}

interface Contact {
  readonly day: string;
  readonly connectionId: string;
}

function findContact(
  traces: readonly PlacedTrace[],
  isBetter: (a: string, b: string) => boolean,
  latest: string,
): Contact | undefined {
  let found: Contact | undefined;
  for (const { connectionId, trace } of traces)
    for (const day of Object.keys(trace.days))
      if (day <= latest && (found === undefined || isBetter(day, found.day))) found = { day, connectionId };
  return found;
}

function sumMonths(traces: readonly PlacedTrace[], max: number): Record<string, number> {
  const months = new Map<string, number>();
  for (const { trace } of traces)
    for (const [day, count] of Object.entries(trace.days))
      months.set(day.slice(0, 7), (months.get(day.slice(0, 7)) ?? 0) + count);
  return Object.fromEntries([...months].sort(([a], [b]) => (a < b ? -1 : 1)).slice(-max));
}

/** A card names all addresses of a person, and is one record. */
const countThings = (placed: readonly PlacedTrace[]): number =>
  sum(placed.map(({ trace }) => trace.count - trace.cards)) + Math.max(...placed.map(({ trace }) => trace.cards));

function sumSources(traces: readonly PlacedTrace[]) {
  const byPlace = Map.groupBy(traces, ({ connectionId, stream }) => `${connectionId}/${stream}`);
  return [...byPlace.values()]
    .map((placed) => ({
      connection_id: placed[0]!.connectionId,
      stream: placed[0]!.stream,
      things: countThings(placed),
      months: sumMonths(placed, maxSourceMonths),
    }))
    .sort((a, b) => b.things - a.things || (a.connection_id < b.connection_id ? -1 : 1));
}

/**
 * The person who already has most of these identities keeps their id, so that links and grants stay valid. An id that was made from an
 * identity goes with it, so that undoing a decision restores the ids.
 */
export function assignIds(
  groups: readonly (readonly string[])[],
  held: ReadonlyMap<string, string>,
): { readonly id: string; readonly group: readonly string[] }[] {
  const taken = new Set<string>();
  const bySize = [...groups].sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1));
  const own = new Map(bySize.flatMap((group) => group.map((identity) => [createPersonId(identity), group])));
  return bySize.map((group) => {
    const votes = Map.groupBy(
      group.flatMap((identity) => held.get(identity) ?? []),
      (id) => id,
    );
    const ranked = [...votes].sort(([a, n], [b, m]) => m.length - n.length || (a < b ? -1 : 1)).map(([id]) => id);
    const id = [...ranked, ...group.map(createPersonId)].find(
      (each) => !taken.has(each) && (own.get(each) ?? group) === group,
    )!;
    taken.add(id);
    return { id, group };
  });
}

const createPersonId = (identity: string): string =>
  `per_${createHash("sha256").update(identity).digest("hex").slice(0, 20)}`;
